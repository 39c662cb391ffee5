/**
 * The last changes that operators made to a service's records, for the history of these records; in
 * memory, like the journal of requests.
 */
import { memoizeBy } from "../../support/memoize-by.ts";
import { type ChangedRecord, changesIn } from "../observing/changed-record.ts";
import type { Journal } from "../evaluation/journal.ts";
import type { Service } from "../service.ts";

/** One record that an operator has changed, or that was changed as a consequence. */
export interface OperatorChange extends ChangedRecord {
  readonly timeMs: number;
  /** The sequences of the events of that change. */
  readonly events: readonly number[];
}

export const operatorLimits = {
  /** The number of changed records that are remembered. */
  changesMax: 5_000,
} as const;

export interface OperatorJournal {
  note(journal: Journal, timeMs: number): void;
  /** Newest first. */
  of(resource: string, row: number): readonly OperatorChange[];
  hasCaused(event: number): boolean;
}

export const operatorJournal = memoizeBy(({ context }: Service["internals"]): OperatorJournal => {
  let all: readonly OperatorChange[] = [];
  return {
    note(journal, timeMs) {
      const { events } = journal;
      const changes = changesIn(context, journal, operatorLimits.changesMax).map((change) => ({
        ...change,
        timeMs,
        events,
      }));
      all = [...changes.toReversed(), ...all].slice(0, operatorLimits.changesMax);
    },
    of: (resource, row) =>
      all.filter((operatorChange) => operatorChange.resource === resource && operatorChange.row === row),
    hasCaused: (event) => all.some(({ events }) => events.includes(event)),
  };
});
