/**
 * Kills (SIGKILL) a process that starts a changed document on PostgreSQL before each of its statements, while an
 * instance of the old document continues to write; then starts it again. Each time the old instance must continue to
 * serve, or be superseded by a complete change. The second start must finish with every acknowledged record, no
 * half-built index and no unproved reference.
 *
 *   node test/durability/postgres-changes.ts [every]  # only each statement of that number
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Frame } from "../../src/expressions/value.ts";
import type { Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { documentOf, open, resource } from "../changes/desk.ts";
import { cutBefore } from "../postgres/cut-off.ts";
import { freshSchema } from "../postgres/server.ts";

const first = documentOf(resource("Parcel", "place | string |"));
const kinds: Readonly<Record<string, string>> = {
  added: documentOf(
    resource("Parcel", "place | string |", 'colour | string | default "red"', "code | string | unique") +
      resource("Note", "parcel | Parcel |"),
  ),
  changed: documentOf(
    resource("Parcel", "town | string | required"),
    '### Stored change: town\n\n- Renamed: Parcel.place to Parcel.town\n- For each Parcel: `town = old.place + "!"`\n',
  ),
};

const self = fileURLToPath(import.meta.url);
const frame = {} as Frame;
const insert = (store: Store, id: string) =>
  store.write(async (transaction) => transaction.insert("Parcel", { id, place: "Oslo" }), {
    repeatable: true,
  });

/** Returns the number of statements that it sent, and whether it was killed. */
function startKilled(kind: string, url: string, number: number): { readonly isKilled: boolean } {
  const { status, signal, stderr } = spawnSync(
    process.execPath,
    [self, "--start", kind, url, String(number)],
    {
      encoding: "utf8",
    },
  );
  if (status !== 0 && signal !== "SIGKILL") throw new Error(`${kind} ${number}: exit ${status}\n${stderr}`);
  return { isKilled: signal === "SIGKILL" };
}

/**
 * Returns whether the start was killed before it finished.
 * @throws if data is lost, or a change is incomplete
 */
export async function killedOnce(kind: string, number: number): Promise<boolean> {
  const schema = await freshSchema();
  const former = await open(first, schema.url);
  const stored = ["before"];
  await insert(former, "before");
  const { isKilled } = startKilled(kind, schema.url, number);
  // The server releases the locks of a killed process when it notices its death; its last statement
  // may have been executed.
  for (let tries = 0; tries < 100 && former.status().servingState === "draining"; tries += 1) await pause(50);
  if (former.status().servingState === "serving")
    await insert(former, "between").then(
      () => stored.push("between"),
      () => {},
    );
  const later = await open(kinds[kind] as string, schema.url);
  const found = await later.session.value(
    statementOf(`SELECT string_agg(id, ' ' ORDER BY "#row") FROM "Parcel"`),
    frame,
  );
  assert.equal(found, stored.join(" "), `${kind}, killed before statement ${number}`);
  const client = await schema.connect();
  const { rows } = await client.query(
    `SELECT (SELECT count(*)::int FROM pg_index WHERE NOT indisvalid) AS half,
      (SELECT count(*)::int FROM pg_constraint WHERE NOT convalidated) AS unproved,
      (SELECT count(*)::int FROM ninefold_meta WHERE name = 'aim') AS started`,
  );
  assert.deepEqual(
    rows,
    [{ half: 0, unproved: 0, started: 0 }],
    `${kind}, killed before statement ${number}`,
  );
  await Promise.all([former.close(), later.close()]);
  await schema.drop();
  return isKilled;
}

if (import.meta.main && process.argv[2] === "--start") {
  const [kind, url, number] = process.argv.slice(3) as [string, string, string];
  const cut = cutBefore(Number(number), () => process.kill(process.pid, "SIGKILL"));
  await (await open(kinds[kind] as string, url)).close();
  cut.restore();
} else if (import.meta.main) {
  const every = Number(process.argv[2] ?? 1);
  for (const kind of Object.keys(kinds)) {
    let kills = 0;
    for (let number = 1; await killedOnce(kind, number); number += every) kills += 1;
    process.stdout.write(`${kind}: killed ${kills} times, started again each time and whole\n`);
  }
}
