/**
 * Open places: every place of a document that may be `not shown`, one at a time. A request that
 * depends on it is answered with 501, or its effect does not happen, as the table of
 * `docs/guides/errors-and-gaps.md` says. The document's own scenarios send the requests. Each
 * passes as before, or ends with a 501.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createReporter } from "../../src/diagnostics/diagnostic.ts";
import type { Model } from "../../src/model/model.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { type Phrase, positionIn, splitOutside } from "../../src/source/phrase.ts";
import { createSource } from "../../src/source/source.ts";
import { parseMarkdown } from "../../src/syntax/markdown.ts";
import type { Block } from "../../src/syntax/nodes.ts";
import { keyText } from "../../src/syntax/read.ts";
import { nonNull } from "../../src/support/non-null.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { rowsUnder } from "../repository/pages.ts";
import { silentTerminal } from "../terminal.ts";

/** The guide's text for each place, by its name in lower case. */
const table = new Map(
  rowsUnder("docs/guides/errors-and-gaps.md", "| Open | The service |").flatMap(([open = "", does = ""]) =>
    [...open.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => {
      const of = open.endsWith("of an input") ? " of an input" : "";
      return [`${name.toLowerCase()}${of}`, does] as const;
    }),
  ),
);

interface Place {
  /** The key of an item, the heading of a column, or the first words of a rule. */
  readonly name: string;
  readonly line: number;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  /** The part of the place, if the guide has one row for all places of that part. */
  readonly says?: string;
}

/**
 * The parts that do not concern requests: `purpose` is a description, and the others have engine
 * defaults.
 */
const parts = [
  "resources",
  "states",
  "endpoints",
  "authentication",
  "events",
  "errors",
  "limits",
  "versioning",
] as const;

/** The guide's text for all places of a part. */
const ofPart: Readonly<Record<string, string>> = {
  events: "sends nothing",
  errors: "answers the error in the engine's words",
  limits: "has the engine's bounds, and no rate limit",
  versioning: "serves the versions that are shown",
};

function placesOf(file: string, text: string): readonly Place[] {
  const source = createSource(file, text);
  const document = parseMarkdown(source, createReporter(source));
  const places: Place[] = [];
  const add = (name: string, phrase: Phrase, words = "not shown"): void => {
    const { start, end } = positionIn(phrase);
    if (phrase.text.trim() !== "")
      places.push({ name, line: start.line, from: start.offset, to: end.offset, text: words });
  };
  const look = (block: Block, ofRecords: boolean): void => {
    if (block.kind === "item") add(keyText(block.key), block.value);
    if (block.kind !== "table") return;
    const of = block.columns.some((column) => keyText(column) === "input") ? " of an input" : "";
    for (const row of block.rows)
      for (const [at, cell] of row.cells.entries()) {
        const name = keyText(nonNull(block.columns[at]));
        add(ofRecords ? "records of" : `${name}${of}`, cell);
        if (name === "rules")
          for (const piece of splitOutside(cell, ",")) {
            const [words] =
              /^(default|on create|on update|on delete|=|length)(?=[\s`])/.exec(piece.text.trim()) ?? [];
            if (words !== undefined) add(words, piece, `${words} not shown`);
          }
      }
  };
  for (const part of parts) {
    const node = document.parts[part];
    const before = places.length;
    for (const block of node?.body ?? []) look(block, false);
    for (const { heading, body } of node?.sections ?? [])
      for (const block of body) look(block, heading.text.startsWith("Records of"));
    const says = ofPart[part];
    if (says !== undefined) for (const place of places.splice(before)) places.push({ ...place, says });
  }
  return places;
}

/**
 * Returns the results of the scenarios: how many ended with a 501, and how the other failing ones
 * ended.
 */
async function outcomeOf(model: Model) {
  const others: string[] = [];
  let unanswered = 0;
  for (const scenario of model.scenarios) {
    const target = await createLocalTarget(model, silentTerminal);
    try {
      const { outcome, steps, failures } = await runScenario(model, scenario, target, "r1");
      const last = steps.at(-1);
      const isGiven = last?.step.kind === "given";
      if (outcome === "passed") continue;
      if (last?.response?.status === 501 || (isGiven && last.failures.length > 0)) unanswered += 1;
      else others.push(`${scenario.name}: ${failures[0]?.what} ${failures[0]?.actual.slice(0, 120)}`);
    } finally {
      await target.close();
    }
  }
  return { unanswered, others };
}

for (const file of ["examples/helpdesk.md", "test/contracts/open-places.md"])
  test(`${file}: each place that is not shown`, async () => {
    const text = readFileSync(join(import.meta.dirname, "../..", file), "utf8");
    const whole = compile(text, { file });
    assert.ok(whole.model);
    assert.deepEqual((await outcomeOf(whole.model)).others, []);
    const wrong: string[] = [];
    const seen = new Set<string>();
    for (const { name, line, from, to, text: words, says: ofWhole } of placesOf(file, text)) {
      const says = ofWhole ?? table.get(name) ?? table.get(name.replace(/ of an input$/, ""));
      assert.ok(says, `${file}:${line}: the guide's table doesn't say what \`${name}\` does`);
      const { model, diagnostics } = compile(text.slice(0, from) + words + text.slice(to), { file });
      const place = `${file}:${line}: ${name}`;
      if (diagnostics.some(({ severity }) => severity === "error")) continue;
      assert.ok(model);
      const { unanswered, others } = await outcomeOf(model);
      if (unanswered > 0) seen.add(name);
      const isAlways = says.includes("501") && !says.includes("automatically");
      if (isAlways ? others.length > 0 : others.some((message) => /status 5/.test(message)))
        wrong.push(`${place}: ${others.join("; ")}`);
      if (
        !diagnostics.some(
          (diagnostic) => diagnostic.kind === "gap" && diagnostic.position.start.line === line,
        )
      )
        wrong.push(`${place}: no gap is reported`);
    }
    assert.deepEqual(wrong, []);
    // The search must find the places on which the requests depend.
    for (const name of ["type", "allowed", "returns", "does"]) assert.ok(seen.has(name), name);
  });
