/** `ninefold data`: the records in a document's store, seen and changed under the document's own rules. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Model, Resource } from "../../model/model.ts";
import { readGivenItems } from "../../model/read-given.ts";
import { formatText } from "../../diagnostics/formats/text.ts";
import { editRecord, listRecords, plainRecord, removeRecord } from "../../engine/edit-records.ts";
import { NoSuchRecord } from "../../engine/operating/refusals.ts";
import { GivenRefused, makeGiven, type GivenStep } from "../../engine/given.ts";
import { silentLog, systemClock } from "../../engine/ports.ts";
import { Problem } from "../../engine/problem.ts";
import type { Service } from "../../engine/service.ts";
import { nearest } from "../../support/nearest.ts";
import { readArguments, wholeNumber } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { loadHandlers } from "../load-handlers.ts";
import { recordLines } from "../record-lines.ts";
import { defaultStorePath, DocumentFailed, loadModel, openModelStore, openService } from "../open-service.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold data add FILE RESOURCE 'FIELD = EXPRESSION, …' [--store PATH] [--json]
       ninefold data list FILE RESOURCE [--limit 100] [--store PATH] [--json]
       ninefold data edit FILE RESOURCE ID 'FIELD = EXPRESSION, …' [--store PATH] [--json]
       ninefold data remove FILE RESOURCE ID [--store PATH] [--json]

Works on the records in a document's store, under the document's own rules. Secrets are shown once, when they are made.
An ID of several fields is written with slashes between them. The service must not be running: a store has one owner.

  --store PATH  the store's file; without it: the file beside the document, named for it
  --limit N     most records listed
  --json        JSON instead of text

Exit codes: 0 done · 1 refused by the document's rules · 2 wrong usage · 3 the file or the store can't be used

Example: ninefold data add examples/parcel-desk.md Shop 'name = "Ada & Co"'
`;

const whenInUse =
  "Stop that process first. If it is a sandbox, its records are added and listed while it runs: `ninefold sandbox add` and `ninefold sandbox list`.";

const verbs = ["add", "list", "edit", "remove"] as const;

export const dataCommand: Command = {
  name: "data",
  summary: "see and change the records in a document's store",
  usage,
  async run(args, terminal) {
    const [verb, ...rest] = args;
    if (!verbs.includes(verb as (typeof verbs)[number])) {
      const meant = nearest(verb ?? "", verbs);
      throw new WrongUsage(
        `${verb === undefined ? "add, list, edit or remove is missing" : `there is no "${verb}"`}.${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
      );
    }
    const needed = {
      add: ["FILE", "RESOURCE", "[FIELDS]"],
      list: ["FILE", "RESOURCE"],
      edit: ["FILE", "RESOURCE", "ID", "FIELDS"],
      remove: ["FILE", "RESOURCE", "ID"],
    };
    const { values, positionals } = readArguments(rest, {
      options: { store: { type: "string" }, json: { type: "boolean" }, limit: { type: "string" } },
      positionals: needed[verb as keyof typeof needed],
    });
    const [file = "", resource = "", ...others] = positionals;
    const options = {
      verb: verb as (typeof verbs)[number],
      file,
      resource,
      others,
      json: values.json ?? false,
      limit: wholeNumber("--limit", values.limit ?? "100"),
    };
    try {
      const { model } = await loadModel(file, terminal);
      const known = resourceNamed(model, resource);
      const handlers = await loadHandlers(file, model, terminal);
      const store = await openModelStore(model, values.store ?? defaultStorePath(file), terminal, {
        whenInUse,
      });
      try {
        const service = await openService(
          model,
          store,
          { clock: systemClock, log: silentLog },
          { origin: () => "http://localhost", ...(handlers ? { handlers } : {}) },
        );
        return await work(service, known, options, terminal);
      } finally {
        await store.close();
      }
    } catch (error) {
      if (
        error instanceof DocumentFailed ||
        error instanceof NoSuchRecord ||
        error instanceof GivenRefused ||
        error instanceof Problem
      ) {
        terminal.complain(
          `ninefold data: ${reasonIn(error, resource).replace(/\.$/, "")}. Nothing was changed.\n`,
        );
        return exitCodes.failed;
      }
      throw error;
    }
  },
};

/** What the document's rules have against it, about fields as they are called: `User.email is already taken`. */
function reasonIn(error: Error, resource: string): string {
  if (!(error instanceof Problem)) return error.message;
  return error.blames
    .map(({ field, problem }) =>
      field === undefined ? `${resource}: ${problem}` : `${resource}.${field} ${problem}`,
    )
    .join("; ");
}

interface DataOptions {
  readonly verb: (typeof verbs)[number];
  readonly file: string;
  readonly resource: string;
  readonly others: readonly string[];
  readonly json: boolean;
  readonly limit: number;
}

function resourceNamed(model: Model, name: string): Resource {
  const stored = model.resources.filter((one) => one.identifier.kind !== "none" && !one.gap);
  const found = stored.find((one) => one.name === name);
  if (found) return found;
  const meant = nearest(
    name,
    stored.map((one) => one.name),
  );
  const list = stored.map((one) => one.name).join(", ");
  throw new WrongUsage(
    `The document has no resource ${name}.${meant === undefined ? (list === "" ? " It has none at all." : ` It has ${list}.`) : ` Did you mean ${meant}?`}`,
  );
}

async function work(
  service: Service,
  resource: Resource,
  options: DataOptions,
  terminal: Terminal,
): Promise<number> {
  const { verb, others } = options;
  switch (verb) {
    case "add": {
      const [made] = await makeGiven(service, [stepOf(service.model, resource, others[0] ?? "", terminal)], {
        events: true,
      });
      if (made) show(service, resource, [made.record], options, terminal, made.shown);
      return exitCodes.ok;
    }
    case "list":
      show(
        service,
        resource,
        await listRecords(service, resource.name, undefined, options.limit),
        options,
        terminal,
      );
      return exitCodes.ok;
    case "edit": {
      const record = await editRecord(
        service,
        others[0] as string,
        stepOf(service.model, resource, others[1] as string, terminal),
      );
      show(service, resource, [record], options, terminal);
      return exitCodes.ok;
    }
    case "remove": {
      await removeRecord(service, resource.name, others[0] as string);
      terminal.write(
        options.json
          ? `${JSON.stringify({ removed: others[0] })}\n`
          : `Removed ${resource.name} ${others[0]}.\n`,
      );
      return exitCodes.ok;
    }
  }
}

/** Reads `FIELD = EXPRESSION, …` as a `Given` of the resource; what is wrong is told with the place in what was typed. */
function stepOf(model: Model, resource: Resource, fields: string, terminal: Terminal): GivenStep {
  const start = `- Given: ${resource.name} with `;
  const text = fields.trim() === "" ? `- Given: ${resource.name}` : start + fields.replace(/\s*\n\s*/g, " ");
  const read = readGivenItems(model, "arguments", text);
  const errors = read.diagnostics.filter((one) => one.severity === "error");
  const [step] = read.steps;
  if (errors.length === 0 && step) return step;
  terminal.complain(formatText(errors, read.source, { colour: terminal.complainsInColour === true }));
  throw new WrongUsage("the fields can't be read.");
}

function show(
  service: Service,
  resource: Resource,
  records: readonly RecordValue[],
  options: DataOptions,
  terminal: Terminal,
  shown: Readonly<Record<string, string>> = {},
): void {
  const plain = records.map((record) => plainRecord(service.inside.context, resource, record, shown));
  if (options.json) {
    terminal.write(`${JSON.stringify(options.verb === "list" ? plain : plain[0], null, 2)}\n`);
    return;
  }
  if (plain.length === 0) terminal.write(`No ${resource.name} is stored.\n`);
  for (const record of plain) terminal.write(`${recordLines(record, shown)}\n`);
}
