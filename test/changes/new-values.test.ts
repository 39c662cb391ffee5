/** Values that a changed document gives stored records: defaults in the form of their rules, and new identifiers. */
import assert from "node:assert/strict";
import { documentOf, resource, value } from "./desk.ts";
import { change, changed, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

const stored: Stored = [
  ["Item", { id: "a", code: "." }],
  ["Item", { id: "b", code: "x" }],
];
const item = (...rows: readonly string[]) => documentOf(resource("Item", "code | string | unique", ...rows));

testOnEach("a literal default fills records in the form of the field's rules", async () => {
  const then = item(
    'site | string | lower case, trimmed, default `" Web "`',
    'note | string | empty is null, nullable, default `""`',
  );
  const { path } = await changed(item(), stored, then);
  assert.deepEqual(await rowsOf(path, "SELECT id, site, note FROM Item ORDER BY id"), [
    ["a", "web", null],
    ["b", "web", null],
  ]);
});

testOnEach("a literal default of a new part fills values in the form of the part's rules", async () => {
  const orders = (...rows: readonly string[]) =>
    documentOf(
      value("Line", "sku | string |", ...rows) +
        resource("Order", "lines | list of Line |", "kept | map of Line |", "line | Line |"),
    );
  const line = { sku: "X" };
  const order: Stored = [["Order", { id: "o", lines: [line, line], kept: { k: line }, line }]];
  const then = orders('unit | string | lower case, trimmed, default `" Box "`');
  const { path } = await changed(orders(), order, then);
  const filled = '{"sku":"X","unit":"box"}';
  assert.deepEqual(await rowsOf(path, 'SELECT lines, kept, line FROM "Order"'), [
    [`[${filled},${filled}]`, `{"k":${filled}}`, filled],
  ]);
});

const wrong = "identifies the record, and must not be `.`, `..` or empty, because no path can contain it";

testOnEach("a field becomes an identifier only if paths can contain its values", async () => {
  const before = item().replace("unique", "required, unique");
  const then = before
    .replace("Identifier: id, given", "Identifier: code, given")
    .replace("| code | string | required, unique |", "| code | string | |");
  const error = await refused(before, stored, then);
  assert.deepEqual(error.obstacles, [`Item.code ${wrong}, and 1 Item breaks that: "." (.)`]);
});

const pair = (identifier: string) =>
  documentOf(
    resource("Pair", "b | string |")
      .replace("Identifier: id, given", `Identifier: ${identifier}`)
      .replace("| id |", "| a |"),
  );

testOnEach("of several identifying fields, one identifies alone only if paths can contain it", async () => {
  const pairs: Stored = [
    ["Pair", { a: "", b: "x" }],
    ["Pair", { a: "y", b: "" }],
  ];
  const error = await refused(pair("a and b"), pairs, pair("a, given"));
  assert.deepEqual(error.obstacles, [`Pair.a ${wrong}, and 1 Pair breaks that: "" ()`]);
});

testOnEach("fields become a joint key only if it is short enough", async () => {
  const pairs: Stored = [
    ["Pair", { a: "x".repeat(900), b: "y".repeat(900) }],
    ["Pair", { a: "z".repeat(900), b: "y" }],
  ];
  const error = await refused(pair("a, given"), pairs, pair("a and b"));
  assert.deepEqual(error.obstacles, [
    `Pair: the key of a and b must not have more than 1024 bytes, and 1 Pair breaks that: ${"x".repeat(39)}…, ${"y".repeat(39)}…`,
  ]);
  const { path } = await changed(pair("a, given"), pairs.slice(1), pair("a and b"));
  assert.deepEqual(await rowsOf(path, "SELECT b FROM Pair"), [["y"]]);
});

testOnEach("a stored change sets no identifier that paths can't contain", async () => {
  const then = documentOf(
    resource("Item", "code | string |"),
    change("renumber", "For each Item: `id = old.code`"),
  );
  const error = await refused(documentOf(resource("Item", "code | string |")), stored, then);
  assert.match(error.obstacles.join("\n"), /must not be `\.`, `\.\.` or empty/);
});
