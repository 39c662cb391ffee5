/**
 * Time and memory of a changed document on a store with many records.
 *
 * Each runs in its own process: an addition, a rename, a stored change with an expression, and a
 * plan in which every record breaks one rule.
 *
 *   node test/durability/change-costs.ts [--records 1000000] [--postgres]
 *
 * Prints a row of a Markdown table for each: the seconds, and the memory that the process had more
 * than with an empty store, in MB.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { planStoreFor } from "../../src/store/index.ts";
import { documentOf, modelOf, open, resource } from "../changes/desk.ts";
import { change } from "../changes/support.ts";
import { freshSchema } from "../postgres/server.ts";

const ticket = (...rows: readonly string[]) =>
  resource("Ticket", "title | string | required", ...rows, "label | string |");
const first = documentOf(ticket("price | integer |"));
const kinds: Readonly<Record<string, string>> = {
  "an optional field is added": documentOf(ticket("price | integer |", "note | string |")),
  "a field is renamed": documentOf(
    ticket("cost | integer |"),
    change("cost", "Renamed: Ticket.price to Ticket.cost"),
  ),
  "a field is computed from another one": documentOf(
    ticket("cost | string | required"),
    change("cost", "Removed: Ticket.price", 'For each Ticket: `cost = string(old.price) + " EUR"`'),
  ),
  "a plan: every record breaks a new range": documentOf(ticket("price | integer | ..-1")),
};
const planned = "a plan: every record breaks a new range";

interface Cost {
  readonly seconds: number;
  readonly megabytes: number;
}

const self = fileURLToPath(import.meta.url);
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: "string", default: "1000000" },
    postgres: { type: "boolean", default: false },
  },
});

if (positionals.length > 0) {
  const [kind, path, records] = positionals as [string, string, string];
  process.stdout.write(`${JSON.stringify(await made(kind, path, Number(records)))}\n`);
} else
  for (const kind of Object.keys(kinds)) {
    const empty = await costOf(kind, 0);
    const { seconds, megabytes } = await costOf(kind, Number(values.records));
    const cells = [seconds.toFixed(1), Math.max(0, megabytes - empty.megabytes)];
    process.stdout.write(`| ${[kind, ...cells].join(" | ")} |\n`);
  }

/** Makes the change in this process. */
async function made(kind: string, path: string, records: number): Promise<Cost> {
  const model = modelOf(kinds[kind] as string);
  const from = performance.now();
  if (kind === planned) {
    const { refused } = await planStoreFor(model, path, { isRunning: () => false });
    if (records > 0) {
      const [obstacle = ""] = refused?.obstacles ?? [];
      // The first ten records, and the count.
      assert.match(obstacle, new RegExp(`and ${records.toLocaleString("en")} records of Ticket break that`));
      assert.equal(obstacle.match(/\(\d+\)/g)?.length, 10);
    }
  } else await (await open(kinds[kind] as string, path, { onWarning() {} })).close();
  return {
    seconds: (performance.now() - from) / 1_000,
    megabytes: Math.round(process.resourceUsage().maxRSS / 1_024),
  };
}

async function costOf(kind: string, records: number): Promise<Cost> {
  const schema = values.postgres ? await freshSchema() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "ninefold-change-costs-"));
  const path = schema?.url ?? join(folder, "desk.db");
  try {
    await (await open(first, path, { onWarning() {} })).close();
    if (schema) {
      const client = await schema.connect();
      await client.query(
        `INSERT INTO "Ticket" (id, title, price, label) SELECT n::text, 'Ticket ' || n, n % 1000, 'label ' || n % 97
          FROM generate_series(1, ${records}) AS n`,
      );
      await client.query("ANALYZE");
    } else {
      const database = new DatabaseSync(path);
      database.exec(
        `INSERT INTO Ticket (id, title, price, label) WITH RECURSIVE numbers (n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < ${records})
          SELECT CAST(n AS TEXT), 'Ticket ' || n, n % 1000, 'label ' || n % 97 FROM numbers WHERE n <= ${records}`,
      );
      database.close();
    }
    const { status, stdout, stderr } = spawnSync(process.execPath, [self, kind, path, String(records)], {
      encoding: "utf8",
    });
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout.split("\n")[0] as string);
  } finally {
    await schema?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}
