/** The shared context of applying one stored change. */
import type { ChangedTables } from "../plan/changed-tables.ts";
import { type KeyOf, keysOf } from "../../rows/keys.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { machine } from "../../../support/machine.ts";

export interface ChangeWork {
  readonly changed: ChangedTables;
  readonly words: MigrationDialect;
  /** One timestamp for all records. */
  readonly now: string;
  /** Keys of records before and after the step. */
  readonly keyBefore: KeyOf;
  readonly keyAfter: KeyOf;
  /** Called with the number of records read since the last call. */
  readonly onRecords: (count: number) => void;
}

export function createChangeWork(
  changed: ChangedTables,
  words: MigrationDialect,
  onRecords: ChangeWork["onRecords"] = () => {},
  now = new Date(machine.now()).toISOString(),
): ChangeWork {
  return {
    changed,
    words,
    now,
    keyBefore: keysOf(changed.before.tables),
    keyAfter: keysOf(changed.after.tables),
    onRecords,
  };
}
