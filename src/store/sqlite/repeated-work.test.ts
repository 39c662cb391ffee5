/**
 * Repeated writes: random groups, in which some writes are rolled back.
 *
 * Whatever a store repeats, each write has run once in its order, and is stored once. A write that
 * isn't repeatable runs once.
 */
import assert from "node:assert/strict";
import { setImmediate as aTurn } from "node:timers/promises";
import { test } from "node:test";
import { fc, times } from "../../../test/fixed-seed.ts";
import type { Frame } from "../../expressions/value.ts";
import type { Store, Transaction } from "../store.ts";
import { statementOf, openTestStore } from "../test-files.ts";
import { field, model, resource } from "../test-model.ts";
import { sqliteAlone } from "../../../test/sqlite-alone.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string", { rules: [{ rule: "unique" }] })])]);
const stored = statementOf(
  `SELECT group_concat("text", ' ') FROM (SELECT "text" FROM "Note" ORDER BY "#row")`,
);
const count = statementOf(`SELECT count(*) FROM "Note"`);

interface Drawn {
  readonly repeatable: boolean;
  readonly waits: boolean;
  /**
   * How a write ends: its change stays, violates a unique key, or is rolled back; or it only reads.
   */
  readonly end: "stays" | "is a duplicate" | "fails when it has stored" | "fails before" | "looks";
}

const drawn: fc.Arbitrary<Drawn> = fc.record({
  repeatable: fc.boolean(),
  waits: fc.boolean(),
  end: fc.constantFrom(
    "stays",
    "stays",
    "is a duplicate",
    "fails when it has stored",
    "fails before",
    "looks",
  ),
});

/** The effects of a write outside the store, in an object that each run creates. */
interface Attempt {
  readonly did: string[];
  saw: unknown;
}

class Ended extends Error {
  readonly attempt: Attempt;
  constructor(attempt: Attempt, cause: unknown) {
    super("ended", { cause });
    this.attempt = attempt;
  }
}

function createChangeWork({ waits, end }: Drawn, at: number, ran: () => void) {
  const run = async (transaction: Transaction, attempt: Attempt) => {
    attempt.saw = await transaction.value(count, frame);
    if (waits) await aTurn();
    if (end === "fails before") throw new Error(end);
    attempt.did.push("called another service");
    if (end === "looks") return;
    await transaction.insert("Note", { id: String(at), text: `${at}` });
    if (end === "is a duplicate") await transaction.insert("Note", { id: `${at} again`, text: `${at}` });
    attempt.did.push("stored");
    if (end === "fails when it has stored") throw new Error(end);
  };
  return async (transaction: Transaction): Promise<Attempt> => {
    ran();
    const attempt: Attempt = { did: [], saw: null };
    try {
      await run(transaction, attempt);
    } catch (error) {
      throw new Ended(attempt, error);
    }
    return attempt;
  };
}

const didOf: Record<Drawn["end"], readonly string[]> = {
  stays: ["called another service", "stored"],
  "is a duplicate": ["called another service"],
  "fails when it has stored": ["called another service", "stored"],
  "fails before": [],
  looks: ["called another service"],
};

async function attemptOf(written: Promise<Attempt>): Promise<Attempt> {
  try {
    return await written;
  } catch (error) {
    if (error instanceof Ended) return error.attempt;
    throw error;
  }
}

/** Makes names unique across the groups of a store. */
let offset = 0;

async function checkGroup(store: Store, works: readonly Drawn[]): Promise<void> {
  const runs = works.map(() => 0);
  const before = Number(await store.session.value(count, frame));
  const first = offset;
  const attempts = await Promise.all(
    works.map((work, at) =>
      attemptOf(
        store.write(
          createChangeWork(work, first + at, () => {
            runs[at] = (runs[at] as number) + 1;
          }),
          { repeatable: work.repeatable },
        ),
      ),
    ),
  );
  const kept = works.flatMap(({ end }, at) => (end === "stays" ? [at] : []));
  for (const [at, { repeatable, end }] of works.entries()) {
    assert.deepEqual(attempts[at]?.did, didOf[end]);
    assert.equal(attempts[at]?.saw, before + kept.filter((earlier) => earlier < at).length);
    if (!repeatable) assert.equal(runs[at], 1, `a work that can't be done again was run ${runs[at]} times`);
  }
  const all = String((await store.session.value(stored, frame)) ?? "").split(" ");
  assert.deepEqual(
    all.slice(all.length - kept.length),
    kept.map((at) => String(first + at)),
  );
  assert.equal(await store.session.value(count, frame), before + kept.length);
}

/** Groups don't end by time, which a busy machine would decide. */
const groupMs = Number.MAX_SAFE_INTEGER;

const groups = sqliteAlone("PostgreSQL groups writes in another way; test/postgres checks what they leave");

test(
  "each write is stored once and in order, with the effects of one run, whatever is repeated",
  groups,
  async (t) => {
    for (const writesMax of [4, 256]) {
      const store = await openTestStore(t, notes, ":memory:", { limits: { writesMax, groupMs } });
      await fc.assert(
        fc.asyncProperty(fc.array(drawn, { minLength: 1, maxLength: 12 }), async (works) => {
          offset += 100;
          await checkGroup(store, works);
          // After a repeated group, the next ones aren't speculative. These make the following one
          // speculative again.
          for (let careful = 0; careful < 20; careful += 1) await store.write(() => {}, { repeatable: true });
        }),
        { numRuns: times(150) },
      );
    }
  },
);

test("after a rollback, only repeatable writes of the group run again", groups, async (t) => {
  const store = await openTestStore(t, notes, ":memory:", { limits: { groupMs } });
  const runs: string[] = [];
  const add = (name: string, repeatable: boolean, fails = false) =>
    store
      .write(
        (transaction) => {
          runs.push(name);
          return Promise.resolve(transaction.insert("Note", { id: name, text: name })).then(() => {
            if (fails) throw new Error("no");
          });
        },
        { repeatable },
      )
      .catch(() => {});
  await Promise.all([add("a", true), add("b", true, true), add("c", false), add("d", true)]);
  assert.equal(runs.join(" "), "a b a b c d");
  assert.equal(await store.session.value(stored, frame), "a c d");
  runs.length = 0;
  for (let careful = 0; careful < 20; careful += 1) await store.write(() => {}, { repeatable: true });
  await Promise.all([add("e", true), add("f", false), add("g", true, true), add("h", true)]);
  assert.equal(runs.join(" "), "e f g h");
  assert.equal(await store.session.value(stored, frame), "a c d e f h");
});
