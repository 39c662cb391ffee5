/** Which columns can take the stored values of others, because the values keep their meaning. */
import { formedTexts } from "../../../expressions/type.ts";
import { isSameForm, isStoredAsSent } from "../../json-shape.ts";
import { jointKeyColumn } from "../../tables.ts";
import type { Column, Storage } from "../../table.ts";

/**
 * Storage changes that keep every value, and texts that can represent any value. Numbers and
 * durations are none of them: the store counts milliseconds, the notation seconds.
 */
const widenings: ReadonlySet<string> = new Set<`${Storage} ${Storage}`>([
  "integer number",
  "timestamp text",
  "date text",
  "decimal text",
]);

const looseTexts: ReadonlySet<string> = new Set(["string", "state", ...formedTexts]);

/** Whether the values of a column can be read as those of another, without a stored change. */
export function isConvertible(old: Column, column: Column): boolean {
  if (old.storage !== column.storage)
    return widenings.has(`${old.storage} ${column.storage}`) && !old.sentOtherwise;
  if (old.storage === "json") {
    if (old.shape && column.shape && !isSameForm(old.shape, column.shape)) return false;
    if (old.form === column.form) return true;
    return column.form === "json" && !old.sentOtherwise && isStoredAsSent(old.form, old.shape);
  }
  // Clients get a joint key as an object.
  if (isJointKey(old) ? !column.refersTo : isJointKey(column) && !old.refersTo) return false;
  if (old.type === column.type) return true;
  // A secret's hash is not a text, and a text is not a hash. Other texts can be converted, because
  // their types only validate input.
  const isSecret = (type: string): boolean => type === "password" || type === "credential";
  if (isSecret(old.type) || isSecret(column.type)) return false;
  return (
    column.values !== undefined ||
    column.refersTo !== undefined ||
    looseTexts.has(column.type) ||
    old.storage !== "text"
  );
}

function isJointKey({ refersTo }: Column): boolean {
  return refersTo?.field === jointKeyColumn;
}
