/**
 * State changes: publishes, after the commit, which states records leave and enter, for requests
 * and timed transitions. It costs nothing without listeners. Changes by the operator or by seeds
 * are not published. So a listener that counts must recount when a commit signals a change.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Journal } from "../evaluation/journal.ts";
import type { ResourcePlan } from "./resource-plan.ts";

/** A record whose state changed, or that was created or deleted. */
export interface StateChange {
  readonly resource: string;
  /** Null if it was created. */
  readonly from: string | null;
  /** Null if it was deleted. */
  readonly to: string | null;
}

/** A fired transition; the states are null if the resource has no state field. */
export interface FiredTransition extends StateChange {
  readonly transition: string;
}

export interface StateChangeReport {
  /** A change for each record whose state changed. */
  readonly changes: readonly StateChange[];
  /** Each fired transition, in order. */
  readonly transitions: readonly FiredTransition[];
  /** The journals, if timed transitions caused the changes; otherwise empty. */
  readonly timed: readonly Journal[];
}

export interface StateChanges {
  listen(listener: (report: StateChangeReport) => void): () => void;
  readonly hasListeners: boolean;
  /**
   * Publishes the changes of committed transactions.
   * @param isTimed a timed transition caused them, not a request
   */
  publish(journals: readonly Journal[], isTimed?: boolean): void;
}

export function createStateChanges(resource: (name: string) => ResourcePlan): StateChanges {
  const listeners = new Set<(report: StateChangeReport) => void>();
  const stateOf = (name: string, record: RecordValue | null): string | null => {
    const field = resource(name).machine?.field;
    const state = record && field !== undefined && record["#deleted"] !== true ? record[field] : null;
    return typeof state === "string" ? state : null;
  };
  const report = (journals: readonly Journal[], isTimed: boolean): StateChangeReport => {
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
    return { changes, transitions, timed: isTimed ? journals : [] };
  };
  return {
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    get hasListeners() {
      return listeners.size > 0;
    },
    publish(journals, isTimed = false) {
      if (listeners.size === 0) return;
      const all = report(journals, isTimed);
      if (all.changes.length + all.transitions.length === 0) return;
      for (const listener of listeners) listener(all);
    },
  };
}
