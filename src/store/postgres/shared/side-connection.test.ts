/** The side connection: opened once, replaced when it is lost, silent or left half way. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { StoreUnavailable } from "../../errors.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { PostgresConnection } from "../connection/connection.ts";
import { sharedLimits } from "./limits.ts";
import { SideConnection } from "./side-connection.ts";

const { answerMs, statementMs } = sharedLimits;
const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));
const query = { sql: "SELECT 1" };

/** A connection of the test; `answer` decides on each statement. */
interface Opened {
  isThere: boolean;
  isClosed: boolean;
  queries: number;
}

function sided(t: TestContext, answer: (opened: Opened, at: number) => unknown) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const all: Opened[] = [];
  const options: unknown[] = [];
  t.mock.method(PostgresConnection, "open", async (_address: unknown, given: unknown) => {
    options.push(given);
    const at = all.length;
    const opened = {
      isThere: true,
      isClosed: false,
      queries: 0,
      async queryRows() {
        this.queries += 1;
        return answer(this, at);
      },
      async close() {
        this.isClosed = true;
      },
    };
    all.push(opened);
    return opened as unknown as PostgresConnection;
  });
  return { side: new SideConnection({} as PostgresAddress), all, options };
}

const unavailable = (isRetryable: boolean, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof StoreUnavailable, String(error));
  assert.equal(error.retryable, isRetryable);
  assert.match(error.message, message);
  return true;
};
const lost = (opened: Opened) => {
  opened.isThere = false;
  throw new Error("the connection was lost");
};

test("statements share one connection, which is opened at first use and bounded", async (t) => {
  const { side, all, options } = sided(t, () => ({ rows: [[1]] }));
  assert.equal(all.length, 0);
  const answers = await Promise.all([side.execute(query, []), side.execute(query, [])]);
  assert.deepEqual(
    answers.map(({ rows }) => rows),
    [[[1]], [[1]]],
  );
  await side.execute(query, []);
  assert.deepEqual(
    all.map(({ queries }) => queries),
    [3],
  );
  assert.deepEqual(options, [{ pipelines: true, statementMs }]);
});

test("a statement is repeated once if its connection was lost, and not otherwise", async (t) => {
  const { side, all } = sided(t, (opened, at) => (at === 0 ? lost(opened) : { rows: [] }));
  assert.deepEqual(await side.execute(query, []), { rows: [] });
  assert.deepEqual(
    all.map(({ queries }) => queries),
    [1, 1],
  );
});

test("a statement whose second connection is lost, too, is not repeated", async (t) => {
  const { side, all } = sided(t, lost);
  await assert.rejects(side.execute(query, []), StoreUnavailable);
  assert.deepEqual(
    all.map(({ queries }) => queries),
    [1, 1],
  );
});

test("a statement that fails on a connection that is there is not repeated", async (t) => {
  const { side, all } = sided(t, () => {
    throw new Error("wrong");
  });
  await assert.rejects(side.execute(query, []), StoreUnavailable);
  await assert.rejects(side.execute(query, []), StoreUnavailable);
  assert.deepEqual(
    all.map(({ queries, isClosed }) => [queries, isClosed]),
    [[2, false]],
  );
});

test("a server without an answer is left after the bound, and the next statement opens another connection", async (t) => {
  const { side, all } = sided(t, (_, at) => (at === 0 ? new Promise(() => {}) : { rows: [] }));
  const silent = side.execute(query, []);
  let isOver = false;
  void silent.catch(() => {
    isOver = true;
  });
  await nextTurn();
  t.mock.timers.tick(answerMs - 1);
  await nextTurn();
  assert.equal(isOver, false);
  t.mock.timers.tick(1);
  await assert.rejects(
    silent,
    unavailable(true, new RegExp(`has not responded for ${answerMs / 1000} seconds`)),
  );
  assert.equal(all[0]?.isClosed, true);
  await side.execute(query, []);
  assert.equal(all.length, 2);
  // An answer in time ends the wait.
  t.mock.timers.tick(2 * answerMs);
  await nextTurn();
  assert.equal(all[1]?.isClosed, false);
});

test("statements that fail half way close the connection", async (t) => {
  const { side, all } = sided(t, () => ({ rows: [] }));
  assert.equal(await side.alone(async () => 7), 7);
  assert.equal(all[0]?.isClosed, false);
  const refusal = new StoreUnavailable("refused", { retryable: false });
  await assert.rejects(
    side.alone(() => Promise.reject(refusal)),
    (error) => error === refusal,
  );
  assert.equal(all[0]?.isClosed, true);
  await assert.rejects(
    side.alone(() => Promise.reject(new Error("half way"))),
    StoreUnavailable,
  );
  assert.deepEqual(
    all.map(({ isClosed }) => isClosed),
    [true, true],
  );
});

test("a closed side connection executes nothing, and repeats nothing", async (t) => {
  const closing: { side?: SideConnection } = {};
  const { side, all } = sided(t, async (opened) => {
    await closing.side?.close();
    return lost(opened);
  });
  closing.side = side;
  await assert.rejects(side.execute(query, []), StoreUnavailable);
  assert.deepEqual(
    all.map(({ queries, isClosed }) => [queries, isClosed]),
    [[1, true]],
  );
  await assert.rejects(side.execute(query, []), unavailable(false, /The store is closed/));
  assert.equal(all.length, 1);
});

test("a connection that is being opened is closed with the store", async (t) => {
  const { side, all } = sided(t, () => ({ rows: [] }));
  const started = side.execute(query, []).catch(() => {});
  await side.close();
  await started;
  assert.deepEqual(
    all.map(({ isClosed }) => isClosed),
    [true],
  );
});
