/** A type as far as it decides how a form shows and reads a value: with the parts and elements that it consists of. */
import { type FieldRule, isHidden } from "../fields/rule.ts";
import { ruleSentence, ruleWords } from "../fields/rules/index.ts";
import type { FieldPart, FieldType } from "../fields/type.ts";

export interface FormType {
  /** `string`, `enum`, `reference`, `list` … */
  readonly kind: string;
  /** Of a reference and of an embedded value. */
  readonly resource?: string;
  /** Of an enum and of a state. */
  readonly values?: string[];
  /** The kind of what a list or a map holds. */
  readonly of?: string;
  /** The type of what a list or a map holds. */
  readonly item?: FormType;
  /** What a list may hold; where `of` isn't `enum`, what of it means something. */
  readonly choices?: string[];
  /** Of an object or an embedded value: its names. */
  readonly parts?: string[];
  /** The same with their types; absent below the depth to which forms are nested. */
  readonly members?: FormMember[];
}

/** What a form needs for one part of a value. */
interface FormMember {
  readonly name: string;
  readonly type: FormType;
  readonly required: boolean;
  readonly rules: string[];
}

/** Values within values beyond this are typed as JSON: a value may contain itself. */
const depthMax = 4;

/** @param fieldsOf the fields of a resource whose records are embedded */
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

/** What a value must be on arrival, in sentences; other rules are no hint for the user. */
export function clientRules(rules: readonly FieldRule[], type: FieldType): string[] {
  return rules.filter(isClientRule).map((rule) => ruleSentence(rule, type));
}

function isClientRule({ rule }: FieldRule): boolean {
  const { compile, innerType } = ruleWords(rule);
  return compile !== undefined || innerType !== undefined || rule === "unique" || rule === "nullable";
}
