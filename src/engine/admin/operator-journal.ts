/**
 * Operator journal: the last changes of records that no request made, for the history of these
 * records. These are changes by operators, and by timed transitions. The journal is in memory, like
 * the journal of requests.
 */
import { memoizeBy } from "../../support/memoize-by.ts";
import { type ChangedRecord, recordChanges } from "../observability/changed-record.ts";
import type { Journal } from "../evaluation/journal.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Service } from "../service.ts";

/** A record that was changed, directly or as a consequence. */
export interface JournalChange extends ChangedRecord {
  readonly timeMs: number;
  /** The sequences of the events that the change emitted. */
  readonly events: readonly number[];
}

export const operatorLimits = {
  /** Maximum number of changed records in the journal. */
  changesMax: 5_000,
  /** Maximum number of changed records of one timed transaction: thousands may be due at once. */
  timedMax: 200,
} as const;

export interface ChangeJournal {
  note(journal: Journal, timeMs: number): void;
  /** Returns the changes of a record, newest first. */
  of(resource: string, row: number): readonly JournalChange[];
  hasCaused(event: number): boolean;
}

export const operatorJournal = memoizeBy(({ context }: Service["internals"]) =>
  createChangeJournal(context, operatorLimits.changesMax),
);

/** The journal of timed transitions, recorded from the first access on. */
export const timedJournal = memoizeBy(({ context }: Service["internals"]): ChangeJournal => {
  const journal = createChangeJournal(context, operatorLimits.timedMax);
  context.stateChanges.listen(({ timed }) => {
    for (const timedChange of timed) journal.note(timedChange, context.ports.clock.now());
  });
  return journal;
});

/** @param max maximum number of changed records of one transaction */
function createChangeJournal(context: PlanContext, max: number): ChangeJournal {
  let all: readonly JournalChange[] = [];
  return {
    note(journal, timeMs) {
      const { events } = journal;
      const changes = recordChanges(context, journal, max).map((change) => ({
        ...change,
        timeMs,
        events,
      }));
      all = [...changes.toReversed(), ...all].slice(0, operatorLimits.changesMax);
    },
    of: (resource, row) => all.filter((change) => change.resource === resource && change.row === row),
    hasCaused: (event) => all.some(({ events }) => events.includes(event)),
  };
}
