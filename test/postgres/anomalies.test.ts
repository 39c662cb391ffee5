/**
 * Planted anomalies: two instances decide at the same time by what the other is about to change. Each pair of requests
 * breaks a rule of `anomalies.md` when the isolation level is lowered on the way to the database, and none does at ours.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { lowersIsolation, PostgresProxy } from "./proxy.ts";
import { freshSchema } from "./server.ts";

const file = join(import.meta.dirname, "anomalies.md");
const { model: compiled } = compile(readFileSync(file, "utf8"), { file });
assert.ok(compiled);
const model = compiled;
const meaning = meaningOf(model);
/**
 * The time that a commit waits for that of the other instance, which may be blocked by this one.
 */
const meetMs = 400;

type Call = readonly [method: string, path: string, body?: object, key?: string];

interface Answer {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly body: never;
}

interface Anomaly {
  readonly name: string;
  readonly before?: readonly Call[];
  readonly pair: readonly [Call, Call];
  /** The request afterwards that shows whether the anomaly happened. */
  readonly shownBy: Call;
  readonly isBroken: (body: never, answers: readonly Answer[]) => boolean;
  /** The database prevents it at every isolation level. */
  readonly isHeldAnyway?: true;
}

const anomalies: readonly Anomaly[] = [
  {
    name: "write skew over a guard: both doctors leave",
    pair: [
      ["POST", "/doctors/d1/leave"],
      ["POST", "/doctors/d2/leave"],
    ],
    shownBy: ["GET", "/doctors"],
    isBroken: (doctors: readonly { readonly duty: string }[]) => doctors.every(({ duty }) => duty === "off"),
  },
  {
    name: "write skew over Always: the accounts together are overdrawn",
    pair: [
      ["POST", "/accounts/a1/take", { amount: 8 }],
      ["POST", "/accounts/a2/take", { amount: 8 }],
    ],
    shownBy: ["GET", "/accounts"],
    isBroken: (accounts: readonly { readonly balance: number }[]) =>
      accounts.reduce((sum, { balance }) => sum + balance, 0) < 0,
  },
  {
    name: "a lost update",
    pair: [
      ["POST", "/counters/c1/raise"],
      ["POST", "/counters/c1/raise"],
    ],
    shownBy: ["GET", "/counters/c1"],
    isBroken: ({ value }: { readonly value: number }, answers) =>
      value !== answers.filter(({ status }) => status === 200).length,
    isHeldAnyway: true,
  },
  {
    name: "a quota is exceeded",
    pair: [
      ["POST", "/books", { shelf: "s1" }],
      ["POST", "/books", { shelf: "s1" }],
    ],
    shownBy: ["GET", "/books"],
    isBroken: (books: readonly unknown[]) => books.length > 1,
  },
  {
    name: "a reference to what is deleted meanwhile",
    pair: [
      ["POST", "/notes", { tags: ["t1"] }],
      ["DELETE", "/tags/t1"],
    ],
    shownBy: ["GET", "/notes"],
    isBroken: (notes: readonly unknown[], [, deleted]) => notes.length > 0 && deleted?.status === 204,
  },
  {
    name: "a unique value twice",
    pair: [
      ["POST", "/notes", { text: "once" }],
      ["POST", "/notes", { text: "once" }],
    ],
    shownBy: ["GET", "/notes"],
    isBroken: (notes: readonly unknown[]) => notes.length !== 1,
    isHeldAnyway: true,
  },
  {
    name: "one idempotency key twice",
    pair: [
      ["POST", "/notes", {}, "k1"],
      ["POST", "/notes", {}, "k1"],
    ],
    shownBy: ["GET", "/notes"],
    isBroken: (notes: readonly unknown[]) => notes.length !== 1,
    isHeldAnyway: true,
  },
  {
    name: "a sequence number twice, or none",
    pair: [
      ["POST", "/notes", {}],
      ["POST", "/notes", {}],
    ],
    shownBy: ["GET", "/notes"],
    isBroken: (notes: readonly { readonly number: number }[]) =>
      notes.map(({ number }) => number).join() !== "1,2",
    isHeldAnyway: true,
  },
];

/** Sends many concurrent requests to both instances. */
async function hotRecord(t: TestContext, atOnce: number): Promise<readonly Answer[]> {
  const both = await instances(t);
  const raise: Call = ["POST", "/counters/c1/raise"];
  const calls = both.flatMap(({ call }) => Array.from({ length: atOnce }, () => call(raise)));
  const answers = await Promise.all(calls);
  const { body } = await both[0].call(["GET", "/counters/c1"]);
  const { value } = body as { readonly value: number };
  assert.equal(value, answers.filter(({ status }) => status === 200).length);
  return answers;
}

test("concurrent changes of one record are each applied once and answered", async (t) => {
  const answers = await hotRecord(t, 60);
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200]);
});

test("if the database aborts every transaction, writes get 503 with Retry-After, and the service recovers", async (t) => {
  const { schema, open } = await emptySchema(t);
  const { call } = await open();
  const client = await schema.connect();
  await client.query(`CREATE FUNCTION aborting() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'aborted' USING ERRCODE = '40001'; END $$`);
  await client.query(`CREATE CONSTRAINT TRIGGER aborting AFTER INSERT ON "Note" DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION aborting()`);
  const note: Call = ["POST", "/notes", {}];
  const refused = await Promise.all([call(note), call(note), call(note)]);
  assert.deepEqual(
    refused.map(({ status, retryAfter }) => [status, retryAfter]),
    Array(3).fill([503, "5"]),
  );
  await client.query(`DROP TRIGGER aborting ON "Note"`);
  assert.deepEqual([(await call(note)).status, (await call(note)).status], [201, 201]);
  const { rows } = await client.query("SELECT sequence FROM ninefold_events ORDER BY sequence");
  assert.deepEqual(rows, [{ sequence: "1" }, { sequence: "2" }]);
  const { body } = await call(["GET", "/notes"]);
  assert.deepEqual(
    (body as readonly { number: number }[]).map(({ number }) => number),
    [1, 2],
  );
});

/** Delays a commit until another one arrives, or for a while. */
function meeting(): () => Promise<void> {
  let first: (() => void) | undefined;
  return () =>
    new Promise((resolve) => {
      if (first) {
        first();
        resolve();
        first = undefined;
        return;
      }
      const over = setTimeout(() => {
        if (first === goOn) first = undefined;
        resolve();
      }, meetMs);
      const goOn = () => {
        clearTimeout(over);
        resolve();
      };
      first = goOn;
    });
}

async function instances(t: TestContext) {
  const { open } = await emptySchema(t);
  return [await open(), await open()] as const;
}

async function emptySchema(t: TestContext) {
  const schema = await freshSchema();
  const ends: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const end of ends) await end();
    await schema.drop();
  });
  const open = async () => {
    const proxy = await PostgresProxy.start(schema.url);
    const store = await openStore(model, meaning, { path: proxy.url });
    const randomBytes = createRandomPool();
    const ports = { clock: systemClock, log: silentLog, randomBytes };
    const service = await createService(model, { store, ports, origin: () => "http://localhost" });
    ends.push(async () => {
      await service.close();
      await store.close();
      await proxy.close();
    });
    const call = async ([method, target, body, key]: Call): Promise<Answer> => {
      const headers = {
        ...(body && { "content-type": "application/json" }),
        ...(key && { "idempotency-key": key }),
      };
      const sent = body && { body: JSON.stringify(body) };
      const answer = await service.fetch(createRequest({ method, target, headers, ...sent }));
      const text = String(answer.body);
      const retryAfter = new Map(answer.headers).get("Retry-After") ?? null;
      return { status: answer.status, retryAfter, body: (text === "" ? null : JSON.parse(text)) as never };
    };
    return { proxy, call };
  };
  return { schema, open };
}

/** The responses of two instances, and whether the rule was violated. */
async function played(t: TestContext, { pair, shownBy, isBroken }: Anomaly, isLowered: boolean) {
  const both = await instances(t);
  const meet = meeting();
  for (const { proxy } of both)
    Object.assign(proxy, { replaces: isLowered ? lowersIsolation : {}, beforeCommit: meet });
  const answers = await Promise.all(both.map(({ call }, at) => call(pair[at] as Call)));
  for (const { proxy } of both) proxy.beforeCommit = undefined;
  const { body } = await both[0].call(shownBy);
  return { isBroken: isBroken(body, answers), statuses: answers.map(({ status }) => status) };
}

for (const anomaly of anomalies) {
  test(`${anomaly.name}: ${anomaly.isHeldAnyway ? "never" : "only at READ COMMITTED"}`, async (t) => {
    const lowered = await played(t, anomaly, true);
    assert.equal(lowered.isBroken, anomaly.isHeldAnyway !== true, JSON.stringify(lowered.statuses));
    const ours = await played(t, anomaly, false);
    assert.equal(ours.isBroken, false, JSON.stringify(ours.statuses));
    assert.deepEqual(
      ours.statuses.filter((status) => status === 503),
      [],
    );
  });
}
