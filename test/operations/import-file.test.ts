/** Import of a small file through the operations API: a dry run first, then all records or none. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Operations, startOperations } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md");
});
after(() => desk?.stop());

const send = async (text: string, more: object = {}) =>
  desk.operate("POST", "/api/import-files/Shop", {
    form: "csv",
    mode: "add",
    events: false,
    dry: false,
    text,
    ...more,
  });
const countOf = async () => (await desk.operate("GET", "/api/counts/Shop")).json.count;

test("a dry run reports what would be stored, and stores nothing", async () => {
  const { status, json } = await send("name\nAda\nGrace\n", { dry: true });
  assert.equal(status, 200, JSON.stringify(json));
  assert.deepEqual(json, { stored: false, made: 2, changed: 0, refused: [] });
  assert.equal(await countOf(), 0);
});

test("each line that can't be read or breaks a rule is reported with its number, and nothing is stored", async () => {
  const { json } = await send('{"name": "Ada"}\n{broken\n\n{"nam": "Linus"}\n', { form: "jsonl" });
  assert.equal(json.stored, false);
  const refused = json.refused as { line: number; errors: { field: string; message: string }[] }[];
  assert.deepEqual(
    refused.map(({ line }) => line),
    [2, 4],
  );
  assert.match(refused[0]?.errors[0]?.message ?? "", /^Invalid JSON: .* at column 2\.$/);
  assert.equal(refused[1]?.errors[0]?.field, "nam");
  const cells = await send("name\nAda,Grace\n");
  assert.match(cells.json.refused[0].errors[0].message, /2 cells, and the header 1/);
  assert.equal(await countOf(), 0);
});

test("a file without a mistake is stored", async () => {
  const { json } = await send("name\nAda\nGrace\n");
  assert.deepEqual(json, { stored: true, made: 2, changed: 0, refused: [] });
  assert.equal(await countOf(), 2);
});

test("a header that names a column twice, and too many records, are rejected as a whole", async () => {
  const twice = await send("name,name\nAda,Ada\n");
  assert.equal(twice.status, 400);
  assert.match(JSON.stringify(twice.json), /Duplicate column/);
  const many = await send(`name\n${"A\n".repeat(10_001)}`);
  assert.equal(many.status, 400);
  assert.match(JSON.stringify(many.json), /At most 10000 records/);
});
