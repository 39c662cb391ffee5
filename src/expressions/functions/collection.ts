/**
 * Functions of lists, maps and several values. Methods of collections (`.filter`, `.sum` …) are
 * macros, not functions.
 */
import { mergeValues } from "../writing/merge-values.ts";
import { compareValues } from "../order.ts";
import { describeType, isOpen, isOrdered, join, partsOf } from "../relations.ts";
import type { Vocabulary } from "../scope.ts";
import { codePointLength } from "../text.ts";
import { type Type, types, isText } from "../type.ts";
import { isObject, type Value } from "../value.ts";
import { type FunctionDefinition, type LiteralMistake, signature } from "./definition.ts";
import { bareObject } from "../../support/bare-object.ts";

const { string, integer, bytes, any } = types;
const kinds: Type = { kind: "enum", values: ["string", "number", "boolean", "list", "map", "null"] };
const list: Type = { kind: "list", of: any };
const map: Type = { kind: "map", of: any };

export const collectionFunctions: readonly FunctionDefinition[] = [
  {
    name: "size",
    form: "both",
    deterministic: true,
    sentence:
      "The number of code points of a text, of bytes, of elements of a list, of keys of a map, or of records of a collection.",
    example: "size(body.seats)",
    signatures: [
      signature([string], integer, ([text]) => codePointLength(text)),
      signature([bytes], integer, ([value]) => value.length),
      signature([list], integer, ([value]) => value.length),
      signature([map], integer, ([value]) => Object.keys(value).length),
    ],
  },
  {
    name: "or",
    form: "function",
    deterministic: true,
    takesNulls: true,
    sentence: "The first of several values that is not null.",
    example: "or(body.customer, caller)",
    signatures: [
      signature(
        [any, any],
        (given, words) => given.reduce((left, right) => join(left, right, words)),
        (args) => args.find((value) => value !== null && value !== undefined) ?? null,
        { variadic: true },
      ),
    ],
  },
  {
    name: "same",
    form: "function",
    deterministic: true,
    takesNulls: true,
    sentence: "Whether two values are equal, or both are null.",
    example: "same(this.title, body.title)",
    // For any two values that `==` accepts. It is bound to comparisons (`calls.ts`), which stores
    // support.
    signatures: [],
  },
  {
    name: "type",
    form: "function",
    deterministic: true,
    takesNulls: true,
    sentence: 'The JSON type of a value: `"string"`, `"number"`, `"boolean"`, `"list"`, `"map"` or `"null"`.',
    example: `type(body.recipients) == "list"`,
    signatures: [signature([any], kinds, ([value]) => kindOf(value))],
  },
  {
    name: "merge",
    form: "function",
    deterministic: true,
    sentence: "Merges two maps; if both have a key, the second one wins.",
    example: `merge(Summary(this), {"body": this.body})`,
    types: (given) => {
      const argument = given.findIndex((type) => !mergeable.has(type.kind));
      return argument === -1 ? undefined : { argument, expected: "a map or a shape" };
    },
    signatures: [
      signature(
        [any, any],
        (given, words) => given.reduce((left, right) => mergedType(left, right, words)),
        mergeValues,
        { variadic: true },
      ),
    ],
  },
  {
    name: "pick",
    form: "function",
    deterministic: true,
    takesNulls: true,
    sentence: "A map, or a shape, with only the keys in a list; with all keys if the list is null.",
    example: `pick({"id": this.id, "title": this.title}, query.fields)`,
    types: (given) =>
      mergeable.has(given[0]?.kind ?? "any") ? undefined : { argument: 0, expected: "a map or a shape" },
    signatures: [
      signature(
        [any, { kind: "list", of: string }],
        ([whole], words) => {
          const fields = whole && partsOf(whole, words);
          return fields ? { kind: "object", fields: Object.fromEntries(fields) } : (whole ?? any);
        },
        ([whole, names]) => picked(whole, names),
      ),
    ],
  },
  {
    // The values of a map are converted to an older version. The keys stay.
    name: "map of keys",
    form: "function",
    deterministic: true,
    internal: true,
    sentence: "A map from a list of keys and a list of their values, in the same order.",
    example: "",
    signatures: [
      signature(
        [{ kind: "list", of: string }, list],
        ([, values]) => ({ kind: "map", of: values?.kind === "list" ? values.of : any }),
        ([keys, values]) =>
          Object.assign(bareObject(), Object.fromEntries(keys.map((key, at) => [key, values[at] ?? null]))),
      ),
    ],
  },
  {
    // `list.toMap(x, key, value)` (`binding/macros.ts`).
    name: "map of entries",
    form: "function",
    deterministic: true,
    internal: true,
    sentence:
      "A map from a list of objects with a key and a value. The last of equal keys wins; null keys are omitted.",
    example: "",
    signatures: [signature([list], map, ([entries]) => mapOfEntries(entries))],
  },
  extreme("min", "The smallest of several values; null is ignored.", (order) => order < 0),
  extreme("max", "The greatest of several values; null is ignored.", (order) => order > 0),
];

function mapOfEntries(entries: readonly Value[]): Value {
  const result = bareObject<Record<string, Value>>();
  for (const entry of entries) {
    const key = isObject(entry) ? entry["key"] : undefined;
    if (isObject(entry) && typeof key === "string") result[key] = entry["value"] ?? null;
  }
  return result;
}

function picked(whole: Value, names: readonly Value[] | null): Value {
  if (names === null || names === undefined || whole === null || typeof whole !== "object") return whole;
  const expected = new Set(names);
  return Object.assign(
    bareObject(),
    Object.fromEntries(Object.entries(whole).filter(([name]) => expected.has(name))),
  );
}

/** The name of a value's type in JSON. */
function kindOf(value: Value): string {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "object") return typeof value;
  if (value instanceof Uint8Array) return "string";
  return Array.isArray(value) ? "list" : "map";
}

const mergeable: ReadonlySet<string> = new Set(["any", "null", "map", "object", "value"]);

function mergedType(left: Type, right: Type, words: Vocabulary): Type {
  if (left.kind === "map" && right.kind === "map") return { kind: "map", of: join(left.of, right.of, words) };
  const first = partsOf(left, words);
  const second = partsOf(right, words);
  if (!first || !second) return isOpen(left) || isOpen(right) ? any : { kind: "map", of: any };
  return { kind: "object", fields: Object.fromEntries([...first, ...second]) };
}

function extreme(
  name: "min" | "max",
  sentence: string,
  wins: (order: number) => boolean,
): FunctionDefinition {
  return {
    name,
    form: "function",
    deterministic: true,
    takesNulls: true,
    sentence,
    example: `${name}(this.stock, body.count)`,
    types: (given) => unordered(given),
    signatures: [
      signature(
        [any, any],
        (given, words) => given.reduce((left, right) => join(left, right, words)),
        (args, _frame, given) => pick(args, given, wins),
        { variadic: true },
      ),
    ],
  };
}

function unordered(given: readonly Type[]): LiteralMistake | undefined {
  const argument = given.findIndex((type) => !isOrdered(type));
  if (argument !== -1)
    return { argument, expected: "a value with an order, such as a number, a text or a time" };
  const first = given.findIndex((type) => !isOpen(type));
  const differing = given.findIndex(
    (type, at) => at > first && !isOpen(type) && !sameOrder(type, given[first] as Type),
  );
  return differing === -1 ? undefined : { argument: differing, expected: describeType(given[first] as Type) };
}

function sameOrder(a: Type, b: Type): boolean {
  const family = (type: Type) =>
    ["integer", "number", "decimal"].includes(type.kind) ? "number" : isText(type) ? "string" : type.kind;
  return family(a) === family(b);
}

function pick(args: readonly Value[], given: readonly Type[], wins: (order: number) => boolean): Value {
  let best: Value = null;
  let bestType: Type = any;
  for (const [at, value] of args.entries()) {
    if (value === null || value === undefined) continue;
    const type = given[at] ?? any;
    const order = best === null ? undefined : compareValues(value, best, type, bestType);
    if (best === null || (order !== undefined && wins(order))) {
      best = value;
      bestType = type;
    }
  }
  return best;
}
