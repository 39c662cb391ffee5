/** The setting `timers RESOURCE`: with which rules the timers of a resource were set. */

/** A timed rule of the document: its time, and the states in which it applies. */
export interface TimerRule {
  readonly transition: string;
  readonly end: number;
  readonly from: readonly string[] | "any";
  readonly afterMs?: number;
  /** The field of its time. */
  readonly at?: string;
}

export interface TimerSetting {
  readonly rules: readonly TimerRule[];
  /** Present while timers are set: the previous rules, and the last processed record. */
  readonly before?: readonly TimerRule[];
  readonly row?: number;
  /** Set by a stored change: it created the records after this one, and they have no timers yet. */
  readonly lastRow?: number;
  /** Set by a stored change: it marked the timers of records whose time or state it changed. */
  readonly hasMarked?: true;
}

/** The due time of marked timers, which have to be set again. No timer is ever due then. */
export const markedDue = Number.MAX_SAFE_INTEGER;
