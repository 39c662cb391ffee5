/**
 * Which states records leave and come to, told when it is committed: of what requests have changed and of what time has brought. It costs
 * nothing while nobody listens. What else changes records (an operator's hand, a seed) is not told here: whoever counts counts again when a
 * commit says that something has changed.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Journal } from "../evaluation/journal.ts";
import type { ResourcePlan } from "./resource-plan.ts";

/** A record that is in another state than before, or was made or deleted. */
export interface StateChange {
  readonly resource: string;
  /** Null where it was made. */
  readonly from: string | null;
  /** Null where it was deleted. */
  readonly to: string | null;
}

/** A transition that was taken; of resources without a state field the states are null. */
export interface FiredTransition extends StateChange {
  readonly transition: string;
}

export interface StateChangeReport {
  /** One for each record whose state is another one now. */
  readonly changes: readonly StateChange[];
  /** One for each transition that was taken, in order. */
  readonly transitions: readonly FiredTransition[];
}

export interface StateChanges {
  listen(listener: (report: StateChangeReport) => void): () => void;
  readonly hasListeners: boolean;
  /** Of transactions that are committed. */
  publish(journals: readonly Journal[]): void;
}

export function createStateChanges(resource: (name: string) => ResourcePlan): StateChanges {
  const listeners = new Set<(report: StateChangeReport) => void>();
  const stateOf = (name: string, record: RecordValue | null): string | null => {
    const field = resource(name).machine?.field;
    const state = record && field !== undefined && record["#deleted"] !== true ? record[field] : null;
    return typeof state === "string" ? state : null;
  };
  const report = (journals: readonly Journal[]): StateChangeReport => {
    const changes: StateChange[] = [];
    const transitions: FiredTransition[] = [];
    for (const { touched, occurrences } of journals) {
      for (const { resource, before, after } of touched) {
        const [from, to] = [stateOf(resource, before), stateOf(resource, after)];
        if (from !== to) changes.push({ resource, from, to });
      }
      for (const { kind, name, touched, old, now } of occurrences) {
        if (kind !== "transition" || name === undefined) continue;
        const { resource } = touched;
        transitions.push({
          resource,
          transition: name,
          from: stateOf(resource, old),
          to: stateOf(resource, now),
        });
      }
    }
    return { changes, transitions };
  };
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get hasListeners() {
      return listeners.size > 0;
    },
    publish(journals) {
      if (listeners.size === 0) return;
      const all = report(journals);
      if (all.changes.length + all.transitions.length === 0) return;
      for (const listener of listeners) listener(all);
    },
  };
}
