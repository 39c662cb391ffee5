/**
 * A store of a million records moved from a file to PostgreSQL and back:
 *
 *   node test/durability/move.ts 1000000
 *
 * Prints the seconds, the greatest memory of this process, and whether all hashes agree in both directions; exits
 * with 1 where they don't.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { copyStore, openStore } from "../../src/store/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, position, resource } from "../../src/store/test-model.ts";
import { freshSchema } from "../postgres/server.ts";

const records = Number(process.argv[2] ?? 1_000_000);
const shops = 1_000;
const perWrite = 2_000;

const desk = model([
  resource("Shop", [field("name", "string", { rules: [{ rule: "unique" }] })]),
  resource(
    "Parcel",
    [
      field("shop", { kind: "reference", resource: "Shop" }),
      field("reference", "string"),
      field("state", "string"),
      field("weight_grams", "integer"),
      field("price", "decimal"),
      field("address", "json"),
      field("fragile", "boolean"),
      field("made_at", "timestamp"),
      field("note", "string"),
    ],
    { unique: [{ fields: ["shop", "reference"], position }] },
  ),
]);

async function fill(path: string): Promise<void> {
  const store = await openStore(desk, meaningOf(desk), { path });
  await store.write(async (transaction) => {
    for (let at = 0; at < shops; at += 1)
      await transaction.insert("Shop", { id: `shop_${at}`, name: `Shop ${at}` });
  });
  for (let from = 0; from < records; from += perWrite)
    await store.write(
      async (transaction) => {
        for (let at = from; at < Math.min(records, from + perWrite); at += 1) {
          const made = await transaction.insert("Parcel", parcel(at));
          if (at % 10 === 0) await transaction.system.appendEvents([reported(at, made["#row"])]);
        }
      },
      { isUnlimited: true },
    );
  await store.close();
}

const parcel = (at: number) => ({
  id: `par_${at.toString(36).padStart(12, "0")}`,
  shop: `shop_${at % shops}`,
  reference: `R-${at}`,
  state: at % 3 === 0 ? "delivered" : "announced",
  weight_grams: at % 30_000,
  price: `${at % 1_000}.50`,
  address: { street: `Straße ${at}`, city: "Köln", lines: [at, null] },
  fragile: at % 2 === 0,
  made_at: new Date(1_770_000_000_000 + at * 1_000).toISOString(),
  note: at % 5 === 0 ? `Leave it\nat the door ${at}` : null,
});

const reported = (at: number, row: number) => ({
  id: `evt_${at}`,
  type: "parcel.announced",
  time: "2026-11-20T10:00:00.000Z",
  resource: "Parcel",
  row,
  subject: `par_${at}`,
  payload: JSON.stringify(parcel(at)),
});

const folder = mkdtempSync(join(tmpdir(), "ninefold-million-"));
const schema = await freshSchema();
let greatest = 0;
const watching = setInterval(() => {
  greatest = Math.max(greatest, process.memoryUsage().rss);
}, 100);
try {
  const [here, back] = [join(folder, "here.db"), join(folder, "back.db")];
  await fill(here);
  greatest = 0;
  const hashes: string[] = [];
  for (const [from, to, way] of [
    [here, schema.url, "file → PostgreSQL"],
    [schema.url, back, "PostgreSQL → file"],
  ] as const) {
    const began = performance.now();
    let comparing = 0;
    const { tables } = await copyStore(from, to, {
      onRows(what) {
        if (what === "Comparing" && comparing === 0) comparing = performance.now();
      },
    });
    hashes.push(JSON.stringify(tables));
    const seconds = (ms: number) => (ms / 1000).toFixed(1);
    const rows = tables.reduce((sum, table) => sum + table.rows, 0);
    console.log(
      `${way}: ${rows} rows in ${seconds(performance.now() - began)} s, of which ${seconds(performance.now() - comparing)} s compared them and made the indexes`,
    );
  }
  assert.equal(hashes[0], hashes[1], "the hashes differ");
  console.log(`the same hashes both ways; at most ${Math.round(greatest / 1e6)} MB of memory`);
} finally {
  clearInterval(watching);
  await schema.drop();
  rmSync(folder, { recursive: true });
}
