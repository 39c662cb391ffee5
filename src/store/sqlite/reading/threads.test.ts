/**
 * Reader threads: the lifetime of the pool and of the process, and the errors of stores that are
 * closed or deleted meanwhile.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import type { Value } from "../../../expressions/value.ts";
import { StatementTimedOut, StoreUnavailable } from "../../errors.ts";
import type { Query } from "../../store.ts";
import { storePath } from "../../test-files.ts";
import { recheckMs } from "../file/file-location.ts";
import { readerPool } from "./reader-pool.ts";
import { type Crowd, openCrowd, crowdText, frame, userCount, longTimeMs } from "./test-crowd.ts";

test("a thread that ends rejects its waiting calls, and another one replaces it", async (t) => {
  const { store, fives, others, named } = await openCrowd(t, storePath(t), 1_000);
  const slow = Promise.resolve(store.session.value(fives, frame));
  const reported = assert.rejects(slow, (error) => error instanceof StoreUnavailable && error.retryable);
  await readerPool.end();
  await reported;
  const again = assert.rejects(async () => store.session.value(others, frame), StatementTimedOut);
  const statement = store.session.value(named, frame);
  assert.ok(statement instanceof Promise, "the one before has taken the time that there is in this turn");
  assert.equal(await statement, userCount);
  await again;
});

test("closing a store waits for a slow statement until its time limit, and keeps the file", async (t) => {
  const path = storePath(t);
  const { store, fives } = await openCrowd(t, path, 200);
  const slow = Array.from({ length: 5 }, () => Promise.resolve(store.session.value(fives, frame)));
  const reported = Promise.allSettled(slow);
  await store.close();
  for (const promiseSettledResult of await reported) {
    assert.equal(promiseSettledResult.status, "rejected");
    const { reason } = promiseSettledResult as PromiseRejectedResult;
    assert.ok(reason instanceof StatementTimedOut || reason instanceof StoreUnavailable, String(reason));
  }
  assert.equal(existsSync(`${path}-wal`), false);
});

test("a store closes even if not all threads have opened it", async (t) => {
  const [crowd, other] = [await openCrowd(t, storePath(t), 200), await openCrowd(t, storePath(t), 200)];
  const ended = ({ store }: Crowd, query: Query<Value>) =>
    assert.rejects(async () => store.session.value(query, frame), StatementTimedOut);
  await Promise.all([ended(crowd, crowd.fives), ended(crowd, crowd.others)]);
  await ended(other, other.fives);
  await other.store.close();
});

test("a slow read of a store reports that its file was deleted", async (t) => {
  const path = storePath(t);
  const { store, triples } = await openCrowd(t, path);
  renameSync(path, `${path}.away`);
  await pause(recheckMs);
  await assert.rejects(
    async () => store.session.value(triples, frame),
    (error) => error instanceof StoreUnavailable && /store\.db was moved or deleted/.test(error.message),
  );
});

test("a process exits only after a slow statement that it awaits, and after its store is closed", async (t) => {
  const path = storePath(t);
  const at = (name: string) => JSON.stringify(join(import.meta.dirname, "../..", name));
  const script = `
    import { compile } from ${at("../compile.ts")};
    import { newFrame } from ${at("../expressions/evaluate.ts")};
    import { openStore } from ${at("index.ts")};
    import { meaningOf } from ${at("../model/meaning.ts")};
    const { model } = compile(${JSON.stringify(crowdText)}, { file: "crowd.md" });
    const store = await openStore(model, meaningOf(model), { path: ${JSON.stringify(path)}, statementMs: ${longTimeMs} });
    await store.write(async (transaction) => {
      for (let id = 1; id <= 50; id += 1) await transaction.insert("User", { id, name: "User" });
    });
    const triples = store.prepareValue(model.shapes.find(({ name }) => name === "Triples").body.node);
    console.log(await store.session.value(triples, newFrame({}, { now: "2026-11-20T10:00:00.000Z" })));
    await store.close();
    console.log("closed");
  `;
  // A file, because threads inherit the options of their process.
  writeFileSync(`${path}.mjs`, script);
  const { stdout } = await promisify(execFile)(process.execPath, [`${path}.mjs`]);
  assert.equal(stdout, "50\nclosed\n");
});
