/**
 * A caller as expressions see them. Where callers are records of several resources (part 5), the record says of which: two of them may
 * have the same place in the order of making, or the same identifier.
 */
import type { RecordValue, Value } from "../../expressions/value.ts";
import { hasSeveralCallers } from "../../model/caller-type.ts";
import type { Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { isRecord } from "../evaluation/context.ts";

const hasSeveral = memoizeBy(hasSeveralCallers);

/** The record with its resource, where that is in question. */
export function asCaller(model: Model, resource: string | undefined, record: Value): Value {
  if (resource === undefined || !isRecord(record) || !hasSeveral(model)) return record;
  return { ...record, "#resource": resource };
}

/** A text that is another one for every caller. */
export function callerKey(caller: RecordValue): string {
  const resource = caller["#resource"];
  return typeof resource === "string" ? `${resource} ${caller["#row"]}` : String(caller["#row"]);
}
