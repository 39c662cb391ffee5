/**
 * Maps plain records that a handler received to stored records, so that it can change, refer to
 * and return them. Kept for one run of one handler.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { PlainRecord } from "../handler-module.ts";

export interface KnownRecord {
  readonly resource: string;
  readonly row: number;
  readonly identifier: Json;
  /** As it was when it was removed: it stays readable for the answer. */
  removed?: RecordValue;
}

export interface KnownRecords {
  add(plain: PlainRecord, known: KnownRecord): void;
  find(plain: unknown): KnownRecord | undefined;
}

export function createKnownRecords(): KnownRecords {
  const known = new WeakMap<object, KnownRecord>();
  return {
    add: (plain, record) => void known.set(plain, record),
    find: (plain) => (typeof plain === "object" && plain !== null ? known.get(plain) : undefined),
  };
}
