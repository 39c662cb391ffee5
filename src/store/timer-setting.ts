/**
 * Rules of timers, and the setting `timers RESOURCE`: with which rules the timers of a resource were
 * set.
 */
import type { Resource } from "../model/model.ts";

/** A timed rule of the document: its time, and the states in which it applies. */
export interface TimerRule {
  readonly transition: string;
  readonly end: number;
  readonly from: readonly string[] | "any";
  readonly afterMs?: number;
  /** The field of its time. */
  readonly at?: string;
}

/** Replaces the transition's name in a retention timer; no transition can have this name. */
export const retentionTimer = "#kept";

/** The rules of a resource's timed transitions, in document order, and of the time that its records are kept. */
export function timerRulesOf({ states, kept }: Pick<Resource, "states" | "kept">): readonly TimerRule[] {
  const transitions = (states?.transitions ?? []).flatMap(({ name, ends }) =>
    ends.flatMap(({ trigger, from }, end): TimerRule[] => {
      if (trigger.kind === "after") return [{ transition: name, end, from, afterMs: trigger.milliseconds }];
      return trigger.kind === "at" ? [{ transition: name, end, from, at: trigger.field }] : [];
    }),
  );
  if (!kept) return transitions;
  const { after, milliseconds } = kept;
  return [
    ...transitions,
    { transition: retentionTimer, end: 0, from: "any", at: after, afterMs: milliseconds },
  ];
}

export interface TimerSetting {
  readonly rules: readonly TimerRule[];
  /**
   * Present while timers are set: the last processed record, and the rules or the setting of those
   * after it.
   */
  readonly before?: readonly TimerRule[] | TimerSetting;
  readonly row?: number;
  /** Absent if a stored change may have changed the values of guards. */
  readonly guards?: TimerGuards;
  /** Set by a stored change: it created the records after this one, and they have no timers yet. */
  readonly lastRow?: number;
  /** Set by a stored change: it marked the timers of records whose time or state it changed. */
  readonly hasMarked?: true;
}

/** The guards of the rules. If they change, timers that wait for their guard are due again. */
export interface TimerGuards {
  readonly digest: string;
  /** The resources that they read. */
  readonly reads: readonly string[];
}

/** The records after one row up to another, and the rules with which their timers were set. */
interface Stage {
  readonly after: number;
  readonly upTo: number;
  readonly rules: readonly TimerRule[];
}

/** More than one if a start was stopped while it set timers. */
export function stagesOf({ rules, row, before = [] }: TimerSetting, after = 0): readonly Stage[] {
  if (row === undefined) return [{ after, upTo: Number.MAX_SAFE_INTEGER, rules }];
  const rest = "rules" in before ? before : { rules: before };
  return [{ after, upTo: row, rules }, ...stagesOf(rest, Math.max(after, row))];
}

/** The due time of marked timers, which have to be set again. No timer is ever due then. */
export const markedDue = Number.MAX_SAFE_INTEGER;
