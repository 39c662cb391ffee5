import assert from "node:assert/strict";
import { test } from "node:test";
import { field, model, resource } from "../test-model.ts";
import { tablesOf } from "../tables.ts";
import { createIndex, indexName, uniqueName } from "./ddl.ts";
import type { Table } from "../table.ts";

const [table] = tablesOf(
  model([resource("Note", [field("text", "string"), field("rank", "integer")])]),
).tables;

test("an index is called by its columns and which way they go: a later version finds what an earlier one has made", () => {
  const index = {
    columns: [
      { name: "text", descending: false },
      { name: "rank", descending: true },
    ],
  };
  assert.equal(indexName(table as Table, index), "Note by text, rank down");
  assert.match(
    createIndex(table as Table, index) ?? "",
    /^CREATE INDEX "Note by text, rank down" ON "Note" \(.*"text".*, "rank" DESC, "#row" DESC\)$/,
  );
  assert.equal(
    uniqueName(table as Table, { columns: ["text", "rank"], identifier: false }),
    "Note unique text, rank",
  );
});
