/** Column codecs: how values of a column are written to SQLite and read from it. */
import type { Value } from "../../../expressions/value.ts";
import { inShape } from "../../json-shape.ts";
import { type Decode, type Encode, readJson } from "../../sql/form.ts";
import type { KeyOf } from "../../rows/keys.ts";
import type { Column, Storage } from "../../table.ts";
import type { SqlValue } from "../../sql/sql-value.ts";

/** @param keyOf returns the key of a referenced record */
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

/** A reference may be given as the record itself; its key is stored. */
function referenceEncoder(resource: string, keyOf: KeyOf): Encode {
  return (value) => {
    if (typeof value !== "object" || value === null) return encodePlain(value);
    return encodePlain(keyOf(resource, value as { readonly [field: string]: Value }));
  };
}

/** The decoder of a column's stored values. */
export function decoderOf(storage: Storage): Decode {
  switch (storage) {
    case "boolean":
      return (stored) => (stored === null ? null : stored === 1);
    case "json":
      return (stored) => (stored === null ? null : readJson(stored as string));
    default:
      return (stored) => stored as Value;
  }
}
