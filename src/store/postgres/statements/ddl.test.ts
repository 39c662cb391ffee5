/** DDL of PostgreSQL: names of indexes. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { field, model, resource } from "../../test-model.ts";
import { tablesOf } from "../../tables.ts";
import { createIndex, indexName, uniqueName } from "./ddl.ts";
import type { Table } from "../../table.ts";

const [table] = tablesOf(
  model([resource("Note", [field("text", "string"), field("rank", "integer")])]),
).tables;

test("the name of an index contains its columns and their directions, so that a later version finds it", () => {
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
