/** Queries of a reader thread: their number is bounded, and a dropped one can be run again. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../../compile.ts";
import { storePath } from "../../test-files.ts";
import { openConnection } from "../connection/connection.ts";
import { crowdText } from "./test-crowd.ts";
import { queriesMax, ReaderThread, type WorkerStatement } from "./thread.ts";

test("a thread runs more queries than it keeps, and a dropped one again", async (t) => {
  const { model } = compile(crowdText, { file: "crowd.md" });
  assert.ok(model);
  const path = storePath(t);
  openConnection(path).close();
  const thread = new ReaderThread(() => {});
  t.after(() => thread.end());
  const source = { model, path, version: () => 0, obstacle: () => undefined };
  const run = async (query: WorkerStatement) =>
    (await thread.run({ source, query, values: [], first: true, timeMs: 60_000 }))[0]?.[0];
  const queries = Array.from(
    { length: queriesMax + 10 },
    (_, at): WorkerStatement => ({ question: ["system", `SELECT ${at}`] }),
  );
  for (const [at, query] of queries.entries()) assert.equal(await run(query), at);
  assert.deepEqual(await Promise.resolve(run(queries[0] as WorkerStatement)), 0);
  assert.equal(await run(queries.at(-1) as WorkerStatement), queriesMax + 9);
});
