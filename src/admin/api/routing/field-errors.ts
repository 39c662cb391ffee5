/**
 * Field errors: a sentence with the accepted values for each wrong field of a body or parameter of
 * a query.
 */
import type { TObject } from "typebox";
import { Value } from "typebox/value";
import { nearest } from "../../../support/nearest.ts";
import type { FieldError } from "./refusal.ts";

/** The subset of JSON Schema that routes use. */
interface Schema {
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** A description of the expected value, for fields whose rules alone don't explain it. */
  readonly expects?: string;
}

interface Found {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
  };
}

/** @param noun what an error calls a name: `field` or `parameter` */
export function fieldErrorsOf(
  schema: TObject,
  value: object,
  noun: "field" | "parameter",
): readonly FieldError[] {
  if (Value.Check(schema, value)) return [];
  const found = Value.Errors(schema, value) as readonly Found[];
  const errors = new Map<string, FieldError>();
  const add = (field: string, message: string) => {
    if (!errors.has(field)) errors.set(field, { field, message });
  };
  for (const { keyword, instancePath, params } of found) {
    const path = instancePath
      .split("/")
      .slice(1)
      .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
    const at = schemaAt(schema as Schema, path);
    if (keyword === "required")
      for (const name of params.requiredProperties ?? [])
        add(dotted(path, name), `Missing value: it must be ${wordsOf(at?.properties?.[name])}.`);
    else if (keyword === "additionalProperties")
      for (const name of params.additionalProperties ?? [])
        add(dotted(path, name), unknownName(name, Object.keys(at?.properties ?? {}), noun));
    // Another error reports a path with an unknown name.
    else if (at) add(path.join("."), `It must be ${wordsOf(at)}.`);
  }
  return [...errors.values()];
}

function unknownName(name: string, known: readonly string[], noun: "field" | "parameter"): string {
  const suggestion = nearest(name, known);
  const list = known.length === 0 ? "Omit it." : `Write one of ${known.join(", ")}.`;
  return `Unknown ${noun} "${name.slice(0, 100)}". ${suggestion === undefined ? list : `Did you mean "${suggestion}"?`}`;
}

function dotted(path: readonly string[], name: string): string {
  return [...path, name].join(".");
}

function schemaAt(schema: Schema, path: readonly string[]): Schema | undefined {
  let at: Schema | undefined = schema;
  for (const key of path)
    at =
      at?.properties && Object.hasOwn(at.properties, key)
        ? at.properties[key]
        : /^\d+$/.test(key)
          ? at?.items
          : undefined;
  return at;
}

/** Describes the values that a schema accepts: `a whole number from 1 to 1000`. */
function wordsOf(schema: Schema | undefined): string {
  if (!schema) return "something else";
  if (schema.expects !== undefined) return schema.expects;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return oneOf(schema.enum.map((value) => JSON.stringify(value)));
  if (schema.anyOf) return oneOf(schema.anyOf.map(wordsOf));
  switch (schema.type) {
    case "string":
      return `text${lengthWords(schema)}`;
    case "integer":
    case "number":
      return `a ${schema.type === "integer" ? "whole " : ""}number${boundWords(schema)}`;
    case "boolean":
      return "true or false";
    case "array":
      return `a list of ${schema.items ? wordsOf(schema.items) : "anything"}${schema.maxItems === undefined ? "" : `, at most ${schema.maxItems}`}`;
    case "null":
      return "null";
    default:
      return schema.type === "object" ? "an object" : "something else";
  }
}

function lengthWords({ minLength, maxLength }: Schema): string {
  if (maxLength !== undefined)
    return ` of ${minLength ? `${minLength} to` : "at most"} ${maxLength} characters`;
  return minLength ? ` of at least ${minLength} characters` : "";
}

function boundWords({ minimum, maximum }: Schema): string {
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return `, at least ${minimum}`;
  return maximum === undefined ? "" : `, at most ${maximum}`;
}

function oneOf(words: readonly string[]): string {
  return words.length < 2 ? (words[0] ?? "nothing") : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
