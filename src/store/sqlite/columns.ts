/** How one column's values go into SQLite and come out again. */
import type { SQLInputValue, SQLOutputValue } from "node:sqlite";
import type { Value } from "../../expressions/value.ts";
import { inShape } from "../json-shape.ts";
import { readJson } from "../sql/form.ts";
import type { Column, Storage } from "../tables.ts";

/** The type of a column of a STRICT table. */
export function columnType(storage: Storage): "TEXT" | "INTEGER" | "REAL" {
  switch (storage) {
    case "integer":
    case "boolean":
    case "duration":
      return "INTEGER";
    case "number":
      return "REAL";
    default:
      return "TEXT";
  }
}

export type Encode = (value: Value | undefined) => SQLInputValue;
export type Decode = (stored: SQLOutputValue) => Value;

/** @param identifierOf the identifying fields of a resource that is referred to */
export function encoderOf(column: Column, identifierOf: (resource: string) => readonly string[]): Encode {
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
      return referenceEncoder(identifierOf(column.refersTo.resource)[0] as string);
  }
}

function encodePlain(value: Value | undefined): SQLInputValue {
  return value === undefined ? null : (value as SQLInputValue);
}

/** Where a record is given for a reference, its identifier is meant. */
function referenceEncoder(identifier: string): Encode {
  return (value) => {
    if (typeof value !== "object" || value === null) return encodePlain(value);
    return encodePlain((value as { readonly [field: string]: Value })[identifier]);
  };
}

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
