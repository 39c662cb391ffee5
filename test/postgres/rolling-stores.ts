/** Stores of several documents on one schema, for tests of rolling updates. */
import assert from "node:assert/strict";
import { setTimeout as pause } from "node:timers/promises";
import type { Frame, Value } from "../../src/expressions/value.ts";
import type { StoreOptions } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { open } from "../changes/desk.ts";
import { cutBefore, hangUp } from "./cut-off.ts";
import { freshSchema, type Schema } from "./server.ts";

export const frame = {} as Frame;

/** Runs work on a new schema, and closes the opened stores afterwards. */
export async function onSchema(
  work: (
    start: (document: string, options?: Partial<StoreOptions>) => Promise<Store>,
    schema: Schema,
  ) => Promise<void>,
): Promise<void> {
  const schema = await freshSchema();
  const stores: Store[] = [];
  try {
    await work(async (document, options) => {
      const store = await open(document, schema.url, options);
      stores.push(store);
      return store;
    }, schema);
  } finally {
    for (const store of stores) await store.close();
    await schema.drop();
  }
}

export const insert = (store: Store, name: string, fields: Readonly<Record<string, Value>>) =>
  store.write(async (transaction) => transaction.insert(name, fields), { repeatable: true });
export const read = async (store: Store, sql: string) => store.session.value(statementOf(sql), frame);

export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await pause(20);
}

/**
 * Starts the document again and again, each time ended some statements later, until it comes to its end. What ends it before each of its
 * statements, by SIGKILL, is `test/durability/postgres-changes.ts`.
 */
export async function startCutOff(
  start: () => Promise<Store>,
  afterEach: () => Promise<void>,
): Promise<{ readonly store: Store; readonly cuts: number }> {
  let cuts = 0;
  for (let number = 1; ; number += 7) {
    const cut = cutBefore(number, hangUp);
    try {
      const store = await start().finally(() => cut.restore());
      return { store, cuts };
    } catch (error) {
      assert.ok(cut.isCut, String(error));
      cuts += 1;
      await afterEach();
    }
  }
}
