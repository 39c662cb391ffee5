/** Overlapping groups: a group of writes starts while the previous one is being committed. */
import assert from "node:assert/strict";
import { after, before, test, type TestContext } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Frame } from "../../src/expressions/value.ts";
import { StoreUnavailable } from "../../src/store/errors.ts";
import { defaultLimits } from "../../src/store/group-commit.ts";
import { openPostgresStore } from "../../src/store/postgres/store.ts";
import type { Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { type CommitFault, PostgresProxy } from "./proxy.ts";
import { freshSchema, type Schema } from "./server.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string")])]);
const writes = 400;

let schema: Schema;
before(async () => {
  schema = await freshSchema();
});
after(() => schema.drop());

async function openStore(t: TestContext, path: string): Promise<Store> {
  // Small groups, and a time limit that no slow machine reaches.
  const limits = { ...defaultLimits, groupMs: 60_000, writesMax: 16 };
  const store = await openPostgresStore(notes, meaningOf(notes), { path, limits });
  t.after(() => store.close());
  return store;
}

const insert = (store: Store, id: string) =>
  store.write(async (transaction) => transaction.insert("Note", { id, text: id }), { repeatable: true });

async function listed(store: Store, column: string): Promise<ReadonlySet<string>> {
  const text = await store.session.value(
    statementOf(`SELECT string_agg(${column}::text, ',') FROM "Note"`),
    frame,
  );
  return new Set(String(text ?? "").split(","));
}

/** Sends writes one after another without awaiting them, so that some arrive during commits. */
async function inTheirTurn(work: (id: string) => Promise<unknown>, name: string): Promise<void> {
  const requested: Promise<unknown>[] = [];
  for (let at = 0; at < writes; at += 1) {
    requested.push(work(`${name}-${at}`));
    await setImmediate();
  }
  await Promise.all(requested);
}

test("a notified commit is readable by its listener, and each change is notified", async (t) => {
  const store = await openStore(t, schema.url);
  const reported = new Set<string>();
  const looks: Promise<readonly string[]>[] = [];
  store.onCommit(({ changed }) => {
    const rows = [...(changed.get("Note") ?? [])].map(String);
    for (const row of rows) reported.add(row);
    looks.push(listed(store, `"#row"`).then((seen) => rows.filter((row) => !seen.has(row))));
  });
  await inTheirTurn((id) => insert(store, id), "notified");
  assert.deepEqual((await Promise.all(looks)).flat(), []);
  assert.deepEqual(
    [...(await listed(store, `"#row"`))].filter((row) => !reported.has(row)),
    [],
  );
  assert.equal(reported.size, writes);
});

for (const fault of ["unsent", "untold"] as const satisfies readonly CommitFault[])
  test(`a commit that breaks fails only its own writes, and those queued after it run again: ${fault}`, async (t) => {
    const proxy = await PostgresProxy.start(schema.url);
    t.after(() => proxy.close());
    const store = await openStore(t, proxy.url);
    const acknowledged: string[] = [];
    const refused: StoreUnavailable[] = [];
    const write = async (id: string) => {
      try {
        await insert(store, id);
        acknowledged.push(id);
      } catch (error) {
        assert.ok(error instanceof StoreUnavailable, String(error));
        refused.push(error);
      }
      if (acknowledged.length % 60 === 59) proxy.cutAtCommit(fault);
    };
    await inTheirTurn(write, fault);
    assert.ok(proxy.broken >= 2, `${proxy.broken} commits were broken`);
    assert.deepEqual(
      refused.filter(({ isKnown }) => isKnown),
      [],
    );
    const stored = await listed(store, "id");
    assert.deepEqual(
      acknowledged.filter((id) => !stored.has(id)),
      [],
    );
    assert.equal(acknowledged.length + refused.length, writes);
  });
