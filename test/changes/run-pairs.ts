/**
 * Random pairs of documents on both databases, in number: each pair is migrated in a file and in
 * PostgreSQL. The outcome, the messages and the records must be the same.
 *
 *   node test/changes/run-pairs.ts [minutes, 10 by default] [first seed] [file | rolling]
 *
 * With `file`, only in files. With `rolling`, the store in PostgreSQL stays open with the first
 * document.
 *
 * Prints the first seed and the documents of each failure, and then the counts.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freshSchema } from "../postgres/server.ts";
import { bare, drawnPair, type Outcome, outcomeOf, type Pair } from "./pairs.ts";

const { positionals } = parseArgs({ allowPositionals: true });
const [minutes, first] = [Number(positionals[0] ?? 10), Number(positionals[1] ?? 1)];
const isOnlyInFiles = positionals[2] === "file";
const keepsServing = positionals[2] === "rolling";
const folder = mkdtempSync(join(tmpdir(), "ninefold-pairs-"));
const counts = { pairs: 0, accepted: 0, refused: 0, pasted: 0, failed: 0, undrawn: 0 };

const until = Date.now() + minutes * 60_000;
let seed = first;
for (; Date.now() < until; seed += 1) {
  const pair = drawnPair(seed);
  if (!pair || pair.records.length < 2) {
    counts.undrawn += 1;
    continue;
  }
  counts.pairs += 1;
  try {
    counts[(await judged(pair)).is] += 1;
  } catch (error) {
    counts.failed += 1;
    process.exitCode = 1;
    process.stdout.write(`\nseed ${seed}: ${String(error)}\n${pair.before}\n${pair.then}\n`);
  }
  if (counts.pairs % 100 === 0) process.stderr.write(`${seed}: ${JSON.stringify(counts)}\n`);
}
process.stdout.write(`seeds ${first} to ${seed - 1}: ${JSON.stringify(counts)}\n`);
rmSync(folder, { recursive: true, force: true });

/** The outcome of a pair. @throws if the databases differ, or a record violates a rule */
async function judged(pair: Pair): Promise<Outcome> {
  const inFile = await outcomeOf(pair, join(folder, `${seed}.db`));
  for (const name of ["", "-wal", "-shm"]) rmSync(join(folder, `${seed}.db${name}`), { force: true });
  if (isOnlyInFiles) return inFile;
  const schema = await freshSchema();
  try {
    const onPostgres = await outcomeOf(pair, schema.url, { keepsServing });
    assert.deepEqual({ ...onPostgres, records: bare(onPostgres) }, { ...inFile, records: bare(inFile) });
    return inFile;
  } finally {
    await schema.drop();
  }
}
