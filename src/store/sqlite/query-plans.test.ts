/** Query plans of SQLite: compiled expressions use indexes, and every shape is one statement. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { newFrame } from "../../expressions/evaluate.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { meaningOf } from "../../model/meaning.ts";
import { compileCount, compileRecords, compileShaped, createCompiler } from "../sql/queries.ts";
import type { RecordsQuery } from "../store.ts";
import { tablesOf } from "../tables.ts";
import { createIndex, createTable, createUnique } from "./statements/ddl.ts";
import { sqliteDialect } from "./statements/dialect.ts";
import { registerFunctions } from "./statements/functions.ts";

const document = `# Interface Specification: Shelf

## What the service does

- Purpose: lends books.

## Resources and their fields

### Reader

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| name | string | unique | |

### Book

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| title | string | required | |
| reader | Reader | | |
| lent_at | timestamp | | |
| pages | integer | | |

## States and transitions

- States: none
- Transitions: none

## Endpoints

### GET /books

- Does: list Book
- Allowed: anyone
- Where: \`this.reader.name == query.reader\`
- Order: lent_at descending
- Pagination: cursor (size: size, after: after)
- Returns: 200 list of Card

| Input | In | Type | Rules |
|---|---|---|---|
| reader | query | string | |

### Shape: Card of Book

\`\`\`cel
{"title": this.title, "token": token(this), "reader": this.reader.name, "others": Book.count(b, b.reader == this.reader)}
\`\`\`

### Shape: Plain of Book

\`\`\`cel
{"title": this.title, "reader": this.reader.name, "others": Book.filter(b, b.reader == this.reader).map(b, b.title)}
\`\`\`

## Authentication

- Scheme: none
`;

function shelf() {
  const { model, diagnostics } = compile(document, { file: "shelf.md" });
  assert.ok(model, JSON.stringify(diagnostics.filter((diagnostic) => diagnostic.severity === "error")));
  const tables = tablesOf(model);
  const database = new DatabaseSync(":memory:");
  registerFunctions(database);
  for (const table of tables.tables) {
    database.exec(createTable(table, tables));
    for (const key of table.uniques) database.exec(createUnique(table, key));
    for (const index of table.indexes) database.exec(createIndex(table, index));
  }
  database.exec(`INSERT INTO "Reader" (id, name) VALUES (1, 'Ada'), (2, 'Grace')`);
  database.exec(`INSERT INTO "Book" (id, title, reader, lent_at) VALUES
    (1, 'A', 1, '2026-11-01T00:00:00.000Z'), (2, 'B', 1, NULL), (3, 'C', 2, '2026-11-03T00:00:00.000Z'),
    (4, 'D', NULL, '2026-11-01T00:00:00.000Z'), (5, 'E', 2, NULL)`);
  const compiler = createCompiler(meaningOf(model), tables, sqliteDialect);
  const plan = (sql: string) =>
    (database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all() as { detail: string }[]).map((row) => row.detail);
  const explain = (sql: string, values: readonly unknown[]) => {
    const statement = database.prepare(sql);
    statement.setReturnArrays(true);
    return statement.all(...(values as never[])) as unknown as unknown[][];
  };
  return { model, compiler, plan, explain };
}

const ports = {
  now: () => 0,
  token: (resource: string, record: RecordValue) => `${resource} ${record["#row"]}`,
};

function frameOf(given: { query?: Value; cursor?: readonly Value[]; page?: Value }) {
  return newFrame(ports as never, { now: "2026-11-20T10:00:00.000Z", ...given });
}

const self: Node = { op: "fixed", name: "this", type: { kind: "record", resource: "Book" } };
const lentAt: Node = { op: "field", of: self, name: "lent_at", type: { kind: "timestamp" } };
const newestFirst: RecordsQuery = { resource: "Book", where: [], order: [{ by: lentAt, descending: true }] };
const wire = { timestamps: "milliseconds", nulls: true } as const;

test("a filter through a reference starts at the referenced record", () => {
  const { model, compiler, plan } = shelf();
  const where = model.endpoints[0]?.where as readonly Expression[];
  const { sql } = compileCount(
    { resource: "Book", where: where.map((expression) => expression.node) },
    compiler,
  );
  assert.match(
    plan(sql).join("; "),
    /^SEARCH j\d USING (COVERING )?INDEX Reader unique name .*SEARCH r1 USING (COVERING )?INDEX Book by reader/,
  );
});

test("the next page of a list is an index search, before and after the nulls", () => {
  const { compiler, plan, explain } = shelf();
  const { sql, bind, decode } = compileRecords({ ...newestFirst, seek: "after" }, compiler);
  assert.deepEqual(
    plan(sql)
      .filter((line) => /SCAN|SORT|B-TREE/.test(line))
      .filter((line) => !line.includes("INDEX")),
    [],
  );
  const behind = (...cursor: Value[]) => {
    const frame = frameOf({ cursor });
    return explain(sql, bind(frame)).map((row) => decode(row, frame)["#row"]);
  };
  assert.deepEqual(behind("2026-11-03T00:00:00.000Z", 3), [4, 1]);
  assert.deepEqual(behind("2026-11-01T00:00:00.000Z", 4), [1]);
  assert.deepEqual(behind(null, 5), [2, 3, 4, 1]);
});

test("a page in a shape with a list and a reference is one statement", () => {
  const { model, compiler, explain } = shelf();
  const body = model.shapes.find((shape) => shape.name === "Plain")?.body.node as Node;
  const { sql, bind, decode } = compileShaped(
    { ...newestFirst, limited: true, withCursor: true },
    body,
    wire,
    compiler,
  );
  const frame = frameOf({ page: { limit: 2, offset: 2 } });
  const rows = explain(sql, bind(frame)).map((row) => decode(row, frame));
  const reported = rows.map(({ json, revision, row, cursor }) => ({ json, revision, row, cursor }));
  assert.deepEqual(reported, [
    {
      json: '{"title":"C","reader":"Grace","others":["C","E"]}',
      revision: 1,
      row: 3,
      cursor: ["2026-11-03T00:00:00.000Z", 3],
    },
    {
      json: '{"title":"D","reader":null,"others":[]}',
      revision: 1,
      row: 4,
      cursor: ["2026-11-01T00:00:00.000Z", 4],
    },
  ]);
});

test("what only the engine can evaluate is extracted, and the query stays one statement", () => {
  const { model, compiler, explain } = shelf();
  const body = model.shapes.find((shape) => shape.name === "Card")?.body.node as Node;
  const { sql, bind, decode } = compileShaped({ ...newestFirst, limited: true }, body, wire, compiler);
  const frame = frameOf({ page: { limit: 1, offset: 2 } });
  const texts = explain(sql, bind(frame)).map((row) => decode(row, frame).json);
  assert.deepEqual(texts, ['{"title":"C","token":"Book 3","reader":"Grace","others":2}']);
});

test("a statement that can't be interrupted uses an index without sorting", () => {
  const { compiler, plan } = shelf();
  const field = (name: string): Node => ({ op: "field", of: self, name, type: { kind: "string" } });
  const equal = (name: string): Node => ({
    op: "binary",
    operator: "==",
    left: field(name),
    right: { op: "named", name: "given", type: { kind: "string" } },
    type: { kind: "boolean" },
  });
  const filled: Node = {
    op: "binary",
    operator: "!=",
    left: field("title"),
    right: { op: "literal", value: "", type: { kind: "string" } },
    type: { kind: "boolean" },
  };
  const wheres = [
    [],
    [equal("id")],
    [equal("reader")],
    [equal("pages")],
    [filled],
    [equal("reader"), filled],
  ];
  const orders = ["id", "title", "reader", "lent_at"].flatMap((name) =>
    [true, false].map((descending) => [{ by: field(name), descending }]),
  );
  const bounded: string[] = [];
  for (const where of wheres) {
    for (const order of [[], ...orders]) {
      for (const limited of [true, false]) {
        for (const skips of [true, false]) {
          const query = { resource: "Book", where, order, limited, skips };
          const { sql, ticks } = compileRecords(query, compiler);
          assert.equal(ticks, sql.includes("ninefold_tick"));
          if (ticks) continue;
          bounded.push(sql);
          const steps = plan(sql).filter((step) => step.includes("B-TREE") || /^SCAN \w+$/.test(step));
          const isInOrderOfMaking = where.length === 0 && order.length === 0 && limited;
          assert.deepEqual(steps, isInOrderOfMaking ? ["SCAN r1"] : [], sql);
        }
      }
    }
  }
  assert.equal(new Set(bounded).size, 24);
});

test("a count of all records reads no rows one by one, and a filtered count can be interrupted", () => {
  const { compiler } = shelf();
  const isLent: Node = { op: "has", of: self, name: "lent_at", type: { kind: "boolean" } };
  assert.equal(compileCount({ resource: "Book", where: [] }, compiler).ticks, false);
  assert.equal(compileCount({ resource: "Book", where: [isLent] }, compiler).ticks, true);
});
