/**
 * Texts longer than an index row can be (in PostgreSQL 2,704 bytes), in unique fields, in an order
 * or a filter. Both databases give the same results, and PostgreSQL uses an index nevertheless.
 */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { createRequest } from "../../src/engine/http/message.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import type { Node } from "../../src/expressions/node.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { postgresDialect } from "../../src/store/postgres/statements/dialect.ts";
import { compileRecords, createCompiler } from "../../src/store/sql/queries.ts";
import type { RecordsQuery } from "../../src/store/store.ts";
import { tablesOf } from "../../src/store/tables.ts";
import { equal, literalNode } from "../../src/store/test-model.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { libraryModel } from "../documents/library.ts";
import { freshSchema } from "../postgres/server.ts";

const model = libraryModel({
  resources: `### Leaf

- Identifier: slug, given

| Field | Type | Rules |
|---|---|---|
| slug | string | required |
| address | uri | unique |
| site | string | |
| title | string | any case |
| parent | Leaf | |
| body | string | nullable |

- Unique: site, title`,
  states: "- States: none\n- Transitions: none",
  endpoints: `### POST /leaves

- Does: create Leaf
- Body: slug, address, site, title, parent?, body?
- Returns: 201 \`{"slug": this.slug}\`

### GET /leaves

- Does: list Leaf
- Query: address?, site?
- Order: address
- Pagination: cursor (size: size, after: after), with Link
- Returns: 200 list of Name

### GET /bodies

- Does: list Leaf
- Query: site
- Order: body descending, title
- Pagination: cursor (size: size, after: after), with Link
- Returns: 200 list of Name

### GET /behind

- Does: list Leaf
- Where: \`this.address > query.from && this.address in [query.from, query.one, query.other]\`
- Pagination: none
- Returns: 200 list of Name

| Input | In | Type | Rules |
|---|---|---|---|
| from | query | string | required |
| one | query | string | required |
| other | query | string | required |

### Shape: Name of Leaf

\`\`\`cel
{"slug": this.slug}
\`\`\``,
  authentication: "- Scheme: none",
});

/** Text that the database can't compress. */
function noise(seed: string, length: number): string {
  let text = "";
  while (text.length < length)
    text += createHash("sha512")
      .update(seed + text.length)
      .digest("base64url");
  return text.slice(0, length);
}

const long = (seed: string): string => noise(seed, 2_710);
/** The maximum length of an identifier. */
const widest = "€".repeat(341);
/** A common prefix longer than an index entry. */
const alike = noise("alike", 250);
const addresses = [
  `https://a.example/${alike}${long("1")}`,
  `https://a.example/${alike}${long("2")}`,
  `https://a.example/${alike}`,
  "https://b.example/",
  `https://c.example/${long("3")}`,
];
const leaf = (at: number, more: object = {}) => ({
  slug: `p${at}`,
  address: addresses[at],
  site: at < 3 ? long("site") : "short",
  title: noise(`title ${at}`, 2_000),
  body: at === 3 ? null : `${alike}${at}`,
  ...more,
});

async function answers(path: string): Promise<readonly unknown[]> {
  const store = await openStore(model, meaningOf(model), { path });
  const service = await createService(model, {
    store,
    ports: { clock: systemClock, log: silentLog, randomBytes: (count) => new Uint8Array(count) },
    origin: () => "http://service.example",
  });
  const sendRequest = async (method: string, target: string, body?: object) => {
    const request = { method, target, headers: [["Content-Type", "application/json"]] as [string, string][] };
    const answer = await service.fetch(
      createRequest({ ...request, ...(body && { body: JSON.stringify(body) }) }),
    );
    const next = answer.headers
      .find(([name]) => name === "Link")?.[1]
      .match(/<http:\/\/service\.example([^>]+)>; rel="next"/)?.[1];
    const read = JSON.parse(String(answer.body));
    return { next, reported: [answer.status, read.detail ?? read.slug ?? slugsOf(read)] };
  };
  const reported: unknown[] = [];
  const make = async (fields: object) =>
    void reported.push((await sendRequest("POST", "/leaves", fields)).reported);
  const read = async (target: string) => {
    for (let next: string | undefined = target; next; ) {
      const page = await sendRequest("GET", next);
      reported.push(page.reported);
      next = page.next;
    }
  };
  const q = encodeURIComponent;
  for (const at of addresses.keys()) await make(leaf(at));
  await make(leaf(0, { slug: "again", title: "other" }));
  await make(
    leaf(1, { slug: "joint", address: "https://d.example/", title: noise("title 1", 2_000).toUpperCase() }),
  );
  await make(leaf(2, { slug: noise("slug", 1_025) }));
  await make(leaf(2, { slug: "€".repeat(342) }));
  await make(leaf(2, { slug: widest, address: "https://e.example/", title: "é" }));
  await make(leaf(2, { slug: "child", parent: widest, address: "https://f.example/", title: "e" }));
  await read("/leaves?size=2");
  await read(`/leaves?address=${q(addresses[1] as string)}`);
  await read(`/leaves?site=${q(long("site"))}&size=2`);
  await read(`/bodies?site=${q(long("site"))}&size=2`);
  await read(`/behind?from=${q(addresses[2] as string)}&one=${q(addresses[0] as string)}&other=x`);
  await service.close();
  await store.close();
  return reported;
}

function slugsOf(read: unknown): unknown {
  return Array.isArray(read) ? read.map(({ slug }) => slug).join(" ") : read;
}

const tooLong = [422, "slug identifies the record, and has more than 1024 bytes."];

test("long texts are unique, found and in order on both databases alike", async (t) => {
  const schema = await freshSchema();
  t.after(() => schema.drop());
  const [file, postgres] = [await answers(":memory:"), await answers(schema.url)];
  assert.deepEqual(postgres, file);
  assert.deepEqual(file, [
    ...[0, 1, 2, 3, 4].map((at) => [201, `p${at}`]),
    [409, "address is already taken."],
    [409, "site is already taken."],
    tooLong,
    tooLong,
    [201, widest],
    [201, "child"],
    [200, "p2 p1"],
    [200, "p0 p3"],
    [200, `p4 ${widest}`],
    [200, "child"],
    [200, "p1"],
    [200, "p2 p1"],
    [200, `p0 ${widest}`],
    [200, "child"],
    [200, "child p2"],
    [200, `${widest} p1`],
    [200, "p0"],
    [200, "p0"],
  ]);
});

const field = (name: string): Node => ({
  op: "field",
  name,
  of: { op: "fixed", name: "this", type: { kind: "record", resource: "Leaf" } },
  type: { kind: "string" },
});
const order = [{ by: field("address"), descending: false }];
const plans: readonly (readonly [string, Omit<RecordsQuery, "resource">, RegExp])[] = [
  [
    "by a unique text",
    { where: [equal(field("address"), literalNode("x"))], order: [] },
    /Index Cond: .*"left"\(address/,
  ],
  [
    "by both of a joint key",
    { where: [equal(field("site"), literalNode("x")), equal(field("title"), literalNode("X"))], order: [] },
    /Index Cond: .*"left"\(site.*"left"\(lower\(title/,
  ],
  ["a first page", { where: [], order, limited: true }, /Presorted Key: \("left"\(address[\s\S]*Index Scan/],
  [
    "a page further on",
    { where: [], order, limited: true, seek: "after" },
    /Index Cond: \("left"\(address[^>]*>=/,
  ],
];

test("PostgreSQL uses an index on the beginnings of texts", async (t) => {
  const schema = await freshSchema();
  t.after(() => schema.drop());
  const meaning = meaningOf(model);
  await (await openStore(model, meaning, { path: schema.url })).close();
  const client = await schema.connect();
  await client.query(
    "SET enable_seqscan TO off; SET enable_bitmapscan TO off; SET plan_cache_mode TO force_generic_plan",
  );
  const compiler = createCompiler(meaning, tablesOf(model), postgresDialect);
  for (const [what, query, plan] of plans) {
    const { sql } = compileRecords({ resource: "Leaf", ...query }, compiler);
    const count = new Set(sql.match(/\$\d+/g)).size;
    const given = count === 0 ? "" : `(${Array(count).fill("NULL").join(", ")})`;
    await client.query(`PREPARE query AS ${sql}`);
    const { rows } = await client.query(`EXPLAIN (COSTS OFF) EXECUTE query${given}`);
    await client.query("DEALLOCATE query");
    assert.match(rows.map((row) => row["QUERY PLAN"]).join("\n"), plan, what);
  }
});

test("values after long texts in a joint key distinguish records", async () => {
  const joint = libraryModel({
    resources: `### Seat

- Identifier: id, made by \`"s_" + random(12)\`

| Field | Type | Rules |
|---|---|---|
| hall | string | |
| block | string | |
| side | string | |
| tier | string | |
| row | integer | |
| price | decimal | |
| free | boolean | |

- Unique: hall, block, side, tier, row, price, free`,
    states: "- States: none\n- Transitions: none",
    endpoints: `### POST /seats

- Does: create Seat
- Body: hall, block, side, tier, row, price, free
- Returns: 201 \`{"id": this.id}\``,
    authentication: "- Scheme: none",
  });
  const seat = { hall: "a", block: "b", side: "c", tier: "d", row: 1, price: "1.5", free: true };
  const reported = {
    another: { ...seat, row: 2 },
    "another price": { ...seat, price: "1.25" },
    taken: seat,
    "the same": { ...seat, price: "1.50" },
  };
  const schema = await freshSchema();
  for (const path of [":memory:", schema.url]) {
    const store = await openStore(joint, meaningOf(joint), { path });
    const ports = { clock: systemClock, log: silentLog, randomBytes: createRandomPool() };
    const service = await createService(joint, { store, ports, origin: () => "http://x" });
    const status = async (body: object) =>
      (
        await service.fetch(
          createRequest({
            method: "POST",
            target: "/seats",
            headers: [["Content-Type", "application/json"]],
            body: JSON.stringify(body),
          }),
        )
      ).status;
    assert.equal(await status(seat), 201);
    const answers = await Promise.all(Object.values(reported).map(status));
    assert.deepEqual(answers, [201, 201, 409, 409], path);
    await service.close();
    await store.close();
  }
  await schema.drop();
});
