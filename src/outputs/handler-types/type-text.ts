/**
 * Types of the document as TypeScript: the plain data that handlers and functions see
 * (`engine/handlers/plain.ts`).
 */
import type { Type } from "../../expressions/type.ts";
import { type FieldRule, hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";

/**
 * Names that the declaration or TypeScript already uses: a resource with such a name gets an
 * underscore appended.
 */
const usedNames = new Set([
  "Caller",
  "Code",
  "Comparison",
  "Condition",
  "Functions",
  "Given",
  "Handlers",
  "Input",
  "Json",
  "Nothing",
  "Promise",
  "Readonly",
  "Record",
  "Records",
  "Reference",
  "Resources",
  "Transaction",
  "AbortSignal",
  "Partial",
]);

export function typeName(resource: string): string {
  return usedNames.has(resource) ? `${resource}_` : resource;
}

/**
 * `reading`: what a handler receives; `giving`: what it returns, where a record may be given for
 * its identifier.
 */
export type Direction = "reading" | "giving";

export function typeText(type: FieldType, direction: Direction): string {
  switch (type.kind) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "json":
      return type.either
        ? type.either.map((fieldType) => typeText(fieldType, direction)).join(" | ")
        : "Json";
    case "not shown":
      return "Json";
    case "file":
      return "Readonly<{ name: string; type: string; size: number; content: string }>";
    case "enum":
      return choiceText(type.values);
    case "state":
      return choiceText(type.states);
    case "list":
      return `readonly ${inBrackets(typeText(type.of, direction))}[]`;
    case "map":
      return `Readonly<Record<string, ${typeText(type.of, direction)}>>`;
    case "value":
      return typeName(type.resource);
    case "reference":
      return direction === "giving"
        ? `Reference<${JSON.stringify(type.resource)}>`
        : `Resources[${JSON.stringify(type.resource)}]["identifier"]`;
    case "object":
      return objectText(
        type.parts.map((part) => ({
          name: part.name,
          optional: !hasRule(part.rules, "required"),
          type: orNull(typeText(part.type, direction), part.rules),
        })),
      );
    default:
      return "string";
  }
}

/** The type of an expression's value, for bodies of transitions. */
export function expressionTypeText(type: Type): string {
  switch (type.kind) {
    case "integer":
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "null":
    case "any":
    case "bytes":
    case "collection":
      return "Json";
    case "enum":
      return choiceText(type.values);
    case "list":
      return `readonly ${inBrackets(expressionTypeText(type.of))}[]`;
    case "map":
      return `Readonly<Record<string, ${expressionTypeText(type.of)}>>`;
    case "value":
      return typeName(type.resource);
    case "record":
      return `Reference<${JSON.stringify(type.resource)}>`;
    case "object":
      if (type.open) return "Readonly<Record<string, Json>>";
      return objectText(
        Object.entries(type.fields).map(([name, fieldType]) => ({
          name,
          optional: true,
          type: `${expressionTypeText(fieldType)} | null`,
        })),
      );
    default:
      return "string";
  }
}

/** A clearable value is null if it is missing. */
function orNull(text: string, rules: readonly FieldRule[]): string {
  return hasRule(rules, "required") ? text : `${text} | null`;
}

export interface MemberText {
  readonly name: string;
  readonly optional: boolean;
  readonly type: string;
  readonly note?: string;
}

/** `{ readonly city: string; readonly note?: string | null }`, or the name of what has no keys. */
export function objectText(members: readonly MemberText[]): string {
  return members.length === 0 ? "Nothing" : `{ ${members.map(memberText).join("; ")} }`;
}

export function memberText({ name, optional, type }: MemberText): string {
  const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
  return `readonly ${key}${optional ? "?" : ""}: ${type}`;
}

function choiceText(values: readonly string[]): string {
  return values.length === 0 ? "never" : values.map((value) => JSON.stringify(value)).join(" | ");
}

function inBrackets(text: string): string {
  return /[ |]/.test(text) && !text.startsWith("{") && !/^\w+<.*>$/.test(text) ? `(${text})` : text;
}
