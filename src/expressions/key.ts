/**
 * Record keys: the value by which references are stored and compared. A single identifying field is
 * the key itself. For several fields it is one text, the JSON list of their values, in which a
 * reference to such a record is a nested list:
 *
 *   Issue, number within its repository   ["ada/engine",7]
 *   Comment, number within its issue      [["ada/engine",7],1]
 *
 * So a reference is one value everywhere. A key never changes, because identifying fields don't.
 */
import { lowerAscii } from "./text.ts";
import type { Value } from "./value.ts";

/**
 * Form of one identifying value in a key: unchanged, in lower case if it is compared without case,
 * and a key as its list.
 */
export type KeyForm = "plain" | "folded" | "key";

/** The parts of a resource that determine its keys. */
export interface Identified {
  readonly identifier: readonly string[];
  field(name: string): IdentifyingField | undefined;
}

export interface IdentifyingField {
  /** The resource that the field refers to. */
  readonly refersTo?: string | undefined;
  readonly anyCase: boolean;
}

/**
 * Form of a resource's identifying fields in its keys, in their order. For a single one: its form
 * in keys that contain it.
 */
export function keyForms(
  resource: string,
  named: (resource: string) => Identified | undefined,
): readonly KeyForm[] {
  const found = named(resource);
  return (found?.identifier ?? []).map((name) => formOf(found?.field(name), named, [resource]));
}

function formOf(
  field: IdentifyingField | undefined,
  named: (resource: string) => Identified | undefined,
  seen: readonly string[],
): KeyForm {
  if (field?.anyCase) return "folded";
  const target = field?.refersTo;
  // Identifiers in a cycle have no value.
  if (target === undefined || seen.includes(target)) return "plain";
  const found = named(target);
  const [only, ...others] = found?.identifier ?? [];
  if (others.length > 0) return "key";
  return only === undefined ? "plain" : formOf(found?.field(only), named, [...seen, target]);
}

/** The key of several identifying values. Null if one of them is missing. */
export function keyText(values: readonly Value[], forms: readonly KeyForm[]): string | null {
  if (values.some((value) => value === null || value === undefined)) return null;
  return `[${values.map((value, at) => partText(value, forms[at] as KeyForm)).join(",")}]`;
}

function partText(value: Value, form: KeyForm): string {
  if (typeof value !== "string" || form === "plain") return JSON.stringify(value);
  return form === "key" ? value : JSON.stringify(lowerAscii(value));
}

/**
 * The values of a key. A nested key stays a key. Undefined if the text is not a key, because the changes of an older
 * version may produce any text.
 */
export function keyParts(key: string): readonly Value[] {
  return readList(key).map((part) => (typeof part === "object" ? JSON.stringify(part) : part));
}

/** All single values of a key, including those of nested keys, in order. */
export function keyLeaves(key: string): readonly Value[] {
  const leaves = (part: Value): readonly Value[] => (Array.isArray(part) ? part.flatMap(leaves) : [part]);
  return leaves(readList(key));
}

function readList(key: string): readonly Value[] {
  try {
    const list = JSON.parse(key) as Value;
    return Array.isArray(list) ? list : [];
  } catch {
    return [];
  }
}
