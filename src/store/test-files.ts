/** Folders for tests that need real files, and stores in them. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import type { Value } from "../expressions/value.ts";
import type { Model } from "../model/model.ts";
import { openStore, type StoreOptions } from "./index.ts";
import type { SqliteQuery } from "./sqlite/statements/queries.ts";
import type { Query, Store } from "./store.ts";
import { meaningOf } from "../model/meaning.ts";

/** A path in a folder of its own, which is deleted when the test is finished. */
export function storePath(test: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-store-"));
  test.after(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, "store.db");
}

/** A store that is closed when the test is finished. */
export async function openTestStore(
  test: TestContext,
  model: Model,
  path = ":memory:",
  options: Partial<StoreOptions> = {},
): Promise<Store> {
  const store = await openStore(model, meaningOf(model), { path, ...options });
  test.after(() => store.close());
  return store;
}

/** Plain SQL as a query: the first column of each row. */
export function statementOf(sql: string): Query<Value> {
  const query: SqliteQuery<Value> = {
    sql,
    ticks: false,
    question: ["prepareValue", { op: "literal", value: null, type: { kind: "null" } }],
    bind: () => [],
    decode: (row) => row[0] as Value,
  };
  return query;
}
