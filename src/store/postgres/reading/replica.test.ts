/** Read replica: where a read goes, and why the standby isn't used. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { StatementTimedOut } from "../../errors.ts";
import type { Replicated } from "../connection/address.ts";
import type { ReadPool } from "./read-pool.ts";
import { Replica } from "./replica.ts";

interface Positions {
  readonly server: readonly [length: string, system: string];
  readonly standby: readonly [part: string | null, system: string] | Error;
}

/** A replica with a server and a standby that report these positions, after its first poll. */
async function polled(t: TestContext, { server, standby }: Positions) {
  const reads: string[] = [];
  const warnings: string[] = [];
  const state: { failure: Error | undefined } = { failure: undefined };
  const poolOf = (name: string, position: readonly (string | null)[] | Error) => ({
    async queryRows({ sql }: { readonly sql: string }) {
      if (sql.includes("pg_")) {
        if (position instanceof Error) throw position;
        return { rows: [position], changes: 0, lastRow: 0 };
      }
      reads.push(name);
      if (name === "standby" && state.failure) throw state.failure;
      return { rows: [[name]], changes: 0, lastRow: 0 };
    },
    close: async () => void reads.push(`${name} closed`),
  });
  const pools = [poolOf("server", server), poolOf("standby", standby)] as unknown as [ReadPool, ReadPool];
  // So long that the time of this test doesn't matter.
  const replicated = { host: "standby.example", behindMs: 3_600_000 } as Replicated;
  const replica = new Replica(replicated, ...pools, (message) => warnings.push(message));
  t.after(() => replica.close());
  const read = async () => (await replica.queryRows({ sql: "SELECT 1" }, [], false)).rows[0]?.[0];
  assert.equal(await read(), "server", "before the first poll");
  replica.start();
  for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve));
  return { replica, read, reads, warnings, state };
}

test("a standby that has reached the server's position is read, compared in both halves", async (t) => {
  for (const [length, part, expected] of [
    ["1/A", "1/A", "standby"],
    ["1/A", "1/B", "standby"],
    ["1/A", "1/9", "server"],
    ["2/0", "1/FFFFFFFF", "server"],
    ["1/FFFFFFFF", "2/0", "standby"],
    ["10/0", "9/0", "server"],
  ] as const) {
    const { read, warnings } = await polled(t, { server: [length, "s"], standby: [part, "s"] });
    assert.equal(await read(), expected, `${length} and ${part}`);
    assert.deepEqual(warnings, []);
  }
});

test("a standby that can't be used is reported once, and the server is read", async (t) => {
  for (const [standby, why] of [
    [["1/A", "other"], "it belongs to another server"],
    [[null, "s"], "it no longer follows a server"],
    [new Error("connection refused"), "connection refused"],
  ] as const) {
    const { read, warnings } = await polled(t, { server: ["1/A", "s"], standby });
    assert.equal(await read(), "server");
    assert.deepEqual(warnings, [
      `The replica at standby.example isn't used (${why}); the server is read instead.`,
    ]);
  }
});

test("a read that fails on the standby runs on the server, as do those after it", async (t) => {
  const { read, reads, state } = await polled(t, { server: ["1/A", "s"], standby: ["1/A", "s"] });
  state.failure = new Error("away");
  reads.length = 0;
  assert.equal(await read(), "server");
  state.failure = undefined;
  assert.equal(await read(), "server");
  assert.deepEqual(reads, ["standby", "server", "server"]);
});

test("a read that takes too long on the standby is not repeated", async (t) => {
  const { replica, read, reads, state } = await polled(t, { server: ["1/A", "s"], standby: ["1/A", "s"] });
  state.failure = new StatementTimedOut(1000);
  reads.length = 0;
  await assert.rejects(read(), StatementTimedOut);
  state.failure = undefined;
  assert.equal(await read(), "standby");
  await replica.close();
  assert.deepEqual(reads, ["standby", "standby", "standby closed"]);
});
