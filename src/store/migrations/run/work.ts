/** What the parts of making one stored change share. */
import type { ChangedTables } from "../plan/changed-tables.ts";
import { type KeyOf, keysOf } from "../../rows/keys.ts";
import type { ChangeWords } from "./words.ts";
import { machine } from "../../../support/machine.ts";

export interface Work {
  readonly changed: ChangedTables;
  readonly words: ChangeWords;
  /** A timestamp: one for all records. */
  readonly now: string;
  /** Keys of records as they were before the step, and as they are after it. */
  readonly keyBefore: KeyOf;
  readonly keyAfter: KeyOf;
  /** Told how many records were read, some at a time. */
  readonly onRecords: (count: number) => void;
}

export function workOf(
  changed: ChangedTables,
  words: ChangeWords,
  onRecords: Work["onRecords"] = () => {},
): Work {
  return {
    changed,
    words,
    now: new Date(machine.now()).toISOString(),
    keyBefore: keysOf(changed.before.tables),
    keyAfter: keysOf(changed.after.tables),
    onRecords,
  };
}
