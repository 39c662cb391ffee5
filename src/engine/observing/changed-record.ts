/** Changed records: what one transaction did to records, computed from its journal on demand. */
import type { RecordValue } from "../../expressions/value.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Journal, TouchedRecord } from "../evaluation/journal.ts";

/** A record that a transaction has changed, from before it to after it. */
export interface ChangedRecord {
  readonly resource: string;
  readonly row: number;
  readonly id: string;
  readonly kind: "created" | "updated" | "deleted";
  /** The transitions that it has gone through, in order. */
  readonly transitions: readonly TakenTransition[];
}

export interface TakenTransition {
  readonly name: string;
  /** The states; null where the resource has no state field, and for `to` where its effects have deleted the record. */
  readonly from: string | null;
  readonly to: string | null;
}

/** What it has touched, without what was made and deleted at once, and what an event was only sent about. */
export function changedIn({ touched }: Journal): readonly TouchedRecord[] {
  return touched.filter(({ before, after }) => before !== after);
}

/** The records that it has changed, in the order in which that was done. @param most how many of them */
export function changesIn(context: PlanContext, journal: Journal, most: number): readonly ChangedRecord[] {
  return changedIn(journal)
    .slice(0, most)
    .map((touched) => changedRecord(context, journal, touched));
}

function changedRecord(context: PlanContext, journal: Journal, touched: TouchedRecord): ChangedRecord {
  const { resource, row, before, after } = touched;
  const plan = context.resource(resource);
  const field = plan.machine?.field;
  const stateIn = (one: RecordValue | null): string | null => {
    const state = one && field !== undefined ? one[field] : null;
    return typeof state === "string" ? state : null;
  };
  const transitions = journal.occurrences.flatMap((one) =>
    one.touched === touched && one.kind === "transition"
      ? [{ name: one.name as string, from: stateIn(one.old), to: stateIn(one.now) }]
      : [],
  );
  const kind = before === null ? "created" : after === null ? "deleted" : "updated";
  return { resource, row, id: plan.nameOf((after ?? before) as RecordValue), kind, transitions };
}
