/**
 * Keys of a description that say nothing about behaviour: `x-…`, `externalDocs` and `title`. Those of
 * an operation are kept as `Extensions`, and an export gives them back. All others are counted.
 */
import type { Draft } from "./draft.ts";
import type { Operation } from "../description/operations.ts";
import { isPlain, type Plain, textOf } from "../description/values.ts";
import { hasMeanings, type Writing } from "./context.ts";

/** Maximum number of characters of the kept keys of an operation. */
const lengthMax = 2000;
/** Maximum number of values in a kept key. An alias of YAML may stand for any number of them. */
const valuesMax = 300;
const depthMax = 16;

/** The `Extensions` of an operation, and the names of the keys that are too long for them. */
export function extensionsOf(
  { detail, refusals }: Writing,
  { id, node }: Operation,
): { readonly item: string | undefined; readonly left: readonly string[]; readonly kept: number } {
  const keys = Object.keys(node).filter(isKeptKey);
  const kept: Record<string, unknown> = {};
  const left: string[] = [];
  let length = 0;
  for (const key of keys) {
    const text = isSmall(node[key]) ? (JSON.stringify(node[key]) ?? "null") : undefined;
    length += key.length + (text?.length ?? lengthMax);
    const isLeft = length > lengthMax || !hasMeanings(detail) || refusals.has(`extensions ${id}`);
    if (isLeft || text === undefined || (key === "externalDocs" && !hasUrl(node[key]))) left.push(key);
    else kept[key] = node[key];
  }
  const count = Object.keys(kept).length;
  return { item: count === 0 ? undefined : `- Extensions: \`${codeText(kept)}\``, left, kept: count };
}

function isKeptKey(key: string): boolean {
  return key === "externalDocs" || (/^x-[\w.-]+$/.test(key) && !key.startsWith("x-ninefold-"));
}

function hasUrl(value: unknown): boolean {
  return isPlain(value) && textOf(value["url"]) !== undefined;
}

/** JSON without characters that would end a code span, or a text in it. */
function codeText(value: unknown): string {
  return JSON.stringify(value).replaceAll("`", "\\u0060").replaceAll('\\"', "\\u0022");
}

function isSmall(value: unknown): boolean {
  let values = 0;
  const isBounded = (inner: unknown, depth: number): boolean => {
    values += 1;
    if (values > valuesMax || depth > depthMax) return false;
    if (typeof inner !== "object" || inner === null) return true;
    return Object.values(inner).every((element) => isBounded(element, depth + 1));
  };
  return isBounded(value, 0);
}

/** How often the file has such a key elsewhere, by the key and its place. */
export type LeftKeys = ReadonlyMap<string, number>;

const methods: ReadonlySet<string> = new Set([
  "get",
  "put",
  "post",
  "delete",
  "options",
  "head",
  "patch",
  "trace",
  "query",
]);

/** What the members of an object are. */
const placesBelow: ReadonlyMap<string, string> = new Map([
  ["properties", "properties"],
  ["parameters", "parameters"],
  ["schemas", "schemas"],
  ["definitions", "schemas"],
  ["schema", "schemas"],
  ["responses", "responses"],
  ["info", "the description"],
]);

/** The keys of the entry file that are kept nowhere. */
export function leftKeysOf(first: Plain): LeftKeys {
  const counts = new Map<string, number>();
  const seen = new Set<object>();
  const note = (key: string, place: string): void => {
    const what = `${key} of ${place}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  };
  const walk = (node: unknown, place: string, isNamed: boolean): void => {
    if (typeof node !== "object" || node === null || seen.has(node)) return;
    seen.add(node);
    if (Array.isArray(node)) {
      for (const element of node) walk(element, place, false);
      return;
    }
    for (const [key, value] of Object.entries(node)) {
      if (!isNamed && key.startsWith("x-")) {
        if (!key.startsWith("x-ninefold-") && place !== "operations") note(key, place);
        continue;
      }
      if (!isNamed && key === "externalDocs" && place !== "operations") note(key, place);
      if (!isNamed && key === "title" && typeof value === "string" && place !== "the description")
        note(key, place);
      if (!isNamed && /^(example|examples|default|enum|const)$/.test(key)) continue;
      const below = isNamed ? undefined : placesBelow.get(key);
      const isMap = below !== undefined && key !== "schema" && key !== "info" && !Array.isArray(value);
      const isOperation = place === "paths" && methods.has(key);
      walk(value, isOperation ? "operations" : (below ?? (key === "paths" ? "paths" : place)), isMap);
    }
  };
  walk(first, "the description", false);
  return counts;
}

export function writeLeftKeys(draft: Draft, left: LeftKeys): void {
  const texts = [...left].map(([what, count]) => (count === 1 ? what : `${count} × ${what}`));
  draft.comment("keys that are not kept", texts, "notes");
  const total = [...left.values()].reduce((sum, count) => sum + count, 0);
  draft.count("notes", "comment", total - texts.length);
}
