/**
 * Form type: the properties of a type that determine how a form shows and reads a value, with its
 * parts and elements.
 */
import { type FieldRule, isHidden } from "../fields/rule.ts";
import { ruleSentence, ruleWords } from "../fields/rules/index.ts";
import type { FieldPart, FieldType } from "../fields/type.ts";

export interface FormType {
  /** `string`, `enum`, `reference`, `list` … */
  readonly kind: string;
  /** The resource of a reference or of an embedded value. */
  readonly resource?: string;
  /** The values of an enum or of a state. */
  readonly values?: string[];
  /** The kind of the elements of a list or a map. */
  readonly of?: string;
  /** The type of the elements of a list or a map. */
  readonly item?: FormType;
  /** The allowed elements of a list: the values of an enum, or the event names of a webhook's list. */
  readonly choices?: string[];
  /** The names of the parts of an object or an embedded value. */
  readonly parts?: string[];
  /** The parts with their types; absent below the maximum depth of nested forms. */
  readonly members?: FormMember[];
}

/** One part of a value, as a form needs it. */
interface FormMember {
  readonly name: string;
  readonly type: FormType;
  readonly required: boolean;
  readonly rules: string[];
}

/** The user types values below this depth as JSON, because a value may contain itself. */
const depthMax = 4;

/** @param fieldsOf the fields of the resource of an embedded value */
export function formType(
  type: FieldType,
  fieldsOf: (resource: string) => readonly FieldPart[],
  depth = 0,
): FormType {
  switch (type.kind) {
    case "reference":
      return { kind: type.kind, resource: type.resource };
    case "value":
    case "object": {
      const all = type.kind === "object" ? type.parts : fieldsOf(type.resource);
      const parts = all.filter(({ rules }) => !isHidden(rules));
      return {
        kind: type.kind,
        ...(type.kind === "value" ? { resource: type.resource } : {}),
        parts: parts.map(({ name }) => name),
        ...(depth < depthMax
          ? {
              members: parts.map((part) => ({
                name: part.name,
                type: formType(part.type, fieldsOf, depth + 1),
                required: part.rules.some(({ rule }) => rule === "required"),
                rules: clientRules(part.rules, part.type),
              })),
            }
          : {}),
      };
    }
    case "enum":
      return { kind: type.kind, values: [...type.values] };
    case "state":
      return { kind: type.kind, values: [...type.states] };
    case "list":
      return {
        kind: type.kind,
        of: type.of.kind,
        item: formType(type.of, fieldsOf, depth + 1),
        ...(type.of.kind === "enum" ? { choices: [...type.of.values] } : {}),
      };
    case "map":
      return { kind: type.kind, of: type.of.kind, item: formType(type.of, fieldsOf, depth + 1) };
    default:
      return { kind: type.kind };
  }
}

/** The rules that a received value must satisfy, as sentences. Other rules don't help the user. */
export function clientRules(rules: readonly FieldRule[], type: FieldType): string[] {
  return rules.filter(isClientRule).map((rule) => ruleSentence(rule, type));
}

function isClientRule({ rule }: FieldRule): boolean {
  const { compile, innerType } = ruleWords(rule);
  return compile !== undefined || innerType !== undefined || rule === "unique" || rule === "nullable";
}
