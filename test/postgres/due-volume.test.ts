/**
 * Large amounts of due work (everything that expires at midnight): each query reads only the rows
 * that it returns.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openStore } from "../../src/store/index.ts";
import { postgresRowDialect } from "../../src/store/postgres/statements/row-dialect.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import type { Store } from "../../src/store/store.ts";
import { freshSchema, type Schema } from "./server.ts";
import { ownStatements } from "../../src/store/rows/own-statements.ts";

const notes = model([resource("Note", [field("text", "string")])]);
const dueAt = 1_000_000;
const many = 4_000;
const taken = 50;
const { system, deliveries } = ownStatements(postgresRowDialect);
const requested = {
  "timers of all resources": [system.due, [dueAt, taken]],
  "timers of one resource": [system.dueOfResource, [dueAt, "Note", taken]],
  "deliveries of a receiver": [deliveries.due, ["webhook", "Note", 1, dueAt, taken]],
} as const;

let schema: Schema;
let store: Store;
before(async () => {
  schema = await freshSchema();
  // One write of 8,000 statements, which may take long on a busy machine.
  store = await openStore(notes, meaningOf(notes), { path: schema.url, limits: { writeMs: 300_000 } });
  await store.write(async ({ system }) => {
    for (let row = 1; row <= many; row += 1)
      await system.setTimer({ resource: "Note", row, transition: "lapse", end: 0 }, dueAt);
    const reported = {
      type: "note.made",
      time: new Date(dueAt).toISOString(),
      resource: "Note",
      row: 1,
      subject: "1",
    };
    const event = await system.nextSequence();
    system.appendEvents([{ id: "evt_1", ...reported, payload: "{}" }]);
    const to = { channel: "webhook", resource: "Note", row: 1 } as const;
    const about = { event, content: null, queue: null, record: null, createdAt: dueAt };
    await system.deliveries.add(
      Array.from({ length: many }, (_, at) => ({ id: `dlv_${at}`, ...to, ...about })),
    );
  });
});
after(async () => {
  await store.close();
  await schema.drop();
});

/** The number of rows read from a table, as counted by PostgreSQL. */
async function rowsRead(name: keyof typeof requested): Promise<number> {
  const [{ sql }, values] = requested[name];
  const client = await schema.connect();
  await client.query("ANALYZE ninefold_timers; ANALYZE ninefold_deliveries");
  const text = sql.split("?").reduce((before, behind, at) => `${before}$${at}${behind}`);
  const { rows } = await client.query(`EXPLAIN (ANALYZE, FORMAT JSON) ${text}`, [...values]);
  return mostRows(rows[0]?.["QUERY PLAN"][0].Plan);
}

interface PlanNode {
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly Plans?: readonly PlanNode[];
}

function mostRows(node: PlanNode): number {
  return Math.max(node["Actual Rows"] * node["Actual Loops"], ...(node.Plans ?? []).map(mostRows));
}

for (const name of Object.keys(requested) as (keyof typeof requested)[])
  test(`${name}: ${taken} of ${many} are read if ${taken} are requested`, async () => {
    const read = await rowsRead(name);
    assert.ok(read >= taken && read <= taken + 1, String(read));
  });

test("an older schema gets these indexes at its next start, and keeps its own", async () => {
  const client = await schema.connect();
  const indexes = async () =>
    (
      await client.query(
        "SELECT c.oid, pg_get_indexdef(c.oid) AS text FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'i' AND c.relname LIKE 'ninefold\\_timers%' ORDER BY c.relname",
      )
    ).rows;
  const begin = async () => (await openStore(notes, meaningOf(notes), { path: schema.url })).close();
  const wanted = await indexes();
  await begin();
  assert.deepEqual(await indexes(), wanted);
  await client.query(`DROP INDEX "ninefold_timers by due_at"`);
  await client.query(`CREATE INDEX "ninefold_timers by due_at" ON ninefold_timers (due_at) WHERE held = 0`);
  await begin();
  assert.deepEqual(
    (await indexes()).map(({ text }) => text),
    wanted.map(({ text }) => text),
  );
});
