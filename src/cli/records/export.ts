/**
 * `ninefold data export`: records in order of creation, as JSON Lines or CSV, in the form that
 * `data import` reads.
 */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import type { StoredRecordResponse } from "../../admin/api/records/record-responses.ts";
import type { CountResponse } from "../../admin/api/records/records.ts";
import type { FieldResponse, ResourceResponse } from "../../admin/api/records/resources.ts";
import { csvRow } from "../../support/formats/csv.ts";
import type { Json } from "../../support/json.ts";
import { counted } from "../../support/quantity.ts";
import { CliError, WrongUsage } from "../command.ts";
import { createProgress } from "../progress.ts";
import { cellIn, valueAt } from "../../admin/record-columns.ts";
import { columnsOf } from "./columns.ts";
import { nullText, type RecordsForm, recordsForm } from "./form.ts";
import { pagesOf } from "./pages.ts";
import { textOf, type Verb } from "./verb.ts";
import { messageOf } from "../../support/failure.ts";

export const exportVerb: Verb = {
  positionals: ["RESOURCE"],
  options: ["where", "out", "csv", "null"],
  changes: false,
  async run(client, given, terminal) {
    const [resource = ""] = given.positionals;
    const out = textOf(given, "out");
    if (out !== undefined && given.values["csv"])
      throw new WrongUsage(
        "--csv and --out can't be combined: the ending of --out, .csv or .jsonl, names the format.",
      );
    const form = out === undefined ? (given.values["csv"] ? "csv" : "jsonl") : recordsForm(out);
    const where = textOf(given, "where");
    const writing = createWriting(form, nullText(given, form));
    const progress = createProgress(terminal, "Exporting");
    const target = out === undefined ? undefined : createTarget(out);
    try {
      const { count, more } = (await client.send({
        method: "GET",
        path: `/api/counts/${encodeURIComponent(resource)}`,
        query: { where },
      })) as CountResponse;
      let done = 0;
      for await (const page of pagesOf(client, { resource, where, oldest: true })) {
        const text = writing.page(page.resource, page.records);
        if (target) target.write(text);
        else terminal.write(text);
        done += page.records.length;
        if (target && !more) progress.update(done, count);
      }
      target?.keep();
      progress.end();
      if (out !== undefined) terminal.printError(`${out} has ${counted(done, `record`)} of ${resource}.\n`);
      for (const note of writing.notes()) terminal.printError(`${note}\n`);
    } finally {
      progress.end();
      target?.discard();
    }
  },
};

interface Writing {
  page(resource: ResourceResponse, records: readonly StoredRecordResponse[]): string;
  /** Notes on what the file omits. */
  notes(): readonly string[];
}

function createWriting(form: RecordsForm, nothing: string): Writing {
  let known: ResourceResponse | undefined;
  let columns: readonly string[] = [];
  const unwritable = new Set<string>();
  const cells = (byName: ReadonlyMap<string, FieldResponse>, { fields }: StoredRecordResponse) =>
    columns.map((column) => {
      const value = valueAt(fields, column);
      const [first = ""] = column.split(".");
      if (value === null && nothing === "" && byName.get(first)?.filled) unwritable.add(first);
      return cellIn(byName.get(first), column, value);
    });
  return {
    page(resource, records) {
      const isFirst = known === undefined;
      known = resource;
      const stored = resource.fields.filter(({ hidden, computed }) => !hidden && !computed);
      if (form === "jsonl")
        return records.map(({ fields }) => `${JSON.stringify(only(stored, fields))}\n`).join("");
      if (isFirst) columns = columnsOf(resource, { withComputed: false });
      const byName = new Map(stored.map((field) => [field.name, field]));
      const rows = records.map((record) => csvRow(cells(byName, record), nothing));
      return (isFirst ? csvRow(columns) : "") + rows.join("");
    },
    notes() {
      const name = known?.name ?? "";
      const hidden = (known?.fields ?? [])
        .filter((field) => field.hidden)
        .map((field) => `${name}.${field.name}`);
      return [
        ...(hidden.length > 0
          ? [`Omitted, because no caller may read it: ${hidden.join(", ")}. A backup has it.`]
          : []),
        ...(unwritable.size > 0
          ? [
              `Some records have no value in ${[...unwritable].join(", ")}, which \`data import\` would set to the default: --null NULL distinguishes null.`,
            ]
          : []),
      ];
    },
  };
}

function only(
  stored: readonly FieldResponse[],
  fields: StoredRecordResponse["fields"],
): StoredRecordResponse["fields"] {
  return Object.fromEntries(stored.map(({ name }) => [name, (fields[name] ?? null) as Json]));
}

interface Target {
  write(text: string): void;
  keep(): void;
  /** Discards the file unless it was completed. */
  discard(): void;
}

/** @throws CliError */
function createTarget(out: string): Target {
  if (existsSync(out))
    throw new CliError(`${out} already exists and was not changed. Name a file that does not exist.`);
  const part = `${out}.part`;
  const trying = <T>(work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw new CliError(`${out} can't be written (${messageOf(error)}). No file was left under that name.`);
    }
  };
  // The records may be personal data: only the owner can read the file.
  const descriptor = trying(() => openSync(part, "w", 0o600));
  let isOpen = true;
  const close = () => {
    if (isOpen) closeSync(descriptor);
    isOpen = false;
  };
  return {
    write: (text) =>
      trying(() => {
        const bytes = Buffer.from(text);
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      }),
    keep: () =>
      trying(() => {
        fsyncSync(descriptor);
        close();
        renameSync(part, out);
      }),
    discard() {
      close();
      rmSync(part, { force: true });
    },
  };
}
