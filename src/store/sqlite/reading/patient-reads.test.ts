/** Statements that go through many records: what they may take, and that nobody else waits for them. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test, type TestContext } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { compile } from "../../../compile.ts";
import { newFrame } from "../../../expressions/evaluate.ts";
import type { Value } from "../../../expressions/value.ts";
import { StatementTimedOut, StoreUnavailable } from "../../errors.ts";
import type { Query, Store, Transaction } from "../../store.ts";
import { openTestStore, storePath } from "../../test-files.ts";
import { lookAgainMs } from "../place.ts";
import { readLimits } from "./limits.ts";
import { readerPool } from "./reader-pool.ts";
import { rowsSoFar } from "./time-bound.ts";
import { sqliteAlone } from "../../../../test/sqlite-alone.ts";

/** With 120 users, `Triples` looks at 1.7 million, far more than is done at once, and `Fives` at 25 thousand million. */
const text = `# Interface Specification: Crowd

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| name | string | required | |

### Leaf

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | |

## Endpoints

### Shape: Others

\`\`\`cel
User.count(a, User.exists(b, User.exists(c, User.exists(d, size(a.name + b.name + c.name + d.name) > 2000))))
\`\`\`

### Shape: Named

\`\`\`cel
User.count(a, size(a.name) > 3)
\`\`\`

### Shape: Triples

\`\`\`cel
User.count(a, !User.exists(b, User.exists(c, size(a.name + b.name + c.name) > 1000)))
\`\`\`

### Shape: Fives

\`\`\`cel
User.count(a, User.exists(b, User.exists(c, User.exists(d, size(a.name + b.name + c.name + d.name) > 1000))))
\`\`\`

### Shape: Pairs

\`\`\`cel
User.count(a, User.exists(b, size(a.name + b.name) > 1000))
\`\`\`
`;
const { model } = compile(text, { file: "crowd.md" });
assert.ok(model);
const people = 120;
/** More than any machine needs for what is to come to its end. */
const plentyMs = 120_000;
const frame = newFrame({} as never, { now: "2026-11-20T10:00:00.000Z" });

interface Crowd {
  readonly store: Store;
  readonly others: Query<Value>;
  readonly named: Query<Value>;
  readonly triples: Query<Value>;
  readonly fives: Query<Value>;
  readonly all: Query<number>;
}

async function crowded(
  t: TestContext,
  path: string,
  statementMs = plentyMs,
  options: { readonly logBytesMax?: number } = {},
): Promise<Crowd> {
  assert.ok(model);
  const store = await openTestStore(t, model, path, { statementMs, ...options });
  await store.write(async (transaction) => {
    for (let number = 1; number <= people; number += 1) await addUser(transaction, number);
  });
  const [others, named, triples, fives] = model.shapes.map(({ body }) => store.prepareValue(body.node));
  const all = store.prepareCount({ resource: "User", where: [] });
  return { store, others, named, triples, fives, all } as Crowd;
}

function addUser(transaction: Transaction, number: number) {
  return transaction.insert("User", { id: number, name: `User ${number}` });
}

const threads = sqliteAlone("SQLite's reads are answered at once, or ended by our own function");

for (const kind of ["a file", "memory"] as const) {
  const pathOf = (t: TestContext) => (kind === "memory" ? ":memory:" : storePath(t));
  const own = kind === "memory" ? threads : {};

  test(
    `in ${kind}, what is asked beside a slow statement is answered at once, and the slow one is ended`,
    own,
    async (t) => {
      const { store, fives, all } = await crowded(t, pathOf(t), 3_000);
      let isOver = false;
      const slow = Promise.resolve(store.session.value(fives, frame)).finally(() => {
        isOver = true;
      });
      slow.catch(() => {});
      assert.equal(store.session.count(all, frame), people, "no promise: it is there");
      await store.write(async (transaction) => void (await addUser(transaction, people + 1)));
      assert.equal(store.session.count(all, frame), people + 1);
      assert.equal(isOver, false);
      await assert.rejects(slow, StatementTimedOut);
    },
  );

  test(`in ${kind}, a slow statement sees what was committed before it was asked`, own, async (t) => {
    const { store, triples } = await crowded(t, pathOf(t), plentyMs);
    for (const more of [0, 1, 2]) {
      if (more > 0)
        await store.write(async (transaction) => void (await addUser(transaction, people + more)));
      const asked = store.session.value(triples, frame);
      assert.ok(asked instanceof Promise, "it is asked on another thread");
      assert.equal(await asked, people + more);
    }
  });
}

test(
  "each row that a collection inside of a collection goes through lets the statement be ended",
  threads,
  async (t) => {
    const { store } = await crowded(t, ":memory:");
    const [, , , , pairs] = model.shapes.map(({ body }) => store.prepareValue(body.node));
    const before = rowsSoFar();
    assert.equal(await store.session.value(pairs as Query<Value>, frame), 0);
    // All pairs; where the machine is busy, so many before it goes on elsewhere.
    assert.ok(rowsSoFar() - before > readLimits.hereRows, String(rowsSoFar() - before));
  },
);

test("a slow statement inside of a write is ended, nothing of the write is stored, and others are", async (t) => {
  const { store, fives, all } = await crowded(t, ":memory:", 50);
  const slow = store.write(async (transaction) => {
    await addUser(transaction, people + 1);
    return transaction.value(fives, frame);
  });
  const other = store.write(async (transaction) => void (await addUser(transaction, people + 2)));
  await assert.rejects(slow, StatementTimedOut);
  await other;
  assert.equal(await store.session.count(all, frame), people + 1);
});

test("one statement never has all threads, however often it is asked", async (t) => {
  const { store, fives, named } = await crowded(t, storePath(t), 2_000);
  let over = 0;
  const slow = Array.from({ length: 20 }, () =>
    Promise.resolve(store.session.value(fives, frame)).catch((error: unknown) => {
      over += 1;
      return error;
    }),
  );
  const asked = store.session.value(named, frame);
  assert.ok(asked instanceof Promise, "the first has taken the time that there is in this turn");
  assert.equal(await asked, people);
  assert.ok(over < slow.length, "the other one has overtaken them");
  for (const error of await Promise.all(slow)) assert.ok(error instanceof StatementTimedOut, String(error));
});

test("a thread that ends is told to whoever waits for it, and another one takes its place", async (t) => {
  const { store, fives, triples } = await crowded(t, storePath(t), plentyMs);
  const slow = Promise.resolve(store.session.value(fives, frame));
  const told = assert.rejects(slow, (error) => error instanceof StoreUnavailable && error.retryable);
  await readerPool.end();
  await told;
  assert.equal(await store.session.value(triples, frame), people);
});

test("closing waits for a slow statement no longer than its time, and leaves the file alone", async (t) => {
  const path = storePath(t);
  const { store, fives } = await crowded(t, path, 200);
  const slow = Array.from({ length: 5 }, () => Promise.resolve(store.session.value(fives, frame)));
  const told = Promise.allSettled(slow);
  await store.close();
  for (const one of await told) {
    assert.equal(one.status, "rejected");
    const { reason } = one as PromiseRejectedResult;
    assert.ok(reason instanceof StatementTimedOut || reason instanceof StoreUnavailable, String(reason));
  }
  assert.equal(existsSync(`${path}-wal`), false);
});

test("a store is closed of which not all threads know", async (t) => {
  const [one, other] = [await crowded(t, storePath(t), 200), await crowded(t, storePath(t), 200)];
  const ended = ({ store }: Crowd, query: Query<Value>) =>
    assert.rejects(async () => store.session.value(query, frame), StatementTimedOut);
  await Promise.all([ended(one, one.fives), ended(one, one.others)]);
  await ended(other, other.fives);
  await other.store.close();
});

test("slow reads that overlap for ever don't let the log grow for ever", async (t) => {
  const path = storePath(t);
  const mebibyte = 1024 * 1024;
  const logBytesMax = 2 * mebibyte;
  const { store, fives, others } = await crowded(t, path, 150, { logBytesMax });
  let longest = 0;
  let leaves = 0;
  const ask = (query: Query<Value>) => {
    const asked = Promise.resolve(store.session.value(query, frame));
    return assert.rejects(asked, StatementTimedOut);
  };
  const add = async () => {
    leaves += 1;
    const leaf = { id: leaves, text: "x".repeat(mebibyte) };
    await store.write(async (transaction) => void (await transaction.insert("Leaf", leaf)));
    longest = Math.max(longest, statSync(`${path}-wal`).size);
  };
  // Each is asked while the one before it is under way.
  let before = ask(fives);
  for (const query of [others, fives, others, fives, others, fives, others, fives, others, fives]) {
    await add();
    const next = ask(query);
    await before;
    before = next;
  }
  await before;
  assert.ok(longest < logBytesMax + 4 * mebibyte, `of ${leaves} MiB the log grew to ${longest} bytes`);
});

test("of a store whose file is gone, whoever asks for much is told so", async (t) => {
  const path = storePath(t);
  const { store, triples } = await crowded(t, path);
  renameSync(path, `${path}.away`);
  await pause(lookAgainMs);
  await assert.rejects(
    async () => store.session.value(triples, frame),
    (error) => error instanceof StoreUnavailable && /store\.db was moved or deleted/.test(error.message),
  );
});

test("a process doesn't end before a slow statement that it waits for, nor before its store is closed", async (t) => {
  const path = storePath(t);
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, "../..", name));
  const script = `
    import { compile } from ${at("../compile.ts")};
    import { newFrame } from ${at("../expressions/evaluate.ts")};
    import { openStore } from ${at("index.ts")};
    import { meaningOf } from ${at("test-model.ts")};
    const { model } = compile(${JSON.stringify(text)}, { file: "crowd.md" });
    const store = await openStore(model, meaningOf(model), { path: ${JSON.stringify(path)}, statementMs: ${plentyMs} });
    await store.write(async (transaction) => {
      for (let id = 1; id <= 50; id += 1) await transaction.insert("User", { id, name: "User" });
    });
    const triples = store.prepareValue(model.shapes.find(({ name }) => name === "Triples").body.node);
    console.log(await store.session.value(triples, newFrame({}, { now: "2026-11-20T10:00:00.000Z" })));
    await store.close();
    console.log("closed");
  `;
  // Of a file, for threads take the options of their process.
  writeFileSync(`${path}.mjs`, script);
  const { stdout } = await promisify(execFile)(process.execPath, [`${path}.mjs`]);
  assert.equal(stdout, "50\nclosed\n");
});
