/**
 * A document that changes under load, with real processes: instances of `ninefold serve` on one PostgreSQL. While an
 * instance of the first document serves, a second one starts whose document adds something, and both continue. Then
 * one starts whose change is incompatible with both; it is killed (SIGKILL) at moments spread over its start, as
 * often as the arguments say, before one may finish. The old instances drain, and resume after each kill; once the
 * last start finishes they are superseded: 503 with `Retry-After`, and `/readyz` says why.
 *
 *   node test/durability/rolling.ts [rounds, 10 by default] [kills in each, 5]
 *
 * The run counts acknowledged records that are missing in the end, duplicate records, answers that no client should
 * get, and 503 while something is only added. All must be 0.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { served, type Watched } from "../../src/cli/testing/served-command.ts";
import { documentOf, resource } from "../changes/desk.ts";
import { freshSchema, type Schema } from "../postgres/server.ts";

export interface Counts {
  acknowledged: number;
  /** 503 responses of instances that must stop. */
  refused: number;
  kills: number;
  refusedDuringAdditions: number;
  lost: number;
  twice: number;
  odd: string[];
}

const clients = 6;
/**
 * The time from a start to its kill, in milliseconds: some starts have changed nothing by then,
 * others are in progress.
 */
const killAfterMs = { least: 200, most: 1_500 };

function document(parcel: string, changes = ""): string {
  const endpoint =
    '### POST /parcels\n\n- Does: create Parcel\n- Body: id\n- Returns: 201 `{"id": this.id}`\n';
  return documentOf(parcel, changes)
    .replace("## Endpoints\n", `## Endpoints\n\n${endpoint}`)
    .replace("## Authentication\n", "## Authentication\n\n- Scheme: none\n");
}

const documents = {
  first: document(resource("Parcel", 'place | string | default "Oslo"')),
  added: document(
    resource(
      "Parcel",
      'place | string | default "Oslo"',
      'colour | string | default "red"',
      "code | string | unique",
    ),
  ),
  changed: document(
    resource(
      "Parcel",
      'town | string | default "Oslo"',
      'colour | string | default "red"',
      "code | string | unique",
    ),
    '### Stored change: town\n\n- Renamed: Parcel.place to Parcel.town\n- For each Parcel: `town = old.place + "!"`\n',
  ),
};

interface Instance {
  readonly service: Watched;
  readonly url: string;
  readonly operations: string;
}

class Round {
  readonly counts: Counts = {
    acknowledged: 0,
    refused: 0,
    kills: 0,
    refusedDuringAdditions: 0,
    lost: 0,
    twice: 0,
    odd: [],
  };
  readonly #schema: Schema;
  readonly #folder: string;
  readonly #acknowledged: string[] = [];
  readonly #started: Watched[] = [];
  #serving: Instance[] = [];
  #isOnlyAdding = true;
  #isOver = false;
  #last = 0;

  constructor(schema: Schema, folder: string) {
    this.#schema = schema;
    this.#folder = folder;
  }

  start(name: keyof typeof documents): Watched {
    const file = join(this.#folder, `${name}.md`);
    writeFileSync(file, documents[name]);
    const service = served([file, "--store", this.#schema.url, "--operations", "0", "--ready-json"]);
    this.#started.push(service);
    return service;
  }

  /** Waits until the instance serves, and adds it to the load. */
  async join(service: Watched): Promise<Instance> {
    const [ready] = await service.until(/^\{.*"url".*\}$/m);
    const { url, operations } = JSON.parse(ready);
    const instance = { service, url, operations };
    this.#serving = [...this.#serving, instance];
    return instance;
  }

  leave(instance: Instance): void {
    this.#serving = this.#serving.filter((candidate) => candidate !== instance);
  }

  async load(): Promise<void> {
    await Promise.all(Array.from({ length: clients }, () => this.#client()));
  }

  async #client(): Promise<void> {
    while (!this.#isOver) {
      this.#last += 1;
      const id = `p${this.#last}`;
      const { url } = this.#serving[this.#last % this.#serving.length] as Instance;
      const answer = await fetch(`${url}/parcels`, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ id }),
      });
      const text = await answer.text();
      if (answer.status === 201) this.#acknowledged.push(id);
      else if (answer.status === 503 && answer.headers.has("Retry-After")) {
        this.counts.refused += 1;
        if (this.#isOnlyAdding) this.counts.refusedDuringAdditions += 1;
        await pause(20);
      } else this.counts.odd.push(`${answer.status} ${text}`);
    }
  }

  /** Waits until this many further writes were acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.#acknowledged.length + count;
    while (this.#acknowledged.length < wanted) await pause(10);
  }

  changes(): void {
    this.#isOnlyAdding = false;
  }

  /** Stops the clients. */
  stop(): void {
    this.#isOver = true;
  }

  async judge(): Promise<void> {
    const client = await this.#schema.connect();
    const { rows } = await client.query(
      `SELECT id, count(*)::int AS times FROM "Parcel" WHERE town LIKE 'Oslo%' GROUP BY id`,
    );
    const stored = new Map(rows.map(({ id, times }) => [id as string, times as number]));
    this.counts.acknowledged = this.#acknowledged.length;
    this.counts.lost = this.#acknowledged.filter((id) => !stored.has(id)).length;
    this.counts.twice = [...stored.values()].filter((times) => times > 1).length;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    for (const { child, ended } of this.#started) {
      child.kill("SIGKILL");
      await ended;
    }
  }
}

async function readyOf({ operations }: Instance): Promise<string> {
  const answer = await fetch(`${operations}/readyz`);
  return `${answer.status} ${await answer.text()}`;
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await pause(50);
}

/** @throws if an instance isn't in the expected state */
export async function roll(kills: number): Promise<Counts> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-rolling-"));
  const schema = await freshSchema();
  const round = new Round(schema, folder);
  try {
    const former = [await round.join(round.start("first"))];
    const load = round.load();
    await round.more(50);
    former.push(await round.join(round.start("added")));
    await round.more(100);
    for (const instance of former) await until(async () => (await readyOf(instance)).startsWith("200"));
    round.changes();
    for (; round.counts.kills < kills; round.counts.kills += 1) {
      const { child, ended } = round.start("changed");
      const { least, most } = killAfterMs;
      await pause(least + ((round.counts.kills + 0.5) / kills) * (most - least));
      child.kill("SIGKILL");
      await ended;
      // Either the change has superseded the former instances, or they continue.
      const standings = await settled(former);
      if (standings.some((sum) => sum.includes("superseded"))) break;
      await round.more(20);
    }
    const later = await round.join(round.start("changed"));
    for (const instance of former) {
      await until(async () => /^503.*superseded/s.test(await readyOf(instance)));
      round.leave(instance);
    }
    await until(async () => (await readyOf(later)).startsWith("200"));
    await round.more(50);
    round.stop();
    // Waits for the load, because writes acknowledged during the count would seem lost.
    await load;
    await round.judge();
    return round.counts;
  } finally {
    await round.end();
    await schema.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The states of the instances once none of them waits for another. */
async function settled(instances: readonly Instance[]): Promise<readonly string[]> {
  for (;;) {
    const said = await Promise.all(instances.map(readyOf));
    if (said.every((line) => line.startsWith("200") || line.includes("superseded"))) return said;
    await pause(50);
  }
}

if (import.meta.main) {
  const [rounds, kills] = [Number(process.argv[2] ?? 10), Number(process.argv[3] ?? 5)];
  for (let at = 1; at <= rounds; at += 1) {
    const counts = await roll(kills);
    process.stdout.write(`round ${at}: ${JSON.stringify(counts)}\n`);
    if (counts.lost + counts.twice + counts.refusedDuringAdditions + counts.odd.length > 0)
      process.exitCode = 1;
  }
}
