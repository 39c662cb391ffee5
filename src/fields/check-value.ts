/**
 * Checks field rules for values that come from no request: computed by the service, or written in a
 * document or by an operator.
 */
import { isObject, type Value } from "../expressions/value.ts";
import type { FieldOptions } from "./field-reader.ts";
import { keyFormsOf } from "./key.ts";
import { type FieldRule, hasRule } from "./rule.ts";
import { compileChecks } from "./rules/index.ts";
import type { FieldPart, FieldType } from "./type.ts";
import { isOfType, rulesOfAlternative } from "./types/either.ts";
import { Refusal, scalarTypes } from "./types/index.ts";
import { rulesOfEach } from "./types/list.ts";
import { isFormedText } from "../expressions/type.ts";

/**
 * What is wrong, as a continuation of the field's name (`must be at least 1`), or undefined.
 * `required` handles nulls; it isn't checked here.
 */
export type ValueCheck = (value: Value) => string | undefined;

/** The fields of an embedded value. */
export type FieldsOfValue = (resource: string) => readonly FieldPart[];

/** The parts of a resource that a check reads. */
export interface KnownResource {
  readonly fieldsOf: FieldsOfValue;
  readonly resource: FieldOptions["resource"];
}

/**
 * The rules of a field and of its parts, as for a request's value. Undefined if there is nothing to
 * check.
 */
export function compileValueCheck(
  type: FieldType,
  rules: readonly FieldRule[],
  known: KnownResource,
): ValueCheck | undefined {
  return valueCheck(type, rules, known, new Map());
}

/** @param values checks of embedded values by resource; a value that contains itself finds its own check here */
function valueCheck(
  type: FieldType,
  rules: readonly FieldRule[],
  known: KnownResource,
  values: Map<string, ValueCheck | undefined>,
): ValueCheck | undefined {
  const own = compileChecks(rules, type, (name) => keyFormsOf(name, known.resource));
  const within = checkWithin(type, rules, known, values);
  if (own.length === 0) return within;
  return (value) => {
    for (const check of own) {
      const words = check(value);
      if (words !== undefined) return words;
    }
    return within?.(value);
  };
}

function checkWithin(
  type: FieldType,
  rules: readonly FieldRule[],
  known: KnownResource,
  values: Map<string, ValueCheck | undefined>,
): ValueCheck | undefined {
  switch (type.kind) {
    case "list":
    case "map": {
      const check = valueCheck(type.of, rulesOfEach(rules), known, values);
      return check && ((value) => firstBroken(entriesOf(value), () => check));
    }
    case "object":
      return checkParts(type.parts, known, values);
    case "value": {
      const { resource } = type;
      if (values.has(resource)) return (value) => values.get(resource)?.(value);
      values.set(resource, undefined);
      const check = checkParts(known.fieldsOf(resource), known, values);
      values.set(resource, check);
      return check;
    }
    case "json":
      return type.either && checkEither(type.either, rules, known, values);
    default:
      return undefined;
  }
}

/** The value must have one of the types, and obey the rules of at least one type that it has. */
function checkEither(
  types: readonly FieldType[],
  rules: readonly FieldRule[],
  known: KnownResource,
  values: Map<string, ValueCheck | undefined>,
): ValueCheck {
  const checks = types.map((type) => ({
    type,
    check: valueCheck(type, rulesOfAlternative(rules, type), known, values),
  }));
  return (value) => {
    const own = checks.filter(({ type }) => isOfType(value, type));
    const words = own.map(({ check }) => check?.(value));
    return words.length === 0
      ? "must match one of its types"
      : words.includes(undefined)
        ? undefined
        : words[0];
  };
}

function checkParts(
  parts: readonly FieldPart[],
  known: KnownResource,
  values: Map<string, ValueCheck | undefined>,
): ValueCheck | undefined {
  const needed = parts.filter(({ rules }) => hasRule(rules, "required")).map(({ name }) => name);
  const checks = new Map(
    parts.flatMap(({ name, type, rules }) => {
      const check = valueCheck(type, rules, known, values);
      return check ? [[name, check] as const] : [];
    }),
  );
  if (needed.length + checks.size === 0) return undefined;
  return (value) => {
    if (!isObject(value)) return undefined;
    const missing = needed.find((name) => (value[name] ?? null) === null);
    return missing === undefined
      ? firstBroken(Object.entries(value), (name) => checks.get(name))
      : `(${missing}) is required`;
  };
}

function entriesOf(value: Value): readonly (readonly [string, Value])[] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function firstBroken(
  entries: readonly (readonly [string, Value])[],
  checkOf: (name: string) => ValueCheck | undefined,
): string | undefined {
  for (const [name, entry] of entries) {
    const words = entry === null ? undefined : checkOf(name)?.(entry);
    if (words !== undefined) return `(${name}) ${words}`;
  }
  return undefined;
}

/**
 * A value that a person wrote for a field (a `default`, a `Given`, `data add`), in the stored form
 * of its type. Texts with a form of their own are read like a request's. A `Refusal` says what is
 * wrong.
 */
export function readAuthoredValue(value: Value, type: FieldType): Value | Refusal {
  if (type.kind === "list" && Array.isArray(value)) {
    const items = value.map((item: Value) => (item === null ? null : readAuthoredValue(item, type.of)));
    return items.find((item) => item instanceof Refusal) ?? (items as Value[]);
  }
  if (typeof value !== "string") return value;
  return isFormedText(type.kind)
    ? scalarTypes[type.kind].readText(value, { timestamps: "milliseconds" })
    : value;
}
