/**
 * Stored form of texts (part 2, `trimmed`, `lower case`, `empty is null`), for values that come
 * from no request: `Set`, effects, `Given`, an operator's data. `field-reader.ts` normalizes the
 * values of requests.
 */
import type { Value } from "../expressions/value.ts";
import { bareObject } from "../support/bare-object.ts";
import type { FieldsOfValue } from "./check-value.ts";
import { type FieldRule, hasRule } from "./rule.ts";
import { compileNormalise } from "./rules/index.ts";
import type { FieldPart, FieldType } from "./type.ts";
import { isOfType, rulesOfAlternative } from "./types/either.ts";
import { rulesOfEach } from "./types/list.ts";

type ToStored = (value: Value) => Value;

/** Converts a value to its stored form. Undefined if values are stored unchanged, as those of most fields are. */
export function compileToStored(
  type: FieldType,
  rules: readonly FieldRule[],
  fieldsOf: FieldsOfValue,
): ToStored | undefined {
  return toStored(type, rules, fieldsOf, new Map());
}

/** @param values conversions of embedded values by resource; a value that contains itself finds its own here */
function toStored(
  type: FieldType,
  rules: readonly FieldRule[],
  fieldsOf: FieldsOfValue,
  values: Map<string, ToStored | undefined>,
): ToStored | undefined {
  switch (type.kind) {
    case "list": {
      const convert = toStored(type.of, rulesOfEach(rules), fieldsOf, values);
      return convert && ((value) => (Array.isArray(value) ? value.map(convert) : value));
    }
    case "map": {
      const convert = toStored(type.of, rulesOfEach(rules), fieldsOf, values);
      return convert && ((value) => withEach(value, () => convert));
    }
    case "object":
      return ofParts(type.parts, fieldsOf, values);
    case "value": {
      const { resource } = type;
      if (values.has(resource)) {
        return (value) => {
          const form = values.get(resource);
          return form ? form(value) : value;
        };
      }
      values.set(resource, undefined);
      const form = ofParts(fieldsOf(resource), fieldsOf, values);
      values.set(resource, form);
      return form;
    }
    case "json":
      return type.either ? ofEither(type.either, rules, fieldsOf, values) : ofText(rules);
    default:
      return ofText(rules);
  }
}

function ofEither(
  types: readonly FieldType[],
  rules: readonly FieldRule[],
  fieldsOf: FieldsOfValue,
  values: Map<string, ToStored | undefined>,
): ToStored | undefined {
  const forms = types.flatMap((type) => {
    const form = toStored(type, rulesOfAlternative(rules, type), fieldsOf, values);
    return form ? [{ type, form }] : [];
  });
  if (forms.length === 0) return undefined;
  // A text may be of its type only in the stored form: ` ada@example.com`, trimmed.
  return (value) => {
    for (const { type, form } of forms) {
      const kept = form(value);
      if (kept === null ? value !== null : isOfType(kept, type)) return kept;
    }
    return value;
  };
}

function ofText(rules: readonly FieldRule[]): ToStored | undefined {
  const normalise = compileNormalise(rules);
  const emptyIsNull = hasRule(rules, "empty is null");
  if (!normalise && !emptyIsNull) return undefined;
  return (value) => {
    if (typeof value !== "string") return value;
    const text = normalise ? normalise(value) : value;
    return text === "" && emptyIsNull ? null : text;
  };
}

function ofParts(
  parts: readonly FieldPart[],
  fieldsOf: FieldsOfValue,
  values: Map<string, ToStored | undefined>,
): ToStored | undefined {
  const forms = new Map(
    parts.flatMap(({ name, type, rules }) => {
      const form = toStored(type, rules, fieldsOf, values);
      return form ? [[name, form] as const] : [];
    }),
  );
  return forms.size === 0 ? undefined : (value) => withEach(value, (name) => forms.get(name));
}

function withEach(value: Value, formOf: (name: string) => ToStored | undefined): Value {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const made = bareObject<Record<string, Value>>();
  for (const [name, member] of Object.entries(value as { readonly [key: string]: Value })) {
    const form = formOf(name);
    made[name] = form ? form(member) : member;
  }
  return made;
}
