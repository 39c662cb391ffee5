/**
 * Type widening: if the new type accepts all values of the old one, a start converts the stored
 * values without a stored change.
 */
import assert from "node:assert/strict";
import { documentOf, open, resource } from "./desk.ts";
import { columnsOf, changed, newPath, rowsOf, type Stored, testOnEach } from "./support.ts";

testOnEach(
  "integers become numbers or durations, and timestamps, dates and decimals become texts",
  async () => {
    const fields = ["count", "wait", "ms", "at", "day", "price"];
    const table = (...types: readonly string[]) =>
      documentOf(resource("Item", ...fields.map((name, at) => `${name} | ${types[at]} |`)));
    const then = table("number", "integer", "duration", "string", "string", "string");
    const stored: Stored = [
      [
        "Item",
        {
          id: "1",
          count: 3,
          wait: 1_500,
          ms: 250,
          at: "2026-11-20T10:00:00.120Z",
          day: "2026-11-20",
          price: "1.50",
        },
      ],
      ["Item", { id: "2" }],
    ];
    const { path } = await changed(
      table("integer", "duration", "integer", "timestamp", "date", "decimal"),
      stored,
      then,
    );
    assert.deepEqual(
      await rowsOf(path, `SELECT count, wait, ms, at, day, price, "#revision" FROM Item ORDER BY id`),
      [
        [3, 1_500, 250, "2026-11-20T10:00:00.120Z", "2026-11-20", "1.50", 1],
        [null, null, null, null, null, null, 1],
      ],
    );
    const fresh = await newPath();
    await (await open(then, fresh)).close();
    assert.deepEqual(await columnsOf(path, "Item"), await columnsOf(fresh, "Item"));
  },
);
