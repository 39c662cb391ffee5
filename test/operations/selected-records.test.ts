/** Selected records: an operator changes them together, and saves them as CSV. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Operations, startOperations } from "./start-operations.ts";

let operations: Operations;
before(async () => {
  operations = await startOperations("test/operations/records.md");
});
after(() => operations?.stop());

async function branch(town: string, prices: readonly number[]): Promise<readonly string[]> {
  await made("Branch", { country: "NO", town, title: town });
  const ids: string[] = [];
  for (const [at, price] of prices.entries())
    ids.push(
      await made("Book", {
        branch: { country: "NO", town },
        shelfmark: `S${at}`,
        title: at === 0 ? 'A "quoted", title' : `Book ${at}`,
        price,
      }),
    );
  return ids;
}

async function made(resource: string, fields: object): Promise<string> {
  const { status, json } = await operations.operate("POST", `/api/records/${resource}`, { fields });
  assert.equal(status, 200, JSON.stringify(json));
  return json.record.id;
}

const change = (body: object) => operations.operate("POST", "/api/changes/Book", body);
const table = (body: object) => operations.operate("POST", "/api/tables/Book", body);

async function left(ids: readonly string[]): Promise<readonly string[]> {
  const found = await Promise.all(
    ids.map(async (id) => {
      const { json } = await operations.operate("GET", `/api/records/Book/${encodeURIComponent(id)}`);
      return json.record?.deleted === false ? [id] : [];
    }),
  );
  return found.flat();
}

test("selected records are deleted, and no others", async () => {
  const ids = await branch("Oslo", [10, 20, 30]);
  const [first = "", second = "", third = ""] = ids;
  const stuck = await change({ ids: [first, third], count: 2, do: "transition", transition: "give_back" });
  assert.equal(stuck.status, 422);
  const missing = await change({ ids: [first, "NO/Oslo/none"], count: 2, do: "delete" });
  assert.equal(missing.status, 404);
  assert.deepEqual(await left(ids), ids);
  assert.deepEqual((await change({ ids: [first, third, third], count: 3, do: "delete" })).json, {
    changed: 2,
  });
  assert.deepEqual(await left(ids), [second]);
  assert.equal((await change({ ids: [], count: 1, do: "delete" })).status, 400);
});

test("the records of a query and selected records are CSV, in order, without hidden fields", async () => {
  const [cheap = "", , dear = ""] = await branch("Bergen", [10, 20, 30]);
  const all = await table({ filter: ["branch = NO/Bergen"], sort: "-price" });
  assert.equal(all.status, 200, JSON.stringify(all.json));
  const [names = "", ...rows] = all.json.csv.trim().split("\r\n");
  assert.deepEqual([all.json.count, all.json.more, rows.length], [3, false, 3]);
  assert.match(names, /(^|,)price(,|$)/);
  assert.match(rows[2], /"A ""quoted"", title"/);
  assert.match(rows[0], /,Book 2,/);
  const some = await table({ ids: [dear, cheap] });
  assert.equal(some.json.count, 2);
  const unknown = await table({ filter: ["nothing = 1"] });
  assert.equal(unknown.status, 400);
  await made("Person", { email: "table@example.com", password: "open sesame", pin: "pin-4712" });
  const { json } = await operations.operate("POST", "/api/tables/Person", {});
  assert.doesNotMatch(json.csv, /pin-4712|pin/);
});
