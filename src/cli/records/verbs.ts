/** The verbs of `ninefold data`. */
import { nonNull } from "../../support/non-null.ts";
import type { RecordResponse, HistoryResponse, DeletionResponse } from "../../admin/api/records/records.ts";
import type { DeletedResponse, CreatedRecordResponse } from "../../admin/api/records/record-changes.ts";
import type { ResourceResponse } from "../../admin/api/records/resources.ts";
import type { StoredRecordResponse } from "../../admin/api/records/record-responses.ts";
import type { Json } from "../../support/json.ts";
import { csvRow } from "../../support/formats/csv.ts";
import { wholeNumber } from "../arguments.ts";
import { WrongUsage } from "../command.ts";
import type { RecordsClient } from "./records-client.ts";
import { recordLines } from "../record-lines.ts";
import { columns as inColumns } from "../sandbox/describe.ts";
import type { Terminal } from "../terminal.ts";
import { cellOf, valueAt } from "../../admin/record-columns.ts";
import { columnsOf } from "./columns.ts";
import { eraseVerb } from "./erase.ts";
import { exportVerb } from "./export.ts";
import { deletedLines } from "./deleted-lines.ts";
import { importVerb } from "./import.ts";
import { pagesOf } from "./pages.ts";
import { type VerbArguments, textOf, type Verb } from "./verb.ts";

const path = (...parts: readonly string[]) =>
  `/api/records/${parts.map((part) => encodeURIComponent(part)).join("/")}`;

function asJson(terminal: Terminal, answer: unknown): void {
  terminal.write(`${JSON.stringify(answer, null, 2)}\n`);
}

interface Added {
  readonly records: readonly {
    readonly record: Readonly<Record<string, unknown>>;
    readonly shown?: readonly string[];
  }[];
}

const add: Verb = {
  positionals: ["RESOURCE", "[FIELDS]"],
  options: [],
  changes: true,
  createsStore: true,
  async run(client, { positionals, values }, terminal) {
    const [resource = "", fields = ""] = positionals;
    const given = fields.trim() === "" ? resource : `${resource} with ${fields}`;
    const { records } = (await client.send({
      method: "POST",
      path: "/api/records",
      body: { given, events: true },
    })) as Added;
    const [made] = records;
    if (!made) return;
    if (values["json"]) return asJson(terminal, made.record);
    terminal.write(
      recordLines(made.record, Object.fromEntries((made.shown ?? []).map((name) => [name, ""]))),
    );
    terminal.write("\n");
  },
};

const list: Verb = {
  positionals: ["RESOURCE"],
  options: ["where", "columns", "sort", "limit", "cursor", "deleted", "csv"],
  changes: false,
  async run(client, given, terminal) {
    const { values, positionals } = given;
    if (values["csv"] && values["json"]) throw new WrongUsage("--csv and --json can't be combined.");
    const limit = wholeNumber("--limit", textOf(given, "limit") ?? "100");
    if (limit === 0) throw new WrongUsage("--limit takes 1 or more.");
    const out = createListing(given, terminal);
    let next: string | undefined;
    for await (const page of pagesOf(client, {
      resource: nonNull(positionals[0]),
      where: textOf(given, "where"),
      sort: textOf(given, "sort"),
      cursor: textOf(given, "cursor"),
      deleted: values["deleted"] === true,
      limit,
    })) {
      out.take(page.resource, page.records);
      next = page.next;
    }
    out.end();
    if (next !== undefined) terminal.printError(`There are more: --cursor=${next}\n`);
  },
};

interface Listing {
  take(resource: ResourceResponse, records: readonly StoredRecordResponse[]): void;
  end(): void;
}

/** Prints blocks of lines, a table, CSV or JSON, as records arrive where the format allows that. */
function createListing(given: VerbArguments, terminal: Terminal): Listing {
  const { values } = given;
  const named = textOf(given, "columns");
  const rows: (string | null)[][] = [];
  const plain: Json[] = [];
  let columns: readonly string[] = [];
  let name = "";
  let count = 0;
  return {
    take(resource, records) {
      if (name === "") {
        columns = columnsOf(resource, { named, withComputed: true });
        if (values["csv"]) terminal.write(csvRow(columns));
      }
      name = resource.name;
      count += records.length;
      for (const { fields } of records) {
        const cells = () => columns.map((column) => cellOf(valueAt(fields, column)));
        if (values["json"])
          plain.push(
            named === undefined
              ? fields
              : Object.fromEntries(columns.map((column) => [column, valueAt(fields, column)])),
          );
        else if (values["csv"]) terminal.write(csvRow(cells()));
        else if (named !== undefined) rows.push(cells());
        else terminal.write(`${recordLines(fields)}\n`);
      }
    },
    end() {
      if (values["json"]) return asJson(terminal, plain);
      if (values["csv"]) return;
      if (count === 0)
        terminal.write(
          `No ${name} is stored${values["where"] === undefined ? "" : " for which that holds"}.\n`,
        );
      else if (named !== undefined)
        terminal.write(inColumns([columns, ...rows.map((row) => row.map((cell) => cell ?? ""))]));
    },
  };
}

const show: Verb = {
  positionals: ["RESOURCE", "ID"],
  options: ["history"],
  changes: false,
  async run(client, { positionals, values }, terminal) {
    const [resource = "", id = ""] = positionals;
    if (values["history"]) return history(client, { positionals, values }, terminal);
    const answer = (await client.send({ method: "GET", path: path(resource, id) })) as RecordResponse;
    if (values["json"]) return asJson(terminal, answer);
    const { record, due, referrers, transitions } = answer;
    terminal.write(recordLines(record.fields));
    const more = [
      ...(record.deleted ? ["It is marked as deleted."] : []),
      ...due.map((item) => `${item.at}  ${item.transition ?? "it is deleted"}`),
      ...transitions.map(
        (transition) =>
          `${transition.name}: ${transition.possible}${transition.why === undefined ? "" : ` (${transition.why})`}`,
      ),
      ...referrers
        .filter(({ count }) => count !== 0)
        .map(
          (referrer) =>
            `${referrer.resource}.${referrer.field}: ${referrer.count ?? "some may"} refer to it, on delete ${referrer.on_delete}`,
        ),
    ];
    if (more.length > 0) terminal.write(`\n${more.map((line) => `${line}\n`).join("")}`);
  },
};

/** Newest first, back to the start of the log. */
async function history(
  client: RecordsClient,
  { positionals, values }: VerbArguments,
  terminal: Terminal,
): Promise<void> {
  const [resource = "", id = ""] = positionals;
  const all: HistoryResponse["events"][number][] = [];
  let before: number | undefined;
  let isFirst = true;
  do {
    const answer = (await client.send({
      method: "GET",
      path: path(resource, id, "history"),
      query: before === undefined ? {} : { before: String(before) },
    })) as HistoryResponse;
    if (values["json"]) all.push(...answer.events);
    else {
      if (isFirst && answer.events.length === 0) terminal.write("The log has no entries for it.\n");
      for (const { time, sequence, type } of answer.events) terminal.write(`${time}  ${sequence}  ${type}\n`);
    }
    isFirst = false;
    before = answer.before;
  } while (before !== undefined);
  if (values["json"]) asJson(terminal, all);
}

const edit: Verb = {
  positionals: ["RESOURCE", "ID", "FIELDS"],
  options: [],
  changes: true,
  async run(client, { positionals, values }, terminal) {
    const [resource = "", id = "", set = ""] = positionals;
    const { record } = (await client.send({ method: "POST", path: path(resource, id), body: { set } })) as {
      record: Readonly<Record<string, unknown>>;
    };
    if (values["json"]) return asJson(terminal, record);
    terminal.write(`${recordLines(record)}\n`);
  },
};

const remove: Verb = {
  positionals: ["RESOURCE", "ID"],
  options: ["plan"],
  changes: true,
  async run(client, { positionals, values }, terminal) {
    const [resource = "", id = ""] = positionals;
    if (values["plan"]) {
      const plan = (await client.send({
        method: "GET",
        path: path(resource, id, "deletion"),
      })) as DeletionResponse;
      if (values["json"]) return asJson(terminal, plan);
      terminal.write(
        plan.in_use_by === undefined
          ? deletedLines(plan.gone)
          : `${resource} ${id} can't be removed: ${plan.in_use_by} refers to it.\n`,
      );
      return;
    }
    const { gone } = (await client.send({ method: "DELETE", path: path(resource, id) })) as DeletedResponse;
    if (values["json"]) return asJson(terminal, { removed: id, gone });
    terminal.write(`Removed ${resource} ${id}.\n`);
    const sideEffects = gone.filter(
      (candidate) => candidate.resource !== resource || candidate.deleted > 1 || candidate.cleared > 0,
    );
    if (sideEffects.length > 0) terminal.write(deletedLines(gone));
  },
};

const run: Verb = {
  positionals: ["RESOURCE", "ID", "TRANSITION", "[INPUTS]"],
  options: [],
  changes: true,
  async run(client, { positionals, values }, terminal) {
    const [resource = "", id = "", transition = "", inputs] = positionals;
    const { record, shown } = (await client.send({
      method: "POST",
      path: path(resource, id, "transitions", transition),
      body: inputs === undefined ? {} : { inputs: objectIn(inputs) },
    })) as CreatedRecordResponse;
    if (values["json"]) return asJson(terminal, record.fields);
    terminal.write(`${recordLines({ ...record.fields, ...shown }, shown)}\n`);
  },
};

/** @throws WrongUsage */
function objectIn(text: string): { readonly [name: string]: Json } {
  try {
    const json = JSON.parse(text) as Json;
    if (typeof json === "object" && json !== null && !Array.isArray(json))
      return json as { [name: string]: Json };
  } catch {
    // Reported below.
  }
  throw new WrongUsage(`INPUTS must be a JSON object such as '{"reason": "…"}'.`);
}

export const verbs: Readonly<Record<string, Verb>> = {
  list,
  show,
  add,
  edit,
  remove,
  run,
  erase: eraseVerb,
  export: exportVerb,
  import: importVerb,
};
