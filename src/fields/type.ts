/** The types of fields and inputs (part 2). */
import type { Type, plainKinds } from "../expressions/type.ts";
import type { FieldRule } from "./rule.ts";

export type FieldType =
  /** `either`, only for `json`: a value has one of these types, `string or list of string`. */
  | { readonly kind: PlainType; readonly either?: readonly FieldType[] }
  | { readonly kind: "enum"; readonly values: readonly string[] }
  | { readonly kind: "list"; readonly of: FieldType }
  | { readonly kind: "map"; readonly of: FieldType }
  /** A record of a resource. Its wire form is the identifier. */
  | { readonly kind: "reference"; readonly resource: string }
  /** An embedded value. */
  | { readonly kind: "value"; readonly resource: string }
  /** `address: object` with rows `address.city`. */
  | { readonly kind: "object"; readonly parts: readonly FieldPart[] }
  /** A part of a multipart body, only for inputs. Without `types`, any media type is accepted. */
  | { readonly kind: "file"; readonly types: readonly string[] }
  | { readonly kind: "state"; readonly states: readonly string[] }
  | { readonly kind: "not shown" };

export type PlainType = (typeof plainKinds)[number] | "json" | "password" | "credential";

export interface FieldPart {
  readonly name: string;
  readonly type: FieldType;
  readonly rules: readonly FieldRule[];
}

/** The type that an expression sees. */
export function expressionType(type: FieldType): Type {
  switch (type.kind) {
    case "list":
    case "map":
      return { kind: type.kind, of: expressionType(type.of) };
    case "reference":
      return { kind: "record", resource: type.resource };
    case "value":
      return { kind: "value", resource: type.resource };
    case "object":
      return {
        kind: "object",
        fields: Object.fromEntries(type.parts.map((part) => [part.name, expressionType(part.type)])),
      };
    case "enum":
      return { kind: "enum", values: type.values };
    case "state":
      return { kind: "enum", values: type.states };
    case "file":
      return fileType;
    case "json":
    case "not shown":
      return { kind: "any" };
    default:
      return { kind: type.kind };
  }
}

const fileType: Type = {
  kind: "object",
  fields: {
    name: { kind: "string" },
    type: { kind: "string" },
    size: { kind: "integer" },
    content: { kind: "string" },
  },
};
