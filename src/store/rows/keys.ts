/** Keys of records, by which references refer to them. */
import { keyText, keyLeaves } from "../../expressions/key.ts";
import { isObject, type Value } from "../../expressions/value.ts";
import { keyLimits } from "../store.ts";
import type { Table } from "../table.ts";

/** Whether a key exceeds the maximum length. */
export function isKeyTooLong(key: Value): boolean {
  return typeof key === "string" && Buffer.byteLength(key) > keyLimits.bytesMax;
}

/** Returns the key of a record. */
export type KeyOf = (resource: string, record: { readonly [field: string]: Value }) => Value;

/** Creates the function for the keys of some tables' records. */
export function keysOf(tables: readonly Table[]): KeyOf {
  const named = new Map(tables.map((table) => [table.name, table]));
  const keyOf: KeyOf = (resource, record) => {
    const table = named.get(resource);
    const values = (table?.identifier ?? []).map((name): Value => {
      const value = record[name] ?? null;
      const target = table?.columns.find((column) => column.name === name)?.refersTo?.resource;
      return target !== undefined && isObject(value) ? keyOf(target, value) : value;
    });
    return table?.key ? keyText(values, table.key) : (values[0] ?? null);
  };
  return keyOf;
}

/**
 * Whether no URL can contain the key. `.` and `..` name folders in a path (RFC 3986, section
 * 5.2.4), and an empty key is no segment. Each part of a key with several fields has its own
 * segment.
 */
export function isUnreachable(key: Value, parts: number): boolean {
  if (typeof key !== "string") return false;
  return parts > 1 ? keyLeaves(key).some(isDots) : key === "" || isDots(key);
}

function isDots(value: Value): boolean {
  return value === "." || value === "..";
}
