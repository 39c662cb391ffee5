/**
 * Union types: `string or list of string`, distinguished by the sent value. The value is stored as
 * JSON, so types that JSON doesn't distinguish (timestamps, decimals, records) are excluded. One
 * alternative of an input may be a file, which no field stores.
 */
import type { Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { FieldContext, FieldReader } from "../field-reader.ts";
import { Findings } from "../findings.ts";
import { type FormNode, onlyFile, onlyText } from "../form.ts";
import type { FieldRule } from "../rule.ts";
import { appliesToValue, ruleApplies } from "../rules/index.ts";
import type { FieldType } from "../type.ts";
import { scalarTypes } from "./index.ts";

/**
 * The rules that apply to one alternative: those that judge values or define their form, if they
 * fit its type.
 */
export function rulesOfAlternative(rules: readonly FieldRule[], type: FieldType): readonly FieldRule[] {
  return rules.filter((rule) => appliesToAlternative(rule, type));
}

export function appliesToAlternative(rule: FieldRule, type: FieldType): boolean {
  return appliesToValue(rule) && ruleApplies(rule, type);
}

export function compileEither(
  types: readonly FieldType[],
  rules: readonly FieldRule[],
  context: FieldContext,
): FieldReader {
  const readers = types.map((type) => ({
    type,
    reader: context.compile(type, rulesOfAlternative(rules, type)),
  }));
  /**
   * The first alternative that accepts the value. If none does, the alternative that was meant
   * reports the problem, else all of them.
   */
  const read = (
    attempt: (reader: FieldReader, findings: Findings) => Value | undefined,
    isMeant: (type: FieldType) => boolean,
    reporting: { readonly path: string; readonly sent: Json | undefined; readonly findings: Findings },
  ): Value | undefined => {
    const words: string[] = [];
    for (const { reader } of readers) {
      const tried = new Findings();
      const value = attempt(reader, tried);
      if (value !== undefined) return value;
      words.push(tried.problems()[0]?.problem ?? "");
    }
    const intended = readers.filter(({ type }) => isMeant(type));
    if (intended.length === 1)
      return attempt((intended[0] as (typeof intended)[0]).reader, reporting.findings);
    return reporting.findings.refuse("invalid field", reporting.path, eitherWords(words), reporting.sent);
  };
  return {
    json: (json, path, findings) =>
      read(
        (reader, found) => reader.json(json, path, found),
        (type) => formOf(type) === formOfJson(json),
        { path, sent: json, findings },
      ),
    form: (node, path, findings) =>
      read(
        (reader, found) => reader.form(node, path, found),
        (type) => isFormed(node, type),
        { path, sent: onlyText(node), findings },
      ),
  };
}

/** `must be a string`, `must be a list` → `must be a string or be a list`. */
function eitherWords(words: readonly string[]): string {
  // A text alternative mentions that it accepts no file; naming both says the same.
  const plain = words.map((word) => word.replace(/, not a file$/, ""));
  return [...new Set(plain)].map((text, at) => (at === 0 ? text : text.replace(/^must /, ""))).join(" or ");
}

/** The JSON name of a type. */
function formOf({ kind }: FieldType): string {
  switch (kind) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
    case "list":
    case "map":
    // No JSON is a file.
    case "file":
      return kind;
    default:
      return "string";
  }
}

function formOfJson(json: Json | Value): string {
  if (Array.isArray(json)) return "list";
  return typeof json === "object" ? "map" : typeof json;
}

function isFormed(node: FormNode, { kind }: FieldType): boolean {
  if (onlyFile(node)) return kind === "file";
  if (onlyText(node) !== undefined) return kind !== "list" && kind !== "map" && kind !== "file";
  return node.parts && !node.items ? kind === "map" : kind === "list";
}

/** Whether a value from a source other than a request is of the type. */
export function isOfType(value: Value, type: FieldType): boolean {
  // Only elements may be any JSON.
  if (type.kind === "json") return true;
  if (value === null || formOfJson(value) !== formOf(type)) return false;
  switch (type.kind) {
    case "integer":
      return Number.isSafeInteger(value);
    case "enum":
      return type.values.includes(value as string);
    case "list":
    case "map":
      return Object.values(value as object).every((value) => isOfType(value as Value, type.of));
    case "uuid":
    case "email":
    case "uri":
      return typeof value === "string" && scalarTypes[type.kind].read(value, anyForm) === value;
    default:
      return true;
  }
}

/** These types don't depend on the form of timestamps. */
const anyForm = { timestamps: "milliseconds" } as const;
