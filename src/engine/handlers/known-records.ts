/**
 * Known records: maps plain records that a handler received to stored records, so that the handler
 * can change, refer to and return them. Each run of a handler has its own map.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { PlainRecord } from "../handler-module.ts";

export interface KnownRecord {
  readonly resource: string;
  readonly row: number;
  readonly identifier: Json;
  /** The record when it was removed. It stays readable for the response. */
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
