/**
 * Type widening: if the new type accepts all values of the old one, a start converts the stored
 * values without a stored change.
 */
import assert from "node:assert/strict";
import { documentOf, open, resource } from "./desk.ts";
import {
  columnsOf,
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
