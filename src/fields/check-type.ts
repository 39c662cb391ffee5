/**
 * Whether a value at run time is of a field's type, whoever has made it: the type that expressions know may be wider (a text set into
 * `one of`, an email address), or say nothing at all (`json`). Rules are checked in `check-value.ts`.
 */
import { isList, isObject, type Value } from "../expressions/value.ts";
import type { FieldsOfValue } from "./check-value.ts";
import { type FieldRule, hasRule } from "./rule.ts";
import type { FieldPart, FieldType, PlainType } from "./type.ts";
import { isOfType } from "./types/either.ts";
import { scalarTypes } from "./types/index.ts";
import { rulesOfEach } from "./types/list.ts";
import { Refusal } from "./types/scalar-type.ts";

/** What is wrong, at which place within the value: `tags[1]` has the path `[1]`. */
export interface Mistyped {
  readonly path: string;
  /** Completes the name of the place: `must be an integer`. */
  readonly problem: string;
}

export type TypeCheck = (value: Value) => Mistyped | undefined;

/** The check of values in their run-time form; null is a value of every type. */
export function compileTypeCheck(
  type: FieldType,
  rules: readonly FieldRule[],
  fieldsOf: FieldsOfValue,
): TypeCheck {
  return typeCheck(type, rules, fieldsOf, new Map());
}

/** @param values checks of embedded values by resource; one that is still being compiled contains itself */
function typeCheck(
  type: FieldType,
  rules: readonly FieldRule[],
  fieldsOf: FieldsOfValue,
  values: Map<string, TypeCheck | undefined>,
): TypeCheck {
  switch (type.kind) {
    case "enum":
      return ofWords(type.values);
    case "state":
      return ofWords(type.states);
    case "list":
    case "map": {
      const element = typeCheck(type.of, rulesOfEach(rules), fieldsOf, values);
      const takesNull = type.of.kind === "json" || type.of.kind === "not shown" || hasRule(rules, "merged");
      const one: TypeCheck = (value) =>
        value === null ? (takesNull ? undefined : { path: "", problem: "must not be null" }) : element(value);
      return type.kind === "list" ? ofList(one) : ofMap(() => one);
    }
    case "object":
      return ofParts(type.parts, fieldsOf, values);
    case "value":
      return ofValue(type.resource, fieldsOf, values);
    case "reference":
      return (value) =>
        value === null ||
        typeof value === "string" ||
        typeof value === "number" ||
        (isObject(value) && "#row" in value)
          ? undefined
          : { path: "", problem: "must be the identifier of a record" };
    case "file":
    case "not shown":
      return () => undefined;
    default:
      return type.either ? ofEither(type.either) : ofPlain(type.kind);
  }
}

function ofWords(words: readonly string[]): TypeCheck {
  const known = new Set<Value>(words);
  const wrong = { path: "", problem: `must be one of ${words.join(", ")}` };
  return (value) => (value === null || known.has(value) ? undefined : wrong);
}

function ofList(element: TypeCheck): TypeCheck {
  return (value) => {
    if (value === null) return undefined;
    if (!isList(value)) return { path: "", problem: "must be a list" };
    for (const [at, one] of value.entries()) {
      const wrong = element(one);
      if (wrong) return { ...wrong, path: `[${at}]${wrong.path}` };
    }
    return undefined;
  };
}

function ofMap(memberOf: (name: string) => TypeCheck | undefined): TypeCheck {
  return (value) => {
    if (value === null) return undefined;
    if (!isObject(value)) return { path: "", problem: "must be an object" };
    for (const [name, one] of Object.entries(value)) {
      const wrong = memberOf(name)?.(one);
      if (wrong) return { ...wrong, path: `.${name}${wrong.path}` };
    }
    return undefined;
  };
}

function ofParts(
  parts: readonly FieldPart[],
  fieldsOf: FieldsOfValue,
  values: Map<string, TypeCheck | undefined>,
): TypeCheck {
  const checks = new Map(
    parts.map(({ name, type, rules }) => [name, typeCheck(type, rules, fieldsOf, values)]),
  );
  return ofMap((name) => checks.get(name));
}

function ofValue(
  resource: string,
  fieldsOf: FieldsOfValue,
  values: Map<string, TypeCheck | undefined>,
): TypeCheck {
  if (values.has(resource)) return (value) => values.get(resource)?.(value);
  values.set(resource, undefined);
  const check = ofParts(fieldsOf(resource), fieldsOf, values);
  values.set(resource, check);
  return check;
}

function ofEither(types: readonly FieldType[]): TypeCheck {
  return (value) =>
    value === null || types.some((type) => isOfType(value, type))
      ? undefined
      : { path: "", problem: "is of none of its types" };
}

/** A text is of its type in the very form in which its reader keeps it. */
function ofPlain(kind: PlainType): TypeCheck {
  const type = scalarTypes[kind];
  const isKept = (value: Value): boolean => {
    switch (kind) {
      case "json":
        return true;
      case "duration":
        return Number.isSafeInteger(value);
      default:
        return typeof value !== "object" && type.read(value, { timestamps: "milliseconds" }) === value;
    }
  };
  const wanted = type.read({}, { timestamps: "milliseconds" });
  const plain = { path: "", problem: wanted instanceof Refusal ? wanted.words : "" };
  return (value) => {
    if (value === null || isKept(value)) return undefined;
    const read = typeof value === "object" ? undefined : type.read(value, { timestamps: "milliseconds" });
    return read instanceof Refusal ? { path: "", problem: read.words } : plain;
  };
}
