/**
 * A stored change of many records under a constant load on PostgreSQL, with real processes. An instance of the old
 * document serves, and one of the new document starts. A balancer sends each request to the old instance, and to the
 * next one on 503 with `Retry-After`, as a proxy with `proxy_next_upstream http_503` does.
 *
 *   node test/durability/rolling-load.ts [--records 100000] [--rate 200] [--kind convert|rename|records]
 *
 * `convert` sets a field of each record from its old value; `rename` only renames one; `records` creates a record for
 * each, which can't be prepared. Prints the failed requests, the longest waits, and what is lost; exits
 * with 1 if a request failed or an acknowledged write is missing.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { served } from "../../src/cli/testing/served-command.ts";
import { documentOf, made, resource } from "../changes/desk.ts";
import { change } from "../changes/support.ts";
import { freshSchema } from "../postgres/server.ts";

const { values } = parseArgs({
  options: {
    records: { type: "string", default: "100000" },
    rate: { type: "string", default: "200" },
    kind: { type: "string", default: "convert" },
  },
});
const [records, rate] = [Number(values.records), Number(values.rate)];
/** The time limit of a request with all of its attempts, as of a patient client, in milliseconds. */
const patienceMs = 120_000;
/** How long a request waits if no instance accepts it, in milliseconds. */
const attemptMs = 250;
/** How long the load runs before and after the change, in milliseconds. */
const aroundMs = 5_000;

function document(parcel: string, changes = ""): string {
  const endpoints = [
    "### POST /parcels\n\n- Does: create Parcel\n- Body: id\n- Returns: 201 Parcel\n",
    "### GET /parcels/{id}\n\n- Does: read Parcel\n- Returns: 200 Parcel\n",
    "### PATCH /parcels/{id}\n\n- Does: update Parcel\n- Body: weight\n- Returns: 200 Parcel\n",
  ];
  return documentOf(parcel, changes)
    .replace("## Endpoints\n", `## Endpoints\n\n${endpoints.join("\n")}`)
    .replace("## Authentication\n", "## Authentication\n\n- Scheme: none\n");
}

const parcel = (...rows: readonly string[]) =>
  resource("Parcel", ...rows, "weight | integer |", "label | string |");
const first = document(parcel('place | string | default "Oslo"'));
const kinds: Readonly<Record<string, string>> = {
  convert: document(
    parcel('town | string | required, default "none"'),
    change("town", "Removed: Parcel.place", 'For each Parcel: `town = old.place + "!"`'),
  ),
  rename: document(
    parcel('town | string | default "Oslo"'),
    change("town", "Renamed: Parcel.place to Parcel.town"),
  ),
  records: document(
    `${parcel('town | string | default "Oslo"')}\n${made("Note", "text | string |")}`,
    change(
      "town",
      "Renamed: Parcel.place to Parcel.town",
      "For each Parcel: `create Note with text = old.place`",
    ),
  ),
};

interface Sample {
  readonly isWrite: boolean;
  /** From the start of the load, in milliseconds. */
  readonly at: number;
  readonly ms: number;
}

const folder = mkdtempSync(join(tmpdir(), "ninefold-rolling-load-"));
const schema = await freshSchema();
const services: ReturnType<typeof served>[] = [];
try {
  const upstreams = [await started("first", first)];
  const client = await schema.connect();
  await client.query(
    `INSERT INTO "Parcel" (id, place, weight, label) SELECT 'r' || n, 'Oslo', n % 100, 'label ' || n % 97
      FROM generate_series(1, ${records}) AS n`,
  );
  await client.query("ANALYZE");
  const samples: Sample[] = [];
  const acknowledged: string[] = [];
  const failed: string[] = [];
  const from = performance.now();
  let [number, isOver] = [0, false];

  /** The response of the first instance that accepts the request. */
  const balanced = async (path: string, init: RequestInit): Promise<Response> => {
    for (const until = performance.now() + patienceMs; ; await pause(attemptMs)) {
      let response: Response | undefined;
      for (const upstream of upstreams) {
        response = await fetch(`${upstream}${path}`, init);
        if (response.status !== 503 || !response.headers.has("Retry-After")) return response;
        await response.arrayBuffer();
      }
      if (performance.now() > until && response) return response;
    }
  };
  const send = async (count: number): Promise<void> => {
    const isWrite = count % 2 === 0;
    const id = `w${count}`;
    const known = `r${1 + ((count * 7919) % records)}`;
    const start = performance.now();
    const response = await balanced(
      count % 4 === 0 ? "/parcels" : `/parcels/${known}`,
      isWrite
        ? {
            method: count % 4 === 0 ? "POST" : "PATCH",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify(count % 4 === 0 ? { id } : { weight: count }),
          }
        : {},
    ).catch((error: Error) => ({ ok: false, status: 0, text: async () => error.message }));
    const text = await response.text();
    if (!response.ok) failed.push(`${response.status} ${text}`);
    else if (count % 4 === 0) acknowledged.push(id);
    samples.push({ isWrite, at: start - from, ms: performance.now() - start });
  };
  const load = (async () => {
    const running: Promise<void>[] = [];
    while (!isOver) {
      // Requests start at their times, whether earlier ones have been answered or not.
      for (; number < ((performance.now() - from) / 1000) * rate; number += 1) running.push(send(number));
      await pause(2);
    }
    await Promise.all(running);
  })();
  await pause(aroundMs);
  const changedFrom = performance.now() - from;
  upstreams.push(await started("then", kinds[values.kind] as string));
  const ready = performance.now() - from;
  await pause(aroundMs);
  isOver = true;
  await load;
  const { rows } = await client.query(`SELECT id FROM "Parcel" WHERE town LIKE 'Oslo%' OR town = 'none'`);
  const stored = new Set(rows.map(({ id }) => id));
  const lost = acknowledged.filter((id) => !stored.has(id)).length;
  const during = samples.filter(({ at, ms }) => at + ms >= changedFrom && at <= ready);
  const quiet = samples.filter(({ at, ms }) => at + ms < changedFrom);
  process.stdout.write(
    `${values.kind}, ${records} records, ${rate} requests per second: ${JSON.stringify({
      requests: samples.length,
      failed: failed.length,
      lost,
      startSeconds: Number(((ready - changedFrom) / 1000).toFixed(1)),
      longestMs: longest(during),
      longestWriteMs: longest(during.filter(({ isWrite }) => isWrite)),
      waitedOver1s: during.filter(({ ms }) => ms > 1_000).length,
      medianMs: median(during),
      medianBeforeMs: median(quiet),
      longestBeforeMs: longest(quiet),
    })}\n${failed.slice(0, 5).join("\n")}\n`,
  );
  if (failed.length + lost > 0) process.exitCode = 1;
} finally {
  for (const { child, ended } of services) {
    child.kill("SIGKILL");
    await ended;
  }
  await schema.drop();
  rmSync(folder, { recursive: true, force: true });
}

/** Starts an instance, and returns its address when it serves. */
async function started(name: string, text: string): Promise<string> {
  const file = join(folder, `${name}.md`);
  writeFileSync(file, text);
  const service = served([file, "--store", schema.url, "--ready-json"]);
  services.push(service);
  const [ready] = await service.until(/^\{.*"url".*\}$/m);
  return JSON.parse(ready).url;
}

function longest(samples: readonly Sample[]): number {
  return Math.round(samples.reduce((most, { ms }) => Math.max(most, ms), 0));
}

function median(samples: readonly Sample[]): number {
  const sorted = samples.map(({ ms }) => ms).toSorted((left, right) => left - right);
  return Math.round(sorted[sorted.length >> 1] ?? 0);
}
