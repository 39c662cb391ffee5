/** Groups with speculation: writes start before earlier ones are finished, and restart only if necessary. */
import assert from "node:assert/strict";
import { setImmediate as aTurn } from "node:timers/promises";
import { test } from "node:test";
import { StoreUnavailable } from "./errors.ts";
import { defaultLimits, GroupCommit } from "./group-commit.ts";
import type { GroupTransaction, WriteSlot } from "./write-slot.ts";
import { ManualMachine } from "./test-machine.ts";

const conflict = new Error("conflict");

/** Groups over a database that responds after a tick of the event loop, and the statements it received. */
function openGroups(conflicts = 0): { readonly groups: GroupCommit; readonly statement: string[] } {
  const statement: string[] = [];
  let isOpen = false;
  let conflictsLeft = conflicts;
  const step = (name: string, opens?: boolean) => async () => {
    statement.push(name);
    isOpen = opens ?? isOpen;
    await aTurn();
  };
  const transaction: GroupTransaction = {
    begin: (isAlone) => step(isAlone ? "begin alone" : "begin", true)(),
    async commit() {
      await step("commit", false)();
      conflictsLeft -= 1;
      if (conflictsLeft >= 0) throw conflict;
    },
    rollback: step("rollback", false),
    mark: step("mark"),
    takeBack: step("take back"),
    release: step("release"),
    awaitResults: async () => true,
    get isOpen() {
      return isOpen;
    },
    failsWhole: true,
    pipelinesWrites: true,
    isFatal: () => false,
    isConflict: (error) => error === conflict,
    asUnavailable: (cause) => new StoreUnavailable("gone", { retryable: true, cause }),
  };
  const groups = new GroupCommit(transaction, defaultLimits, {
    onUnavailable: () => {},
    takeChanges: () => ({ hasEvents: false, changed: new Map() }),
    onCommit: () => {},
    obstacle: () => undefined,
    machine: new ManualMachine(),
  });
  return { groups, statement };
}

async function runsOf(isStillValid: (name: string) => boolean): Promise<string> {
  const { groups, statement } = openGroups();
  const runs: string[] = [];
  const write = (name: string) =>
    groups.write(
      async (slot: WriteSlot) => {
        runs.push(name);
        slot.recordRead(() => isStillValid(name));
        await aTurn();
        await slot.locked();
        runs.push(name.toUpperCase());
      },
      { repeatable: true },
    );
  await Promise.all(["a", "b", "c"].map(write));
  assert.deepEqual(statement, ["begin", "commit"]);
  return runs.join(" ");
}

test("speculative writes run once and in order if everything they read is still valid", async () => {
  assert.equal(await runsOf(() => true), "a b c A B C");
});

test("only a write with an outdated read restarts", async () => {
  assert.equal(await runsOf((name) => name !== "b"), "a b c A b B C");
});

test("a write that is rejected before it changes anything doesn't affect the others", async () => {
  const { groups, statement } = openGroups();
  const runs: string[] = [];
  const write = (name: string, isRefused: boolean) =>
    groups.write(
      async (slot: WriteSlot) => {
        await slot.locked();
        runs.push(name);
        if (isRefused) throw new Error(`not ${name}`);
      },
      { repeatable: true },
    );
  const outcomes = await Promise.allSettled([write("a", false), write("b", true), write("c", false)]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
  assert.equal(runs.join(" "), "a b c");
  assert.deepEqual(statement, ["begin", "commit"]);
});

test("a response that arrives after the rollback isn't a failure of the database", async () => {
  const { groups, statement } = openGroups();
  const runs: string[] = [];
  const write = (name: string, isRefused: boolean) =>
    groups.write(
      async (slot: WriteSlot) => {
        runs.push(name);
        await aTurn();
        if (isRefused) {
          const refusal = new Error(`not ${name}`);
          slot.failed(refusal);
          throw refusal;
        }
        await slot.locked();
      },
      { repeatable: true },
    );
  // When the second is refused, the first has had the group taken back.
  const outcomes = await Promise.allSettled([write("a", true), write("b", true), write("c", false)]);
  assert.deepEqual(
    outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.message : "stored")),
    ["not a", "not b", "stored"],
  );
  assert.equal(runs.join(" "), "a b c a b c");
  assert.deepEqual(statement.slice(0, 3), ["begin", "rollback", "begin"]);
  assert.equal(statement.at(-1), "commit");
});

test("a failed statement is rolled back with everything that the database rolled back, even without changes", async () => {
  const { groups, statement } = openGroups();
  const refusal = new Error("not a");
  const refused = groups.write(async (slot: WriteSlot) => {
    await slot.beforeRead();
    slot.failed(refusal);
    throw refusal;
  });
  const stored = groups.write(async (slot: WriteSlot) => void (await slot.beforeChange()));
  await assert.rejects(refused, refusal);
  await stored;
  assert.deepEqual(statement, ["begin alone", "rollback", "begin alone", "commit"]);
});

test("a group that conflicts with another instance runs again alone, and more conflicts make more groups run alone", async () => {
  const { groups, statement } = openGroups(1);
  let runs = 0;
  const write = () =>
    groups.write(
      () => {
        runs += 1;
        return runs;
      },
      { repeatable: true },
    );
  assert.equal(await write(), 2);
  assert.deepEqual(statement.splice(0), ["begin", "commit", "begin alone", "commit"]);
  assert.equal(await write(), 3);
  assert.deepEqual(statement.splice(0), ["begin", "commit"]);
});

test("a group that conflicts repeatedly fails, and the next groups run alone", async () => {
  const { groups, statement } = openGroups(5);
  const write = () => groups.write(() => {}, { repeatable: true });
  await assert.rejects(write(), StoreUnavailable);
  assert.equal(statement.filter((step) => step === "commit").length, 5);
  statement.length = 0;
  await write();
  assert.deepEqual(statement, ["begin alone", "commit"]);
});

test("a write that may run only once runs alone, and fails if its group conflicts", async () => {
  const { groups, statement } = openGroups(1);
  await assert.rejects(
    groups.write(() => {}),
    StoreUnavailable,
  );
  assert.deepEqual(statement, ["begin alone", "commit"]);
});
