/** How one column's values go into a database and come out again. */
import { keyText } from "../../expressions/key.ts";
import type { Value } from "../../expressions/value.ts";
import { inShape } from "../json-shape.ts";
import { readJson } from "../sql/form.ts";
import type { SqlValue } from "../sql/fragment.ts";
import type { Column, Storage, Table } from "../tables.ts";

export type Encode = (value: Value | undefined) => SqlValue;
export type Decode = (stored: unknown) => Value;

/** @param keyOf makes the key of a record of a resource that is referred to */
export function encoderOf(column: Column, keyOf: KeyOf): Encode {
  switch (column.storage) {
    case "boolean":
      return (value) => (value === null || value === undefined ? null : value ? 1 : 0);
    case "json": {
      const { shape } = column;
      return (value) =>
        value === null || value === undefined ? null : JSON.stringify(inShape(value, shape));
    }
    default:
      if (!column.refersTo) return encodePlain;
      return referenceEncoder(column.refersTo.resource, keyOf);
  }
}

function encodePlain(value: Value | undefined): SqlValue {
  return value === undefined ? null : (value as SqlValue);
}

/** The key of a record: what it is referred to by. */
export type KeyOf = (resource: string, record: { readonly [field: string]: Value }) => Value;

/** Where a record is given for a reference, its key is meant. */
function referenceEncoder(resource: string, keyOf: KeyOf): Encode {
  return (value) => {
    if (typeof value !== "object" || value === null) return encodePlain(value);
    return encodePlain(keyOf(resource, value as { readonly [field: string]: Value }));
  };
}

/** Makes the keys of the records of some tables. */
export function keysOf(tables: readonly Table[]): KeyOf {
  const named = new Map(tables.map((table) => [table.name, table]));
  const keyOf: KeyOf = (resource, record) => {
    const table = named.get(resource);
    const values = (table?.identifier ?? []).map((name): Value => {
      const value = record[name] ?? null;
      const target = table?.columns.find((column) => column.name === name)?.refersTo?.resource;
      const isRecord = typeof value === "object" && value !== null && target !== undefined;
      return isRecord ? keyOf(target, value as { readonly [field: string]: Value }) : value;
    });
    return table?.key ? keyText(values, table.key) : (values[0] ?? null);
  };
  return keyOf;
}

export function decoderOf(storage: Storage): Decode {
  switch (storage) {
    case "boolean":
      return (stored) => (stored === null ? null : stored === 1 || stored === true);
    case "json":
      return (stored) => (stored === null ? null : readJson(stored as string));
    default:
      return (stored) => stored as Value;
  }
}
