/**
 * Members of every record in addition to its fields: `this.revision`, and `this.deleted` where
 * records are marked. A field of that name takes precedence.
 */
import type { ResourceWords } from "./scope.ts";
import { type Type, types } from "./type.ts";

export interface RecordMember {
  /** Its column in the store, and its key in a loaded record. */
  readonly column: "#revision" | "#deleted";
  readonly type: Type;
}

const revision: RecordMember = { column: "#revision", type: types.integer };
const deleted: RecordMember = { column: "#deleted", type: types.boolean };

/** The member with that name; undefined if the resource has none, or a field of that name. */
export function recordMember(resource: ResourceWords, name: string): RecordMember | undefined {
  if (resource.isValue || resource.fields.has(name)) return undefined;
  if (name === "revision") return revision;
  return name === "deleted" && resource.deletedMarked ? deleted : undefined;
}
