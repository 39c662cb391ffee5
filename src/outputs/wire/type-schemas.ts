/** The JSON Schemas of what has a known type and nothing else: types, literals and given members. */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { scalarTypes } from "../../fields/types/index.ts";
import type { Type } from "../../expressions/type.ts";
import type { Json } from "../../support/json.ts";
import type { WireContext } from "./context.ts";
import { identifierSchema, objectOf, type ReferenceSchemas, type ValueSchema } from "./field-schemas.ts";
import { oneOfTexts, orNull } from "./json-schemas.ts";

export class TypeSchemas {
  readonly #context: WireContext;
  readonly #words: ReferenceSchemas;

  constructor(context: WireContext, words: ReferenceSchemas) {
    this.#context = context;
    this.#words = words;
  }

  /** The schema of a type, without null. */
  schema(type: Type): JsonSchema {
    switch (type.kind) {
      case "null":
        return { type: "null" };
      case "any":
        return {};
      case "bytes":
        return { type: "string", contentEncoding: "base64" };
      case "enum":
        return oneOfTexts(type.values);
      case "list":
        return { type: "array", items: orNull(this.schema(type.of)) };
      case "map":
        return { type: "object", additionalProperties: orNull(this.schema(type.of)) };
      case "object":
        return {
          type: "object",
          properties: Object.fromEntries(
            Object.entries(type.fields).map(([key, fieldType]) => [
              key.replace(/\?$/, ""),
              orNull(this.schema(fieldType)),
            ]),
          ),
        };
      case "record":
        return identifierSchema(this.#context, type.resource, this.#words);
      case "value":
        return this.#words.value(type.resource);
      case "collection":
        return { type: "array", items: identifierSchema(this.#context, type.resource, this.#words) };
      case "password":
      case "credential":
        return { type: "null" };
      default:
        return scalarTypes[type.kind].schema({ timestamps: this.#context.form.timestamps });
    }
  }

  /** The schema of a value of which only the type is known. */
  value(type: Type, nullable: boolean): ValueSchema {
    return { schema: this.schema(type), nullable: nullable || type.kind === "any" || type.kind === "null" };
  }

  literal(value: Json, type: Type): ValueSchema {
    if (value === null) return { schema: { type: "null" }, nullable: true };
    if (typeof value === "object") return { schema: this.schema(type), nullable: false };
    const kind = typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
    const isWritten = type.kind === "timestamp" || type.kind === "duration" || type.kind === "any";
    return { schema: isWritten ? this.schema(type) : { type: kind, const: value }, nullable: false };
  }

  /** An object with these members. */
  members(members: Readonly<Record<string, ValueSchema>>): JsonSchema {
    return objectOf(
      Object.entries(members).map(([key, member]) => ({ name: key, ...member })),
      this.#context.form.nulls,
    );
  }
}
