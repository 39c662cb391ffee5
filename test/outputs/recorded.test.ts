/**
 * Recorded exports: what each statement of a document adds to each export, or removes from it. The
 * lines are recorded and reviewed (`recorded.txt`), so no export changes without a reader.
 *
 *   NINEFOLD_RECORD=1 node --test test/outputs/recorded.test.ts      records them again
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { outputs } from "../../src/outputs/index.ts";
import { handlerTypes } from "../../src/outputs/handler-types/handler-types.ts";
import type { Json } from "../../src/support/json.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import type { Parts } from "../diagnostics/small-documents.ts";
import { base, edits } from "./statements.ts";

const recorded = join(import.meta.dirname, "recorded.txt");

/**
 * Files that are read: the site's pages as Markdown, and what differs between clients, without the
 * types of `export typescript`.
 */
const files: Readonly<Record<string, RegExp>> = {
  docs: /\.md$/,
  client: /^(?!runtime\/|types\.d\.ts$|package\.json$)/,
};

/** The lines of every export of a document, each with the export's name. */
async function linesOf(parts: Parts): Promise<readonly string[]> {
  const { model, diagnostics } = compile(smallDocument({ ...base, ...parts }), { file: "document.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  assert.ok(model);
  const lines: string[] = [];
  for (const output of outputs) {
    const options = Object.fromEntries(output.options.map(({ name, values }) => [name, values?.[0]]));
    const generated = await output.generate(model, options);
    for (const { path, text } of generated.files)
      if (files[output.name]?.test(path) ?? true)
        lines.push(...readable(text).map((line) => `${output.name}: ${line}`));
    lines.push(...generated.notes.map(({ message }) => `${output.name}, note: ${message}`));
  }
  return [...lines, ...readable(handlerTypes(model, "document.md")).map((line) => `handlers: ${line}`)];
}

/** The values in a JSON file, each with its place; the lines of other files, without indentation. */
function readable(text: string): readonly string[] {
  if (text.startsWith("{")) return valuesIn(JSON.parse(text) as Json, "");
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /[\w"'`]/.test(line))
    .map((line) => line.replace(/\bline \d+/, "line"));
}

function valuesIn(json: Json, place: string): readonly string[] {
  if (typeof json !== "object" || json === null || Object.keys(json).length === 0)
    return [`${place} = ${JSON.stringify(json)}`];
  return Object.entries(json).flatMap(([key, value]) =>
    valuesIn(value as Json, Array.isArray(json) ? `${place}[${key}]` : `${place} ${key}`),
  );
}

/** The lines of one list that another has less often; of pages, those that it doesn't have at all. */
function without(lines: readonly string[], others: readonly string[]): readonly string[] {
  const left = new Map<string, number>();
  for (const line of others) left.set(line, line.startsWith("docs: ") ? Infinity : (left.get(line) ?? 0) + 1);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, line.startsWith("docs: ") ? Infinity : count - 1);
    return count <= 0;
  });
}

/** Replaces what a line has in common with the one before by `~`. */
function abbreviated(lines: readonly string[]): readonly string[] {
  return lines.map((line, at) => {
    const words = line.split(" ");
    const former = lines[at - 1]?.split(" ") ?? [];
    const differs = words.findIndex((word, place) => word !== former[place]);
    return differs > 2 ? ["~", ...words.slice(differs)].join(" ") : line;
  });
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
const ofBase = linesOf({});

for (const { title, parts } of edits)
  test(`the exports of ${title}`, async () => {
    const before = parts === base ? [] : await ofBase;
    const after = await linesOf(parts);
    const text = abbreviated([
      ...without(before, after).map((line) => `- ${line}`),
      ...without(after, before).map((line) => `+ ${line}`),
    ]).join("\n");
    all.push(`# ${title}\n\n${text}\n`);
    if (process.env["NINEFOLD_RECORD"]) writeFileSync(recorded, all.join("\n"));
    else assert.equal(text, known.get(title));
  });
