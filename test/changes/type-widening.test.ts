/**
 * Type widening: if the new type accepts all values of the old one, a start converts the stored
 * values without a stored change.
 */
import assert from "node:assert/strict";
import type { Value } from "../../src/expressions/value.ts";
import { documentOf, open, resource, value } from "./desk.ts";
import {
  columnsOf,
  forgetRules,
  kept,
  changed,
  newPath,
  refused,
  reportedAtOpening,
  rowsOf,
  type Stored,
  testOnEach,
} from "./support.ts";

testOnEach("integers become numbers, and timestamps, dates and decimals become texts", async () => {
  const fields = ["count", "at", "day", "price"];
  const table = (...types: readonly string[]) =>
    documentOf(resource("Item", ...fields.map((name, at) => `${name} | ${types[at]} |`)));
  const then = table("number", "string", "string", "string");
  const stored: Stored = [
    [
      "Item",
      {
        id: "1",
        count: 3,
        at: "2026-11-20T10:00:00.120Z",
        day: "2026-11-20",
        price: "1.50",
      },
    ],
    ["Item", { id: "2" }],
  ];
  const { path } = await changed(table("integer", "timestamp", "date", "decimal"), stored, then);
  assert.deepEqual(await rowsOf(path, `SELECT count, at, day, price, "#revision" FROM Item ORDER BY id`), [
    [3, "2026-11-20T10:00:00.120Z", "2026-11-20", "1.50", 1],
    [null, null, null, null, 1],
  ]);
  const fresh = await newPath();
  await (await open(then, fresh)).close();
  assert.deepEqual(await columnsOf(path, "Item"), await columnsOf(fresh, "Item"));
});

testOnEach("the unit of a duration is stated where it becomes another type, or plain JSON", async () => {
  const fields = ["count", "wait", "laps", "each", "times"];
  const table = (...types: readonly string[]) =>
    documentOf(
      resource(
        "Item",
        ...fields.map((name, at) => `${name} | ${types[at]} |`),
        "times.of | list of duration |",
      ),
    );
  const plain = (...types: readonly string[]) =>
    documentOf(resource("Item", ...fields.map((name, at) => `${name} | ${types[at]} |`)));
  const stored: Stored = [
    ["Item", { id: "1", count: 5, wait: 90_000, laps: [90_000], each: { k: 1 }, times: { of: [1_500] } }],
  ];
  const then = plain("duration", "integer", "json", "json", "json");
  const error = await refused(
    table("integer", "duration", "list of duration", "map of integer", "object"),
    stored,
    then,
  );
  assert.deepEqual(error.obstacles, [
    "Item.count was integer and is now duration, and 1 Item has a value: 5 (1)",
    "Item.wait was duration and is now integer, and 1 Item has a value: 90000 ms (1)",
    "Item.laps was list of duration and is now json, and 1 Item has a value: [90000] (1)",
    'Item.times was object and is now json, and 1 Item has a value: {"of":[1500]} (1)',
  ]);
  assert.deepEqual(error.paste, [
    "### Stored change: count",
    "",
    "- For each Item: `count = duration(old.count)`",
    "- For each Item: `wait = int(old.wait)`",
    "- For each Item: `laps = old.laps.map(item, string(item))`",
    "- For each Item: `times = VALUE`",
  ]);
  const lines = error.paste.join("\n").replace("VALUE", "null");
  await reportedAtOpening(then.replace(/\n$/, `\n${lines}\n`), error.path);
  assert.deepEqual(await rowsOf(error.path, `SELECT count, wait, laps, each, times FROM Item`), [
    [5_000, 90, '["1m30s"]', '{"k":1}', null],
  ]);
});

interface SentOtherwise {
  readonly type: string;
  readonly to: string;
  readonly value: Value;
  readonly line: string;
  /** Items of part 4. */
  readonly items?: string;
  /** Further rows of the table. */
  readonly rows?: readonly string[];
}

const unix = "- Timestamps: unix seconds\n";
const moment = "2026-11-20T10:00:00.000Z";

/** Values that clients get in another form than the stored one. */
const otherwise: readonly SentOtherwise[] = [
  { type: "timestamp", to: "string", value: moment, line: "string(old.x)", items: unix },
  { type: "timestamp", to: "string", value: moment, line: "string(old.x)", items: "- Timestamps: seconds\n" },
  {
    type: "list of timestamp",
    to: "json",
    value: [moment],
    line: "old.x.map(item, string(item))",
    items: unix,
  },
  { type: "map of timestamp", to: "json", value: { k: moment }, line: "VALUE", items: unix },
  { type: "Pair", to: "string", value: '["1","z"]', line: "VALUE" },
  { type: "list of Pair", to: "json", value: ['["1","z"]'], line: "VALUE" },
  { type: "list of Kept", to: "json", value: ['["1","z"]'], line: "VALUE" },
  { type: "Named", to: "json", value: { town: "Ulm" }, line: "VALUE" },
  { type: "map of Named", to: "json", value: { k: { town: "Ulm" } }, line: "VALUE" },
  { type: "Hidden", to: "json", value: { town: "Ulm", pin: "1" }, line: "VALUE" },
  { type: "WriteOnly", to: "json", value: { town: "Ulm", pin: "1" }, line: "VALUE" },
  { type: "Computed", to: "json", value: { town: "Ulm" }, line: "VALUE" },
  { type: "list of Outer", to: "json", value: [{ inner: { town: "Ulm" } }], line: "VALUE" },
  {
    type: "object",
    to: "json",
    value: { y: "1" },
    line: "VALUE",
    rows: ['x.y | string | sent as "Y"'],
  },
  {
    type: "Plain",
    to: "json",
    value: { town: "Ulm", number: null },
    line: "VALUE",
    items: "- Null fields: omitted\n",
  },
];

const around =
  resource("Pair", "b | string |").replace("Identifier: id, given", "Identifier: id and b") +
  resource("Kept", "kept | string |")
    .replace("Identifier: id, given", "Identifier: pair, given")
    .replace("| id | string |", "| pair | Pair |") +
  value("Plain", "town | string |", "number | integer |") +
  value("Named", 'town | string | sent as "@town"') +
  value("Hidden", "town | string |", "pin | string | internal") +
  value("WriteOnly", "town | string |", "pin | string | write-only") +
  value("Computed", "town | string |", 'both | string | = `this.town + "!"`') +
  value("Outer", "inner | Named |");

const thing = (type: string, { items = "", rows = [] }: Partial<SentOtherwise> = {}): string =>
  documentOf(around + resource("Thing", `x | ${type} |`, ...rows)).replace(
    "## Endpoints\n",
    `## Endpoints\n\n${items}`,
  );
const others: Stored = [
  ["Pair", { id: "1", b: "z" }],
  ["Kept", { pair: '["1","z"]', kept: "k" }],
];

testOnEach("a value that clients get in another form than the stored one is stated", async () => {
  for (const row of otherwise) {
    const stored: Stored = [...others, ["Thing", { id: "t", x: row.value }]];
    const then = thing(row.to, { items: row.items ?? "" });
    const error = await refused(thing(row.type, row), stored, then);
    const words = new RegExp(`^Thing\\.x was ${row.type} and is now ${row.to}, and 1 Thing has a value`);
    assert.match(error.obstacles.join("\n"), words);
    assert.deepEqual(error.paste.slice(2), [`- For each Thing: \`x = ${row.line}\``]);
    const lines = error.paste.join("\n").replace("VALUE", '"new"');
    await reportedAtOpening(then.replace(/\n$/, `\n${lines}\n`), error.path);
  }
});

testOnEach("a value that clients get as it is stored becomes plain JSON", async () => {
  const stored: Stored = [["Thing", { id: "t", x: [{ town: "Ulm", number: 1 }] }]];
  const { path } = await changed(thing("list of Plain"), stored, thing("json"));
  assert.deepEqual(await rowsOf(path, "SELECT x FROM Thing"), [['[{"town":"Ulm","number":1}]']]);
  const times: Stored = [["Thing", { id: "t", x: [moment] }]];
  const { path: other } = await changed(thing("list of timestamp"), times, thing("json", { items: unix }));
  assert.deepEqual(await rowsOf(other, "SELECT x FROM Thing"), [[`["${moment}"]`]]);
});

testOnEach("texts don't become references that clients get as objects", async () => {
  const stored: Stored = [...others, ["Thing", { id: "t", x: '["1","z"]' }]];
  const { obstacles } = await refused(thing("string"), stored, thing("Pair"));
  assert.match(obstacles.join("\n"), /^Thing\.x was string and is now Pair, and 1 Thing has a value/);
});

testOnEach("a store of an earlier release, which recorded no forms of clients, stays as it is", async () => {
  const path = await kept(thing("Named"), [["Thing", { id: "t", x: { town: "Ulm" } }]]);
  await forgetRules(path);
  assert.deepEqual(await reportedAtOpening(thing("Named"), path), []);
  assert.deepEqual(await rowsOf(path, `SELECT x, "#revision" FROM Thing`), [['{"town":"Ulm"}', 1]]);
});
