/**
 * Callers in expressions: the record states its resource, because callers may be records of several
 * resources (part 5), and two of them may have the same row number or identifier.
 */
import type { Type } from "../../expressions/type.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { isRecord } from "../evaluation/context.ts";

/** Marks the record with its resource. */
export function toCallerRecord(resource: string | undefined, record: Value): Value {
  if (resource === undefined || !isRecord(record)) return record;
  return { ...record, "#resource": resource };
}

/**
 * Returns a text that is unique for each record, such as `User 1`. It always has the resource: a
 * later document may have callers of another one.
 * @param type of the expression that found the record, if it isn't `caller`
 */
export function recordKey(record: RecordValue, type?: Type): string {
  const resource = record["#resource"] ?? (type?.kind === "record" ? type.resource : "");
  return `${String(resource)} ${record["#row"]}`;
}
