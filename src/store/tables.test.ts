/** Tables of a model: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Node } from "../expressions/node.ts";
import type { FieldType } from "../fields/type.ts";
import type { Endpoint, Input, Model, Resource } from "../model/model.ts";
import { indexedFields } from "./indexed-fields.ts";
import { createIndex, createTable, createUnique } from "./sqlite/statements/ddl.ts";
import { tablesOf } from "./tables.ts";
import { endpoint, equal, expression, field, fieldOfThis, model, position, resource } from "./test-model.ts";

const to = (name: string): FieldType => ({ kind: "reference", resource: name });

/** The statements that make one table, its indexes without their names. */
function statements(of: Model, name: string): string[] {
  const tables = tablesOf(of);
  const table = tables.tables.find((candidate) => candidate.name === name);
  assert.ok(table);
  const indexes = [
    ...table.uniques.map((key) => createUnique(table, key)),
    ...table.indexes.map((index) => createIndex(table, index)),
  ];
  return [
    createTable(table, tables),
    ...indexes.map((text) => text.replace(/INDEX "[^"]*" ON "\w+"/, "INDEX")),
  ];
}

/** The derived indexes of a resource, in words. */
function indexes(of: Model, name: string): string[] {
  const table = tablesOf(of).tables.find((candidate) => candidate.name === name);
  return (table?.indexes ?? []).map((index) =>
    index.columns.map((column) => (column.descending ? `${column.name} down` : column.name)).join(", "),
  );
}

test("each type has its column, and each unique rule its index", () => {
  const of = model([
    resource("Shop", [field("name", "string", { rules: [{ rule: "any case" }, { rule: "unique" }] })]),
    resource(
      "Parcel",
      [
        field("shop", to("Shop")),
        field("weight", "integer"),
        field("ratio", "number"),
        field("price", "decimal"),
        field("fragile", "boolean"),
        field("made_at", "timestamp"),
        field("wait", "duration"),
        field("tags", { kind: "list", of: { kind: "string" } }),
        field("key", "credential"),
        field("total", "integer", {
          rules: [{ rule: "computed", value: expression(fieldOfThis("weight")) }],
        }),
      ],
      { deleted: "marked", unique: [{ fields: ["shop", "price"], position }] },
    ),
  ]);
  assert.deepEqual(statements(of, "Parcel"), [
    `CREATE TABLE "Parcel" (
  "#row" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" TEXT,
  "shop" TEXT REFERENCES "Shop" ("id"),
  "weight" INTEGER,
  "ratio" REAL,
  "price" TEXT,
  "fragile" INTEGER CHECK ("fragile" IN (0, 1)),
  "made_at" TEXT,
  "wait" INTEGER,
  "tags" TEXT,
  "key" TEXT,
  "#revision" INTEGER NOT NULL DEFAULT 1,
  "#deleted" INTEGER NOT NULL DEFAULT 0
) STRICT`,
    `CREATE UNIQUE INDEX ("id")`,
    `CREATE UNIQUE INDEX ("shop", CASE WHEN instr("price", '.') THEN rtrim(rtrim("price", '0'), '.') ELSE "price" END)`,
  ]);
  assert.match(statements(of, "Shop")[0] as string, /"name" TEXT COLLATE NOCASE/);
});

test("a reference has the form and case of its target's identifier; several identifying fields form one text", () => {
  const of = model([
    resource("Counter", [field("number", "integer", { role: "identifier" })], {
      identifier: { kind: "given", field: "number" },
    }),
    resource("Tag", [field("name", "string", { rules: [{ rule: "any case" }], role: "identifier" })], {
      identifier: { kind: "given", field: "name" },
    }),
    resource("Like", [field("user", "string"), field("item", "string")], {
      identifier: { kind: "joint", fields: ["user", "item"] },
    }),
    resource("Note", [field("counter", to("Counter")), field("tag", to("Tag")), field("like", to("Like"))]),
  ]);
  const [note] = statements(of, "Note");
  assert.match(note as string, /"counter" INTEGER REFERENCES "Counter" \("number"\)/);
  assert.match(note as string, /"tag" TEXT COLLATE NOCASE REFERENCES "Tag" \("name"\)/);
  assert.match(note as string, /"like" TEXT REFERENCES "Like" \("#key"\),/);
  assert.match(statements(of, "Like")[0] as string, /"#key" TEXT,/);
  assert.ok(statements(of, "Like").includes(`CREATE UNIQUE INDEX ("user", "item")`));
});

test("embedded values have no table", () => {
  const of = model([resource("Address", [field("line", "string")], { identifier: { kind: "none" } })]);
  assert.deepEqual(tablesOf(of).tables, []);
});

const caller: Node = { op: "fixed", name: "caller", type: { kind: "string" } };
const courier: Node = { op: "literal", value: true, type: { kind: "boolean" } };

function parcels(changes: Partial<Endpoint>, resourceChanges: Partial<Resource> = {}): Model {
  const list = endpoint({
    resource: "Parcel",
    does: [{ kind: "list", resource: "Parcel", position }],
    ...changes,
  });
  const fields = [
    field("shop", to("Shop")),
    field("status", "string"),
    field("paid", "boolean"),
    field("made_at", "timestamp"),
    field("reference", "string"),
  ];
  return model([resource("Shop", []), resource("Parcel", fields, resourceChanges)], { endpoints: [list] });
}

const order = (name: string, descending: boolean): Endpoint["order"] => [
  { keys: [{ by: expression(fieldOfThis(name)), descending }], position },
];

const filter = (name: string): Input => ({
  name: [name],
  in: "query",
  type: { kind: "string" },
  rules: [],
  required: false,
  filter: { kind: "equals", field: name },
  position,
});

test("an index of a list has constant conditions first, then filters, then the order", () => {
  const of = parcels({
    where: [expression(equal(fieldOfThis("shop"), caller))],
    inputs: [filter("status"), filter("paid")],
    order: order("made_at", true),
  });
  assert.deepEqual(indexes(of, "Parcel"), ["shop, made_at", "shop, status, made_at"]);
});

test("each alternative of an `or` has its index; filters use the most selective one", () => {
  const visible: Node = {
    op: "or",
    left: equal(fieldOfThis("shop"), caller),
    right: courier,
    type: { kind: "boolean" },
  };
  const of = parcels(
    { inputs: [filter("status"), filter("reference")], order: order("made_at", true) },
    { visible: expression(visible), unique: [{ fields: ["shop", "reference"], position }] },
  );
  assert.deepEqual(indexes(of, "Parcel"), ["shop, made_at", "made_at", "shop, status, made_at"]);
});

test("the index of an order that ends descending is reversed, so that ties are in order, too", () => {
  const keys = [
    { by: expression(fieldOfThis("status")), descending: false },
    { by: expression(fieldOfThis("made_at")), descending: true },
  ];
  assert.deepEqual(indexes(parcels({ order: [{ keys, position }] }), "Parcel"), [
    "shop",
    "status down, made_at",
  ]);
});

test("the fields of a sign-in are indexed, except the password", () => {
  const sent = (name: string, type: Input["type"]): Input => {
    const { filter: _none, ...input } = filter(name);
    return { ...input, in: "body", type, sets: name };
  };
  const of = parcels({
    does: [{ kind: "sign in", resource: "Parcel", position }],
    inputs: [sent("reference", { kind: "string" }), sent("status", { kind: "password" })],
  });
  assert.deepEqual(indexes(of, "Parcel"), ["shop", "reference"]);
});

test("fields by which expressions search collections are indexed, anywhere in the model", () => {
  const candidate: Node = { op: "local", name: "p", depth: 0, type: { kind: "record", resource: "Parcel" } };
  const name: Node = { op: "field", of: candidate, name: "reference", type: { kind: "string" } };
  const search: Node = {
    op: "macro",
    macro: "exists",
    variable: "p",
    depth: 0,
    type: { kind: "boolean" },
    of: { op: "collection", resource: "Parcel", type: { kind: "collection", resource: "Parcel" } },
    body: equal(name, fieldOfThis("id")),
  };
  const of = model([
    resource("Shop", [], { always: [expression(search)] }),
    ...parcels({}).resources.slice(1),
  ]);
  assert.deepEqual(indexes(of, "Parcel"), ["shop", "reference"]);
});

test("the tables of a model survive JSON", () => {
  const tables = tablesOf(parcels({ order: order("made_at", true) }));
  assert.deepEqual(JSON.parse(JSON.stringify(tables)), tables);
});

test("a column with a value that no client sees is marked hidden, at any depth", () => {
  const value = (name: string): FieldType => ({ kind: "value", resource: name });
  const none = { identifier: { kind: "none" } } as const;
  const of = model([
    resource("Plain", [field("text", "string"), field("more", { kind: "list", of: value("Plain") })], none),
    resource("Login", [field("name", "string"), field("secret", "password")], none),
    resource("Outer", [field("logins", { kind: "map", of: value("Login") })], none),
    resource("Account", [
      field("name", "string"),
      field("secret", "password"),
      field("key", "credential"),
      field("keys", { kind: "list", of: { kind: "credential" } }),
      field("note", "string", { rules: [{ rule: "internal" }] }),
      field("plain", value("Plain")),
      field("login", value("Login")),
      field("outer", { kind: "list", of: value("Outer") }),
    ]),
  ]);
  const table = tablesOf(of).tables.find(({ name }) => name === "Account");
  assert.deepEqual(
    table?.columns.filter(({ hidden }) => hidden).map(({ name }) => name),
    ["secret", "key", "keys", "note", "login", "outer"],
  );
});

test("the indexed fields are those at the start of an index", () => {
  const of = model([
    resource("Shop", [field("name", "string", { rules: [{ rule: "unique" }] })]),
    resource("Parcel", [field("shop", to("Shop")), field("price", "decimal"), field("text", "string")], {
      unique: [{ fields: ["price", "text"], position }],
    }),
  ]);
  assert.deepEqual([...indexedFields(of, "Shop")].sort(), ["id", "name"]);
  assert.deepEqual([...indexedFields(of, "Parcel")].sort(), ["id", "price", "shop"]);
  assert.deepEqual([...indexedFields(of, "Nothing")], []);
});
