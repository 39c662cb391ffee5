/**
 * Many writes at once, drawn from a fixed seed: some read and change the same records, some look at all of them first, some fail, clash,
 * undo a part or can't be done again. However a store puts them together, it must be as if they ran one after another.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "../../src/expressions/node.ts";
import type { Frame, RecordValue } from "../../src/expressions/value.ts";
import { openStore } from "../../src/store/index.ts";
import { Conflict, type Query, type Store, type Transaction } from "../../src/store/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { equal, field, fieldOfThis, literalNode, model, resource } from "../../src/store/test-model.ts";
import { seed, times } from "../fixed-seed.ts";
import { freshSchema } from "../postgres/server.ts";

const frame = {} as Frame;
const things = model([
  resource("Counter", [field("value", "integer")]),
  resource("Mark", [field("name", "string", { rules: [{ rule: "unique" }] })]),
]);
const idOfCounter = {
  ...fieldOfThis("id"),
  of: { op: "fixed", name: "this", type: { kind: "record", resource: "Counter" } },
} as Node;
const counterIds = ["a", "b", "c", "d", "e", "f"];
const marksMax = 40;

interface Questions {
  readonly counters: ReadonlyMap<string, Query<RecordValue>>;
  readonly marks: Query<number>;
}

function questionsOf(store: Store): Questions {
  const recordById = (id: string) =>
    store.prepareRecords({
      resource: "Counter",
      where: [equal(idOfCounter, literalNode(id))],
      order: [],
    });
  return {
    counters: new Map(counterIds.map((id) => [id, recordById(id)])),
    marks: store.prepareCount({ resource: "Mark", where: [] }),
  };
}

/** Random numbers from 0 to 1, the same for the same seed (mulberry32). */
function randomFrom(from: number): () => number {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What a stored write has read: the values of counters before it increased them. */
type Seen = readonly (readonly [id: string, value: number])[];
type Work = (transaction: Transaction, request: Questions) => Promise<Seen>;

async function raise(transaction: Transaction, { counters }: Questions, id: string): Promise<Seen[number]> {
  const record = await transaction.record(counters.get(id) as Query<RecordValue>, frame);
  assert.ok(record, `${id} is missing`);
  const value = record["value"] as number;
  await transaction.update("Counter", record, { value: value + 1 });
  return [id, value];
}

const event = (row: number, subject: string) => ({
  id: `evt_${subject}`,
  type: "raised",
  time: "2026-11-20T10:00:00.000Z",
  resource: "Counter",
  row,
  subject,
  payload: "{}",
});

/** The kinds of works in a history, as a range of the kinds below. */
const kinds = { "all well": [0, 0.75], "guards alone": [0.5, 0.75], "some failing": [0, 1] } as const;
type Kind = keyof typeof kinds;

/** The works of one history, each kind by its share. */
function works(
  random: () => number,
  count: number,
  of: Kind,
): readonly { work: Work; repeatable: boolean }[] {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  return Array.from({ length: count }, (_, number) => {
    const [from, to] = kinds[of];
    const kind = from + random() * (to - from);
    const [fromId, toId] = [pick(counterIds), pick(counterIds)];
    const repeatable = of !== "some failing" || random() > 0.05;
    const work: Work = async (transaction, request) => {
      if (kind < 0.35) {
        const seen = await raise(transaction, request, fromId);
        await transaction.system.appendEvents([event(1, String(number))]);
        return [seen];
      }
      if (kind < 0.5)
        return [await raise(transaction, request, fromId), await raise(transaction, request, toId)];
      if (kind < 0.75) {
        // A guard over all records: without isolation, two writes would both find the last free
        // slot.
        if ((await transaction.count(request.marks, frame)) >= marksMax) throw new Error("full");
        await transaction.insert("Mark", { id: `m${number}`, name: `mark ${number}` });
        return [];
      }
      if (kind < 0.85) {
        await raise(transaction, request, fromId);
        throw new Error("no");
      }
      if (kind < 0.92) {
        await transaction.insert("Mark", { id: `n${number}`, name: "mark always" });
        return [];
      }
      await transaction
        .part(async () => {
          await raise(transaction, request, fromId);
          await transaction.system.appendEvents([event(1, `${number} undone`)]);
          throw new Error("undone");
        })
        .catch(() => {});
      return [await raise(transaction, request, toId)];
    };
    return { work, repeatable };
  });
}

async function playHistory(stores: readonly Store[], from: number, of: Kind): Promise<void> {
  const [first] = stores as readonly [Store];
  await first.write(async (transaction) => {
    for (const id of counterIds) await transaction.insert("Counter", { id, value: 0 });
  });
  const questions = stores.map(questionsOf);
  const seen: Seen[number][] = [];
  const refused: unknown[] = [];
  const runs = new Map<number, number>();
  const random = randomFrom(from);
  await Promise.all(
    works(random, 200, of).map(async ({ work, repeatable }, number) => {
      // Some start later, while others are running.
      if (random() < 0.5) await new Promise((resolve) => setTimeout(resolve, random() * 60));
      const at = number % stores.length;
      try {
        const found = await (stores[at] as Store).write(
          (transaction) => {
            if (!repeatable) runs.set(number, (runs.get(number) ?? 0) + 1);
            return work(transaction, questions[at] as Questions);
          },
          { repeatable },
        );
        seen.push(...found);
      } catch (error) {
        refused.push(error);
      }
    }),
  );
  for (const times of runs.values()) assert.equal(times, 1, "what can't be done again was run twice");
  for (const error of refused) {
    const isOurs = error instanceof Error && ["no", "full"].includes(error.message);
    const isClash = error instanceof Conflict && error.kind === "duplicate" && error.resource === "Mark";
    assert.ok(isOurs || isClash, `refused for another reason: ${String(error)}`);
  }
  const request = questions[0] as Questions;
  for (const id of counterIds) {
    const record = await first.session.record(request.counters.get(id) as Query<RecordValue>, frame);
    const values = seen.filter(([of]) => of === id).map(([, value]) => value);
    // Exactly one write has read each value, and no value is missing.
    assert.deepEqual(
      values.sort((a, b) => a - b),
      Array.from({ length: record?.["value"] as number }, (_, value) => value),
    );
  }
  assert.equal(await first.session.count(request.marks, frame), marksMax);
  const events = await first.session.system.events();
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    events.map((_, at) => at + 1),
  );
  assert.deepEqual(
    events.filter(({ subject }) => subject.endsWith("undone")),
    [],
  );
}

const histories: readonly (readonly [instances: number, of: Kind])[] = [
  [0, "some failing"],
  [1, "guards alone"],
  [2, "all well"],
  [2, "some failing"],
];

for (const [instances, of] of histories) {
  const where = instances === 0 ? "in memory" : `${instances} on one PostgreSQL`;
  test(`writes are stored as if one after another: ${where}, ${of}`, async () => {
    for (let run = 0; run < times(1); run += 1) await playOn(instances, seed + run, of);
  });
}

async function playOn(instances: number, from: number, of: Kind): Promise<void> {
  const schema = instances === 0 ? undefined : await freshSchema();
  const path = schema?.url ?? ":memory:";
  const stores: Store[] = [];
  for (let count = 0; count < Math.max(1, instances); count += 1)
    stores.push(await openStore(things, meaningOf(things), { path }));
  try {
    await playHistory(stores, from, of);
  } finally {
    for (const store of stores) await store.close();
    await schema?.drop();
  }
}
