/**
 * Figures of imports, as a Markdown table with a row for each OpenAPI file. It has what the import
 * states, what the work list proposes, and what stays open or in comments. Seconds of
 * processor and memory are those of the import alone, and the result is served: `npm run import-figures -- FILE…`.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { compile } from "../../src/compile.ts";
import { importFile } from "../../src/inputs/formats.ts";
import type { Model } from "../../src/model/model.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { accept } from "../../src/worklist/accept.ts";
import { soundDocument } from "../../src/worklist/worklist.ts";
import { silentTerminal } from "../terminal.ts";

/** The numbers of stated, proposed and open statements, and of those in comments. */
type Row = readonly [stated: number, proposed: number, open: number, comment: number];

interface Figures {
  readonly operations: Row;
  readonly inputs: Row;
  readonly fields: Row;
  readonly seconds: number;
  readonly megabytes: number;
  readonly errors: number;
  /**
   * The responses to one request of each endpoint: successful or rejected, 501 for a gap, and any
   * other 5xx.
   */
  readonly served: readonly [answered: number, gaps: number, faults: number];
}

const [first, file] = process.argv.slice(2);
if (first === "--one" && file !== undefined) process.stdout.write(JSON.stringify(await figuresOf(file)));
else {
  console.log(
    "| Description | Operations | Inputs | Fields | Seconds | MB | Errors | Answered · 501 · faults |",
  );
  console.log("|---|---|---|---|---|---|---|---|");
  for (const each of process.argv.slice(2)) {
    // A separate process, so that the memory is that of one import.
    const args = ["--max-old-space-size=4096", import.meta.filename, "--one", each];
    const made = execFileSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 24 });
    const found = JSON.parse(made) as Figures;
    const rows = [found.operations, found.inputs, found.fields].map((row) => row.join(" · "));
    const rest = [found.seconds.toFixed(1), found.megabytes, found.errors, found.served.join(" · ")];
    console.log(`| ${[basename(each), ...rows, ...rest].join(" | ")} |`);
  }
}

/** Imports a file, and serves the result. */
async function figuresOf(path: string): Promise<Figures> {
  const name = basename(path);
  const text = readFileSync(path, "utf8");
  const usageBefore = process.cpuUsage();
  const made = importFile("openapi", { name, text, readRelative: readerAt(path), only: [] });
  const { user, system } = process.cpuUsage(usageBefore);
  const seconds = (user + system) / 1e6;
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  const { model, diagnostics } = compile(made.text, { file: "made.md" });
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  const before = openIn(made.text);
  const after = openIn(accept("made.md", made.text, ["likely", "possible"]).text);
  const comments = (...kinds: readonly string[]) =>
    kinds.reduce((sum, kind) => sum + (made.counts.get(kind)?.comment ?? 0), 0);
  return {
    operations: rowOf(before.operations, after.operations, comments("operations", "parts of operations")),
    inputs: rowOf(before.inputs, after.inputs, comments("input types")),
    fields: rowOf(before.fields, after.fields, comments("fields", "field types", "field rules")),
    seconds,
    megabytes,
    errors,
    served: model ? await servedBy(model) : [0, 0, 0],
  };
}

/** Creates a reader of the files next to a description and beneath its folder. */
function readerAt(path: string): (relative: string) => string | undefined {
  return (relative) => {
    try {
      return readFileSync(join(dirname(path), relative), "utf8");
    } catch {
      return undefined;
    }
  };
}

interface Count {
  readonly all: number;
  readonly open: number;
}

function rowOf(before: Count, after: Count, comment: number): Row {
  const proposed = Math.max(0, before.open - after.open);
  return [before.all - before.open, proposed, before.open - proposed, comment];
}

/** Counts the operations, inputs and fields of a document, and those that are not fully stated. */
function openIn(text: string): { operations: Count; inputs: Count; fields: Count } {
  const { document, model } = soundDocument("made.md", text);
  const { endpoints, resources, values } = document;
  const openInputs = endpoints.flatMap(({ inputs }) => inputs.filter(({ isOpen }) => isOpen));
  const fields = [...resources, ...values].flatMap((of) => of.fields);
  const openIdentifiers = resources.filter(({ identifier }) => identifier.isOpen).length;
  return {
    operations: { all: endpoints.length, open: endpoints.filter(({ isOpen }) => isOpen).length },
    inputs: {
      all: model.endpoints.reduce((sum, { inputs }) => sum + inputs.length, 0),
      open: openInputs.length,
    },
    fields: {
      all: fields.length + resources.length,
      open: fields.filter(({ rules }) => rules.some(isOpenRule)).length + openIdentifiers,
    },
  };
}

function isOpenRule(rule: string): boolean {
  return rule.endsWith("not shown");
}

/**
 * Counts the responses to one request of each endpoint, with `1` for each parameter and without a
 * body.
 */
async function servedBy(model: Model): Promise<Figures["served"]> {
  const target = await createLocalTarget(model, silentTerminal);
  const statuses: number[] = [];
  try {
    for (const { method, path } of model.endpoints) {
      const base = model.endpointsPart.basePath.text.replace(/\/$/, "");
      const address = (base + path.text).replace(/\{[^}]+\}/g, "1");
      statuses.push((await target.send({ method, target: address, headers: [] })).status);
    }
  } finally {
    await target.close();
  }
  const faults = statuses.filter((status) => status >= 500 && status !== 501).length;
  const gaps = statuses.filter((status) => status === 501).length;
  return [statuses.length - gaps - faults, gaps, faults];
}
