/**
 * Comparisons: `check --from` on documents that people wrote. Pairs with one realistic edit each,
 * and pull requests with several, have recorded and reviewed comparisons. Each line of examples is removed, which the comparison
 * must report exactly if the wire differs.
 *
 *   NINEFOLD_RECORD=1 node --test test/exports/comparisons.test.ts      records the pairs again
 *   NINEFOLD_RUNS=100 node --test test/exports/comparisons.test.ts      removes every line
 */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { comparisonText } from "../../src/cli/comparison/comparison-text.ts";
import { compareDocuments } from "../../src/compare/compare.ts";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { soon } from "../processor-time.ts";
import { strictTerminal as quiet } from "../terminal.ts";
import { largeDocument } from "./large-document.ts";
import { type Pair, pullRequests } from "./pull-requests.ts";

const examples = join(import.meta.dirname, "../../examples");
const recorded = join(import.meta.dirname, "comparisons.txt");

const singleEdits: readonly Pair[] = [
  {
    title: "a shorter recipient",
    document: "parcel-desk.md",
    edits: [
      [
        "| recipient    | string    | required, length 1..120",
        "| recipient    | string    | required, length 1..60",
      ],
    ],
  },
  {
    title: "an input becomes required",
    document: "parcel-desk.md",
    edits: [["weight_grams, reference?\n", "weight_grams, reference\n"]],
  },
  {
    title: "only couriers give parcels back",
    document: "parcel-desk.md",
    edits: [
      ["- Does: give_back Parcel\n", '- Does: give_back Parcel\n- Allowed: `"courier" in caller.scopes`\n'],
    ],
  },
  {
    title: "a field is renamed without a version",
    document: "parcel-desk.md",
    edits: [["signed_by", "signature"]],
  },
  {
    title: "an event was removed, and its receivers wait for another one",
    document: "parcel-desk.md",
    edits: [["parcel.returned", "parcel.sent_back"]],
  },
  {
    title: "fewer retries, a lower rate and smaller pages",
    document: "parcel-desk.md",
    edits: [
      [", 2 hours, 8 hours, 24 hours", ", 2 hours"],
      ["100 per second, burst 200", "20 per second, burst 40"],
      ["default 20, maximum 100   | every list", "default 20, maximum 50    | every list"],
    ],
  },
  {
    title: "another status and code of an error",
    document: "helpdesk.md",
    edits: [["| not_found   | 404    |", "| no_ticket   | 410    |"]],
  },
  {
    title: "an endpoint and a field of a shape go",
    document: "helpdesk.md",
    edits: [
      ['"text": this.text, ', ""],
      ["### POST /tickets/{number}/close\n\n- Does: close Ticket\n- Returns: 200 TicketCard\n\n", ""],
    ],
  },
  {
    title: "lists answer in another order",
    document: "helpdesk.md",
    edits: [["- Order: opened_at descending", "- Order: opened_at"]],
  },
  {
    title: "strangers do not see shows any more",
    document: "seat-booking.md",
    edits: [["- Does: list Show\n- Allowed: anyone", "- Does: list Show"]],
  },
  {
    title: "a limit of a customer is checked more strictly",
    document: "seat-booking.md",
    edits: [['now > order.show.starts_at - duration("24h")', 'now > order.show.starts_at - duration("48h")']],
  },
  {
    title: "pages by cursor in place of offset",
    document: "conduit.md",
    edits: [
      [
        "- Pagination: offset (offset: offset, size: limit)",
        "- Pagination: cursor (size: limit, after: after)",
      ],
    ],
  },
  {
    title: "the base path moves",
    document: "twins/stripe.md",
    edits: [["- Base path: `/v1`", "- Base path: `/v2`"]],
  },
  {
    title: "private repositories are seen by no other caller, and issues too",
    document: "twins/github.md",
    edits: [["- Visible: `!this.private || this.owner == caller`", "- Visible: `this.owner == caller`"]],
  },
];

function textOf(document: string): string {
  return readFileSync(join(examples, document), "utf8");
}

/** Returns the model; undefined for a document with errors. */
function modelOf(text: string, file: string): Model | undefined {
  const { model, diagnostics } = compile(text, { file });
  return diagnostics.some(({ severity }) => severity === "error") ? undefined : model;
}

function compared({ document, edits }: Pair): string {
  const before = textOf(document);
  const after = edits.reduce((text, [from, to]) => {
    assert.ok(text.includes(from), `${document} has ${from}`);
    return text.replaceAll(from, () => to);
  }, before);
  const [old, now] = [modelOf(before, document), modelOf(after, document)];
  assert.ok(old && now, document);
  const differences = compareDocuments(old, now);
  return comparisonText({ file: "new.md", from: "old.md", differences }, { colour: false, quiet: false });
}

test("realistic edits are compared as recorded", () => {
  const text = [...singleEdits, ...pullRequests]
    .map((pair) => `${pair.document}: ${pair.title}\n\n${compared(pair)}`)
    .join("\n");
  if (process.env["NINEFOLD_RECORD"] !== undefined) writeFileSync(recorded, text);
  assert.equal(text, readFileSync(recorded, "utf8"));
});

/** The step is a prime, so that all kinds of lines are removed; with many runs every line is. */
const step = Number(process.env["NINEFOLD_RUNS"] ?? 1) >= 100 ? 1 : 37;

const withoutMeaning = /^(?:position|prose|meaning|text|file|ledger|scenarios|purpose)$|At$|Position$/;

function meaningOf(model: Model): string {
  return JSON.stringify({ ...model, text: "" }, (key, value: unknown) =>
    withoutMeaning.test(key) ? undefined : value,
  );
}

/** Members for readers or for Ninefold's own tools, which are not on the wire. */
const forPeople = new Set(["example", "examples", "info", "tags"]);
const textForPeople = new Set(["description", "title", "summary", "operationId"]);

/** Returns the wire format as OpenAPI, with sorted keys. */
function wireTextOf(model: Model): string {
  return JSON.stringify(openapiDocument(wireOf(model), "3.1", []), (key, value: unknown) => {
    if (forPeople.has(key) || key.startsWith("x-")) return undefined;
    if (typeof value === "string" && textForPeople.has(key)) return undefined;
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}

async function answersAlike(model: Model): Promise<void> {
  for (const scenario of model.scenarios) {
    const target = await createLocalTarget(model, quiet);
    try {
      const { outcome, failures, reason } = await runScenario(model, scenario, target, "r1");
      assert.equal(outcome, "passed", reason ?? `${scenario.name}: ${failures[0]?.what}`);
    } finally {
      await target.close();
    }
  }
}

for (const document of ["helpdesk.md", "parcel-desk.md", "conduit.md"])
  test(`${document}: a removed line is reported exactly if it changes the wire`, async () => {
    const text = textOf(document);
    const whole = modelOf(text, document);
    assert.ok(whole);
    const [meaning, wire] = [meaningOf(whole), wireTextOf(whole)];
    const lines = text.split("\n");
    const faults: string[] = [];
    let served = 0;
    for (let at = lines.indexOf("## Resources and their fields"); at < lines.length; at += step) {
      const model = modelOf(lines.toSpliced(at, 1).join("\n"), document);
      if (lines[at]?.trim() === "" || !model) continue;
      const [removed, added] = [compareDocuments(whole, model), compareDocuments(model, whole)];
      const found = `${removed.length} and ${added.length} differences: ${document}:${at + 1} ${lines[at]}`;
      if (meaningOf(model) === meaning) {
        if (removed.length + added.length > 0) faults.push(`false, ${found}`);
        continue;
      }
      if (wireTextOf(model) !== wire && (removed.length === 0 || added.length === 0))
        faults.push(`silent, ${found}`);
      // Clients notice nothing if all changes are fine for them: the old document's scenarios get
      // the same responses.
      if (removed.every(({ severity }) => severity === "fine") && served < (step === 1 ? 20 : 2)) {
        served += 1;
        await answersAlike(model);
      }
    }
    assert.deepEqual(faults, []);
  });

test("documents with a hundred endpoints are compared fast", () => {
  const text = largeDocument(100);
  const [old, now] = [
    modelOf(text, "large.md"),
    modelOf(text.replaceAll("length 1..80", "length 1..60"), "large.md"),
  ];
  assert.ok(old && now);
  // Measured once: 0.2 s of processor time.
  assert.ok(soon("the comparison", () => compareDocuments(old, now)).length >= 20);
});
