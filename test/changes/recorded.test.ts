/**
 * Recorded changes of stores: for each change of a document, the plan without and with a store, what
 * opening reports or refuses, and the tables and records afterwards (`recorded.txt`), which were read.
 *
 *   NINEFOLD_RECORD=1 node --test test/changes/recorded.test.ts      records them again
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { type PlanStep, planStoreFor, planStoresOf, StoreMismatch } from "../../src/store/index.ts";
import { modelOf, open } from "./desk.ts";
import { edits } from "./edits.ts";
import { folder, kept, onDatabase, rowsOf } from "./support.ts";

const recorded = join(import.meta.dirname, "recorded.txt");

/** Paths and times differ between runs. */
function stable(text: string): string {
  return text
    .replaceAll(folder, "")
    .replaceAll(/\/\d+\.db/g, "desk.db")
    .replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "UUID")
    .replaceAll(/before-\d{4}-[-\dT]+Z/g, "before-TIME");
}

function linesOf(steps: readonly PlanStep[]): readonly string[] {
  return steps.flatMap(({ name, kind, lines }) => [
    `step ${name}: ${kind}`,
    ...lines.flatMap(({ text, isSafe, examples, hasMore }) => [
      `  ${text}${isSafe ? "" : " (converts)"}`,
      ...examples.map(({ record, before, after }) => `    ${record}: ${before} → ${after}`),
      ...(hasMore ? ["    …"] : []),
    ]),
  ]);
}

function refusalOf(refused: unknown): readonly string[] {
  if (refused === undefined) return [];
  if (!(refused instanceof StoreMismatch)) return [`refused: ${String(refused)}`];
  const { losses, obstacles, paste, hint, copiesFirst } = refused;
  return [
    ...losses.map((line) => `loss: ${line}`),
    ...obstacles.map((line) => `obstacle: ${line}`),
    ...paste.map((line) => `paste: ${line}`),
    `hint: ${hint}, copies first: ${copiesFirst}`,
  ];
}

async function contentOf(path: string): Promise<readonly string[]> {
  const tables = await rowsOf(
    path,
    "SELECT name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND tbl_name NOT LIKE 'ninefold%' AND tbl_name NOT LIKE 'sqlite%' ORDER BY type DESC, name",
  );
  const lines = tables.map(([, sql]) => String(sql).replaceAll(/\s+/g, " "));
  for (const [name, sql] of tables) {
    if (!String(sql).startsWith("CREATE TABLE")) continue;
    const rows = await rowsOf(path, `SELECT * FROM "${name}" ORDER BY 1, 2`);
    lines.push(...rows.map((row) => `${name}: ${JSON.stringify(row)}`));
  }
  const sequences = await rowsOf(
    path,
    "SELECT name, seq FROM sqlite_sequence WHERE name NOT LIKE 'ninefold%' ORDER BY name",
  );
  return [...lines, ...sequences.map(([name, last]) => `sequence of ${name}: ${last}`)];
}

async function openedWith(then: string, path: string, losesData: boolean): Promise<readonly string[]> {
  const reported: string[] = [];
  const refused = await open(then, path, { losesData, onWarning: (message) => reported.push(message) }).then(
    (store) => store.close(),
    (error: unknown) => error,
  );
  return [...reported.map((message) => `warning: ${message}`), ...refusalOf(refused)];
}

const known = new Map(
  (process.env["NINEFOLD_RECORD"] ? "" : readFileSync(recorded, "utf8"))
    .split(/^# /m)
    .slice(1)
    .map((section) => [
      section.slice(0, section.indexOf("\n")),
      section.slice(section.indexOf("\n") + 1).trim(),
    ]),
);
const all: string[] = [];

for (const { title, before, stored, after } of edits)
  test(`the store after ${title}`, async () => {
    const [old, now] = [modelOf(before), modelOf(after)];
    const pure = planStoresOf(old, now);
    // Tests of another file in this process may have left the choice of the database.
    const path = await onDatabase(false, () => kept(before, stored));
    const plan = await planStoreFor(now, path, { isRunning: () => false });
    const lines = [
      ...linesOf(pure.steps),
      ...refusalOf(pure.refused),
      ...pure.warnings.map((message) => `warning: ${message}`),
      "## with its records",
      ...linesOf(plan.steps),
      ...refusalOf(plan.refused),
      ...plan.warnings.map((message) => `warning: ${message}`),
      `copies first: ${plan.copiesFirst}`,
      "## opened",
      ...(await openedWith(after, path, false)),
    ];
    if (plan.refused) lines.push("## opened, with losses", ...(await openedWith(after, path, true)));
    lines.push("## content", ...(await contentOf(path)));
    const text = stable(lines.join("\n"));
    all.push(`# ${title}\n\n${text}\n`);
    if (process.env["NINEFOLD_RECORD"]) writeFileSync(recorded, all.join("\n"));
    else assert.equal(text, known.get(title));
  });
