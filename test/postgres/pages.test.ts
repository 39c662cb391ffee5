/**
 * Query plans of list pages: each page reads few rows along an index, independently of the number
 * of records and of its position.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type pg from "pg";
import { newFrame } from "../../src/expressions/evaluate.ts";
import type { Node } from "../../src/expressions/node.ts";
import { types } from "../../src/expressions/type.ts";
import type { ExpressionPorts, Value } from "../../src/expressions/value.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { createQueries } from "../../src/store/postgres/statements/queries.ts";
import type { OwnQuery } from "../../src/store/rows/session.ts";
import type { RecordsQuery, Store } from "../../src/store/store.ts";
import { openStore } from "../../src/store/index.ts";
import { tablesOf } from "../../src/store/tables.ts";
import { libraryModel } from "../documents/library.ts";
import { freshSchema, type Schema } from "./server.ts";

const recordsThere = 20_000;
const limitMax = 101;
/**
 * The maximum number of rows read: a page of 20, additional rows of its index, and records with
 * equal keys.
 */
const lookedAtMax = 4 * limitMax;

const model = libraryModel({
  resources: `### Book

- Identifier: id, made by \`"book_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| shelf | string | required |
| lent_at | timestamp | |`,
  endpoints: ["lent_at descending", "title", "shelf, lent_at descending"]
    .map(
      (order, at) => `### GET /books/${at}

- Does: list Book
- Allowed: anyone
- Order: ${order}
- Pagination: cursor (size: size, after: after)
- Returns: 200 list of Book`,
    )
    .join("\n\n"),
  states: "- States: none\n- Transitions: none",
  authentication: "- Scheme: none",
});

let schema: Schema;
let store: Store;
let client: pg.Client;

before(async () => {
  schema = await freshSchema();
  store = await openStore(model, meaningOf(model), { path: schema.url });
  client = await schema.connect();
  await client.query(`INSERT INTO "Book" (id, title, shelf, lent_at)
    SELECT 'b' || n, md5(n::text), CASE WHEN n % 5000 = 0 THEN 'rare' ELSE 'common' END,
      CASE WHEN n % 3 > 0 THEN timestamptz '2026-01-01' + n * interval '1 second' END
    FROM generate_series(1, ${recordsThere}) AS n`);
  await client.query(`VACUUM ANALYZE "Book"`);
});

after(async () => {
  await store.close();
  await schema.drop();
});

const book: Node = { op: "fixed", name: "this", type: { kind: "record", resource: "Book" } };
const field = (name: "title" | "shelf" | "lent_at"): Node => ({
  op: "field",
  name,
  of: book,
  type: name === "lent_at" ? types.timestamp : types.string,
});
const ports = {} as ExpressionPorts;
const byTime = [{ by: field("lent_at"), descending: true }];
const byTitle = [{ by: field("title"), descending: false }];

interface Place {
  readonly query: Partial<RecordsQuery>;
  readonly cursor?: readonly Value[];
}

interface PlanNode {
  readonly "Node Type": string;
  readonly "Actual Rows": number;
  readonly "Rows Removed by Filter"?: number;
  readonly Plans?: readonly PlanNode[];
}

/**
 * The number of rows that a page reads with a generic plan, which a prepared statement gets after
 * some executions.
 */
async function lookedAt({ query, cursor = [] }: Place): Promise<number> {
  const queries = createQueries(meaningOf(model), tablesOf(model));
  const page = queries.prepareShaped(
    { resource: "Book", where: [], order: byTime, limited: true, limitMax, withCursor: true, ...query },
    field("title"),
    { timestamps: "milliseconds", nulls: true },
  ) as OwnQuery<unknown>;
  const frame = newFrame(ports, { now: "", cursor, page: { limit: 21, offset: 0 } });
  const values = page.bind(frame).map((value) => (value === null ? "NULL" : `'${value}'`));
  await client.query(`PREPARE page AS ${page.sql}`);
  const run = `EXECUTE page${values.length > 0 ? ` (${values.join(", ")})` : ""}`;
  try {
    for (let times = 0; times < 6; times += 1) await client.query(run);
    const { rows } = await client.query(`EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ${run}`);
    const [{ Plan: plan }] = rows[0]["QUERY PLAN"] as [{ readonly Plan: PlanNode }];
    return scanned(plan);
  } finally {
    await client.query("DEALLOCATE page");
  }
}

function scanned(node: PlanNode): number {
  const below = (node.Plans ?? []).reduce((sum, planNode) => sum + scanned(planNode), 0);
  if (!node["Node Type"].includes("Scan") || node["Node Type"] === "Subquery Scan") return below;
  return below + node["Actual Rows"] + (node["Rows Removed by Filter"] ?? 0);
}

const middle = "2026-01-01T02:00:00.000Z";
const places: Readonly<Record<string, Place>> = {
  "the first page": { query: {} },
  "the first page by text": { query: { order: byTitle } },
  "a page in the middle": { query: { seek: "after" }, cursor: [middle, 7_200] },
  "a page further back": { query: { seek: "before" }, cursor: [middle, 7_200] },
  "a page in the middle by text": { query: { order: byTitle, seek: "after" }, cursor: ["7", 12] },
};

for (const [name, place] of Object.entries(places))
  test(`${name} of ${recordsThere} reads few records`, async () => {
    const count = await lookedAt(place);
    assert.ok(count >= 20 && count <= lookedAtMax, `${count} were looked at`);
  });
