/**
 * Run-time type check: whether a value has a field's type, whatever produced it. The static type
 * may be wider (a text assigned to `one of`, an email address) or unknown (`json`).
 * `check-value.ts` checks the rules.
 */
import { isList, isObject, type Value } from "../expressions/value.ts";
import type { KnownResource } from "./check-value.ts";
import { identifyingFields } from "./key.ts";
import { type FieldRule, hasRule } from "./rule.ts";
import type { FieldPart, FieldType, PlainType } from "./type.ts";
import { isOfType } from "./types/either.ts";
import { scalarTypes } from "./types/index.ts";
import { rulesOfEach } from "./types/list.ts";
import { withArticle } from "./types/reference.ts";
import { Refusal } from "./types/scalar-type.ts";

/** A type error: what is wrong, and at which path within the value. `tags[1]` has the path `[1]`. */
export interface TypeMismatch {
  readonly path: string;
  /** Predicate to the name of the field: `must be an integer`. */
  readonly problem: string;
}

export type TypeCheck = (value: Value) => TypeMismatch | undefined;

/** The check of values in their run-time form; null is a value of every type. */
export function compileTypeCheck(
  type: FieldType,
  rules: readonly FieldRule[],
  known: KnownResource,
): TypeCheck {
  return typeCheck(type, rules, { ...known, values: new Map() });
}

interface Checking extends KnownResource {
  /** Checks of embedded values by resource. Undefined while a check is being compiled: such a value contains itself. */
  readonly values: Map<string, TypeCheck | undefined>;
}

function typeCheck(type: FieldType, rules: readonly FieldRule[], checking: Checking): TypeCheck {
  switch (type.kind) {
    case "enum":
      return ofWords(type.values);
    case "state":
      return ofWords(type.states);
    case "list":
    case "map": {
      const element = typeCheck(type.of, rulesOfEach(rules), checking);
      const takesNull = type.of.kind === "json" || type.of.kind === "not shown" || hasRule(rules, "merged");
      const check: TypeCheck = (value) =>
        value === null ? (takesNull ? undefined : { path: "", problem: "must not be null" }) : element(value);
      return type.kind === "list" ? ofList(check) : ofMap(() => check);
    }
    case "object":
      return ofParts(type.parts, checking);
    case "value":
      return ofValue(type.resource, checking);
    case "reference":
      return ofReference(type.resource, checking);
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
    for (const [at, item] of value.entries()) {
      const wrong = element(item);
      if (wrong) return { ...wrong, path: `[${at}]${wrong.path}` };
    }
    return undefined;
  };
}

function ofMap(memberOf: (name: string) => TypeCheck | undefined): TypeCheck {
  return (value) => {
    if (value === null) return undefined;
    if (!isObject(value)) return { path: "", problem: "must be an object" };
    for (const [name, member] of Object.entries(value)) {
      const wrong = memberOf(name)?.(member);
      if (wrong) return { ...wrong, path: `.${name}${wrong.path}` };
    }
    return undefined;
  };
}

function ofParts(parts: readonly FieldPart[], checking: Checking): TypeCheck {
  const checks = new Map(parts.map(({ name, type, rules }) => [name, typeCheck(type, rules, checking)]));
  return ofMap((name) => checks.get(name));
}

function ofValue(resource: string, checking: Checking): TypeCheck {
  const { values } = checking;
  if (values.has(resource)) return (value) => values.get(resource)?.(value);
  values.set(resource, undefined);
  const check = ofParts(checking.fieldsOf(resource), checking);
  values.set(resource, check);
  return check;
}

/** A record, or its key: of several identifying fields that is one text (`expressions/key.ts`). */
function ofReference(resource: string, checking: Checking): TypeCheck {
  const wrong = { path: "", problem: `must be the identifier of ${withArticle(resource)}` };
  const isKey = keyCheck(resource, checking, stepsMax);
  return (value) =>
    value === null || (isObject(value) && "#row" in value) || isKey(value) ? undefined : wrong;
}

/** Maximum length of a chain of references, if identifiers are references themselves. */
const stepsMax = 8;

function keyCheck(resource: string, checking: Checking, steps: number): (value: Value) => boolean {
  const spec = checking.resource(resource);
  const names = spec ? identifyingFields(spec) : [];
  if (names.length > 1) return (value) => typeof value === "string" && isKeyOf(value, names.length);
  const type = spec?.fields.find(({ name }) => name === names[0])?.type;
  if (type?.kind === "reference" && steps > 0) return keyCheck(type.resource, checking, steps - 1);
  // An identifying timestamp is stored as it is serialized.
  if (!type || type.kind === "timestamp" || type.kind === "reference")
    return (value) => typeof value === "string" || typeof value === "number";
  const check = typeCheck(type, [], checking);
  return (value) => check(value) === undefined;
}

function isKeyOf(text: string, parts: number): boolean {
  try {
    const key: unknown = JSON.parse(text);
    return Array.isArray(key) && key.length === parts;
  } catch {
    return false;
  }
}

function ofEither(types: readonly FieldType[]): TypeCheck {
  return (value) =>
    value === null || types.some((type) => isOfType(value, type))
      ? undefined
      : { path: "", problem: "must match one of its types" };
}

/** A text is of its type in the very form in which its reader keeps it. */
function ofPlain(kind: PlainType): TypeCheck {
  const type = scalarTypes[kind];
  const isStorable = (value: Value): boolean => {
    switch (kind) {
      case "json":
        return true;
      case "duration":
        return Number.isSafeInteger(value);
      default:
        return typeof value !== "object" && type.read(value, { timestamps: "milliseconds" }) === value;
    }
  };
  const expected = type.read({}, { timestamps: "milliseconds" });
  const plain = { path: "", problem: expected instanceof Refusal ? expected.words : "" };
  return (value) => {
    if (value === null || isStorable(value)) return undefined;
    const read = typeof value === "object" ? undefined : type.read(value, { timestamps: "milliseconds" });
    return read instanceof Refusal ? { path: "", problem: read.words } : plain;
  };
}
