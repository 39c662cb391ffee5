/**
 * Callers in expressions: if callers are records of several resources (part 5), the record states
 * its resource, because two of them may have the same row number or identifier.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasSeveralCallers } from "../../model/authentication/caller-type.ts";
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { isRecord } from "../evaluation/context.ts";

const hasSeveral = memoizeBy(hasSeveralCallers);

/** Marks the record with its resource if callers can belong to several. */
export function toCallerRecord(model: Model, resource: string | undefined, record: Value): Value {
  if (resource === undefined || !isRecord(record) || !hasSeveral(model)) return record;
  return { ...record, "#resource": resource };
}

/** Returns a text that is unique for each caller. */
export function callerKey(caller: RecordValue): string {
  const resource = caller["#resource"];
  return typeof resource === "string" ? `${resource} ${caller["#row"]}` : String(caller["#row"]);
}
