/** Column codecs: how values of a column are written to PostgreSQL and read from it. */
import type { Value } from "../../../expressions/value.ts";
import { inShape } from "../../json-shape.ts";
import { type Decode, type Encode, type Form, readJson } from "../../sql/form.ts";
import type { KeyOf } from "../../rows/keys.ts";
import { codePoints, decoderOfForm, encoderOfForm } from "./forms.ts";
import type { Column, Storage } from "../../table.ts";

/**
 * The SQL type of a column.
 *
 * Decimals are stored as text, to keep trailing zeros. JSON is `json`, because `jsonb` would
 * reorder keys and reformat numbers.
 */
export function columnType(storage: Storage): string {
  switch (storage) {
    case "integer":
    case "duration":
      return "bigint";
    case "number":
      return "double precision";
    case "boolean":
      return "boolean";
    case "timestamp":
      return "timestamptz(3)";
    case "date":
      return "date";
    case "json":
      return "json";
    default:
      return `text ${codePoints}`;
  }
}

/** @param keyOf returns the key of a referenced record */
export function encoderOf(column: Column, keyOf: KeyOf): Encode {
  if (column.storage === "json") {
    const { shape } = column;
    return (value) => (value === null || value === undefined ? null : JSON.stringify(inShape(value, shape)));
  }
  const encode = encoderOfForm(column.storage satisfies Form);
  const resource = column.refersTo?.resource;
  if (resource === undefined) return encode;
  // A reference may be given as the record itself; its key is stored.
  return (value) =>
    typeof value === "object" && value !== null
      ? encode(keyOf(resource, value as { readonly [field: string]: Value }))
      : encode(value);
}

/** The decoder of a column's stored values. */
export function decoderOf(storage: Storage): Decode {
  if (storage !== "json") return decoderOfForm(storage);
  return (stored) => (stored === null || stored === undefined ? null : readJson(String(stored)));
}
