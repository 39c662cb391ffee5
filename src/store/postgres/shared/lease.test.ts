/** The lease of an instance: its name, its renewals, and what happens if it was lost. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { machine } from "../../../support/machine.ts";
import { InstanceLease } from "./lease.ts";
import { sharedLimits } from "./limits.ts";
import type { SideConnection } from "./side-connection.ts";
import { SlotsTable } from "./slots.ts";

const { renewEveryMs, sweepEveryMs } = sharedLimits;
const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));

/** A lease on a server that the test controls, with one holder. */
function leased(t: TestContext) {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const server = { isLost: false, isAway: false, answer: Promise.resolve() };
  const sent: string[] = [];
  let names = 0;
  const side = {
    async execute({ sql }: { readonly sql: string }, [id]: readonly unknown[]) {
      const [kind = ""] = /^(UPDATE|INSERT|DELETE FROM \w+ WHERE id (?:IN|=))/.exec(sql) ?? [];
      sent.push(kind === "INSERT" ? "register" : `${kind.split(" ").at(-1)} ${id ?? "old"}`);
      await server.answer;
      if (server.isAway) throw new Error("away");
      if (kind === "INSERT") names += 1;
      if (kind === "INSERT") return { rows: [[`name-${names}`]] };
      return { rows: kind === "UPDATE" && !server.isLost ? [[1]] : [] };
    },
  } as unknown as SideConnection;
  const lease = new InstanceLease(side);
  lease.add({
    renamed: async (former, id) => void sent.push(`renamed ${former} to ${id}`),
    renewed: async () => void sent.push("renewed"),
  });
  const passed = async (ms: number) => {
    t.mock.timers.tick(ms);
    await nextTurn();
    return sent.splice(0);
  };
  return { lease, server, sent, passed };
}

test("a lease is registered once, at first use, and ends when it is closed", async (t) => {
  const { lease, sent } = leased(t);
  await lease.close();
  assert.deepEqual(sent, []);
  assert.deepEqual(await Promise.all([lease.id(), lease.id()]), ["name-1", "name-1"]);
  assert.equal(lease.id(), "name-1");
  await lease.close();
  assert.deepEqual(sent, ["register", "= name-1"]);
});

test("a registration that failed is tried again with the next use", async (t) => {
  const { lease, server, sent } = leased(t);
  server.isAway = true;
  await assert.rejects(async () => lease.id(), /away/);
  server.isAway = false;
  assert.equal(await lease.id(), "name-1");
  assert.deepEqual(sent, ["register", "register"]);
});

test("a lease is renewed at each interval, before what is held under it, until it is closed", async (t) => {
  const { lease, sent, passed } = leased(t);
  assert.deepEqual(await passed(10 * renewEveryMs), []);
  await lease.id();
  sent.length = 0;
  assert.deepEqual(await passed(renewEveryMs - 1), []);
  const renewal = ["UPDATE name-1", "renewed", "IN old"];
  assert.deepEqual(await passed(1), renewal);
  assert.deepEqual(await passed(renewEveryMs - 1), []);
  assert.deepEqual(await passed(1), renewal);
  await lease.close();
  sent.length = 0;
  assert.deepEqual(await passed(10 * renewEveryMs), []);
});

test("a lost lease gets a new name, to which everything moves, and has one timer still", async (t) => {
  const { lease, server, sent, passed } = leased(t);
  await lease.id();
  sent.length = 0;
  server.isLost = true;
  assert.deepEqual(await passed(renewEveryMs), [
    "UPDATE name-1",
    "register",
    "renamed name-1 to name-2",
    "renewed",
    "IN old",
  ]);
  assert.equal(lease.id(), "name-2");
  server.isLost = false;
  assert.deepEqual(await passed(renewEveryMs), ["UPDATE name-2", "renewed", "IN old"]);
});

test("a renewal starts only after the one before, and a failed one is tried again", async (t) => {
  const { lease, server, sent, passed } = leased(t);
  await lease.id();
  sent.length = 0;
  let answer = () => {};
  server.answer = new Promise((resolve) => {
    answer = resolve;
  });
  assert.deepEqual(await passed(renewEveryMs), ["UPDATE name-1"]);
  assert.deepEqual(await passed(renewEveryMs), []);
  answer();
  await nextTurn();
  assert.deepEqual(sent.splice(0), ["renewed", "IN old"]);
  server.isAway = true;
  assert.deepEqual(await passed(renewEveryMs), ["UPDATE name-1"]);
  server.isAway = false;
  assert.deepEqual(await passed(renewEveryMs), ["UPDATE name-1", "renewed", "IN old"]);
});

test("rows without slots are deleted at an interval, even if a deletion failed", async (t) => {
  let now = 0;
  t.mock.method(machine, "elapsed", () => now);
  let sweeps = 0;
  const side = {
    async execute({ sql }: { readonly sql: string }) {
      if (!sql.startsWith("DELETE")) return { rows: [] };
      sweeps += 1;
      throw new Error("away");
    },
  } as unknown as SideConnection;
  const lease = { id: () => "one", add: () => {} } as unknown as InstanceLease;
  const slots = new SlotsTable(side, lease);
  const counts: number[] = [];
  for (const at of [
    sweepEveryMs - 1,
    sweepEveryMs,
    2 * sweepEveryMs - 1,
    2 * sweepEveryMs,
    2 * sweepEveryMs + 1,
  ]) {
    now = at;
    await slots.renewed();
    counts.push(sweeps);
  }
  assert.deepEqual(counts, [0, 1, 1, 2, 2]);
});
