/**
 * Tail latency of quick reads while slow ones run: a service in its own process receives reads of
 * one record by its key, first alone, then during slow reads. A slow read scans all records for
 * each of all records until its deadline.
 *
 *   node bench/slow-read.ts [--users 20000] [--slow 4] [--seconds 12]
 *
 * Target: no quick read is delayed by more than 50 ms.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { parseArgs } from "node:util";
import { compile, openService } from "../src/index.ts";
import { median, tableText } from "./figures.ts";

const { values: options } = parseArgs({
  options: {
    users: { type: "string", default: "20000" },
    slow: { type: "string", default: "4" },
    seconds: { type: "string", default: "12" },
  },
});

const text = `# Interface Specification: Crowd

## What the service does

- Purpose: knows people.

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |

## States and transitions

States and transitions: none.

## Endpoints

### GET /users/{id}

- Does: read User
- Allowed: anyone
- Returns: 200 User

### GET /crowd

- Does: answer
- Allowed: anyone
- Returns: 200 \`{"alike": User.count(a, User.exists(b, size(a.name + b.name) > 1000))}\`

## Authentication

- Scheme: none

## Events

Events, webhooks and notifications: none.

## Errors

- Payload shape: problem details

## Limits

Rate limits, size limits, time-outs and pagination bounds: not shown.

## Versioning

Version scheme and compatibility rules: none.
`;

const folder = mkdtempSync(join(tmpdir(), "ninefold-slow-"));
const agent = new Agent({ keepAlive: true });

async function timed(url: string): Promise<{ readonly status: number; readonly tookMs: number }> {
  const startedAt = performance.now();
  const [answer] = await once(get(url, { agent }), "response");
  answer.resume();
  await once(answer, "end");
  return { status: answer.statusCode, tookMs: performance.now() - startedAt };
}

async function quickReads(address: string, isOver: () => boolean): Promise<readonly number[]> {
  const took: number[] = [];
  for (let id = 1; !isOver(); id = (id % Number(options.users)) + 1) {
    const { status, tookMs } = await timed(`${address}/users/${id}`);
    if (status !== 200) throw new Error(`a quick read was answered ${status}`);
    took.push(tookMs);
  }
  return took;
}

async function main(): Promise<void> {
  const file = join(folder, "crowd.md");
  const store = join(folder, "crowd.db");
  writeFileSync(file, text);
  const { model } = compile(text, { file });
  if (!model) throw new Error("the document doesn't compile");
  await (await openService(model, { store })).close();
  const database = new DatabaseSync(store);
  database
    .prepare(`WITH RECURSIVE counted(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
      INSERT INTO "User" ("id", "name") SELECT n, 'User ' || n FROM counted`)
    .run(Number(options.users));
  database.close();
  const program = resolve(import.meta.dirname, "../bin/ninefold");
  const service = spawn(
    program,
    ["serve", file, "--store", store, "--port", "0", "--no-operations", "--log", "none"],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  try {
    let output = "";
    let address: string | undefined;
    while (!address) {
      output += String((await once(service.stdout, "data"))[0]);
      address = /http:\/\/[\d.:]+/.exec(output)?.[0];
    }
    service.stdout.resume();
    const until = performance.now() + (Number(options.seconds) * 1000) / 3;
    const alone = await quickReads(address, () => performance.now() > until);
    const crowd = `${address}/crowd`;
    let under = Number(options.slow);
    const slow = Array.from({ length: under }, () => timed(crowd).finally(() => (under -= 1)));
    const readsMeanwhile = await quickReads(address, () => under === 0);
    const answers = await Promise.all(slow);
    const row = (name: string, took: readonly number[]) => {
      const sorted = [...took].sort((a, b) => a - b);
      const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] as number).toFixed(2);
      return [name, String(took.length), median(took).toFixed(2), at(0.99), at(1)];
    };
    console.log(
      tableText(
        ["quick reads", "sent", "median ms", "p99 ms", "slowest ms"],
        [row("alone", alone), row("with slow ones", readsMeanwhile)],
      ),
    );
    for (const { status, tookMs } of answers)
      console.log(`a slow read: ${status} after ${Math.round(tookMs)} ms`);
  } finally {
    service.kill("SIGTERM");
    await once(service, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
}

await main();
agent.destroy();
