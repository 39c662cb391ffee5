/** `ninefold data import`: the records of a file, under the document's rules. */
import { statSync } from "node:fs";
import { importModes } from "../../engine/admin/import-record.ts";
import { refusedMax } from "../../engine/admin/import-records.ts";
import type { ImportResponse } from "../../admin/api/records/imports.ts";
import { counted } from "../../support/quantity.ts";
import { CliError, WrongUsage } from "../command.ts";
import { Refused } from "../operations/client.ts";
import { createProgress } from "../progress.ts";
import { nullText, recordsForm } from "./form.ts";
import { importInPieces, type ImportJob } from "./import-pieces.ts";
import { piecesOf, type RefusedLine, refusedLineOf } from "./pieces.ts";
import { linesOfFile } from "./file-lines.ts";
import { textOf, type Verb } from "./verb.ts";

/**
 * Maximum pause between two polls of a running import, in milliseconds; the pauses grow up to this.
 */
const pollEveryMsMax = 100;
/** Maximum number of rejected lines that are printed one by one. */
const printedMax = 20;

export const importVerb: Verb = {
  positionals: ["RESOURCE", "PATH"],
  options: ["mode", "keep-going", "null", "no-events"],
  changes: false,
  createsStore: true,
  async run(client, given, terminal) {
    const [resource = "", file = ""] = given.positionals;
    const mode = textOf(given, "mode") ?? "add";
    if (!importModes.some((importMode) => importMode === mode))
      throw new WrongUsage(`--mode takes ${importModes.join(", ")}, not "${mode}".`);
    const form = recordsForm(file);
    const nothing = nullText(given, form);
    const progress = createProgress(terminal, "Importing");
    const job: ImportJob = {
      client,
      resource,
      file,
      bytes: sizeOf(file),
      options: { mode, events: given.values["no-events"] !== true },
      lines: () => linesOfFile(file, form, nothing),
      terminal,
      progress,
    };
    try {
      const done = given.values["keep-going"] ? await importInPieces(job) : await importAtOnce(job);
      progress.end();
      if (given.values["json"]) terminal.write(`${JSON.stringify(done)}\n`);
      else terminal.write(`${file}: ${countsInWords(done, resource)}.\n`);
    } finally {
      progress.end();
    }
  },
};

/** @throws CliError */
function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new CliError(`File not found: ${file}.`);
  return found.size;
}

interface Done {
  readonly made: number;
  readonly changed: number;
}

function countsInWords({ made, changed }: Done, resource: string): string {
  const change = changed === 0 ? "" : `, ${changed} changed`;
  return `${counted(made, "record")} of ${resource} created${change}`;
}

/** Imports all records or none. @throws Refused | CliError */
async function importAtOnce(job: ImportJob): Promise<Done> {
  const { client, resource, options, progress } = job;
  const path = `/api/imports/${encodeURIComponent(resource)}`;
  const { id } = (await client.send({ method: "POST", path, body: { ...options } })) as {
    readonly id: string;
  };
  const own = `${path}/${id}`;
  try {
    const wrong: RefusedLine[] = [];
    for await (const piece of piecesOf(job.lines())) {
      wrong.push(...piece.wrong);
      if (wrong.length > printedMax) break;
      if (wrong.length === 0 && piece.sent.length > 0)
        await client.send({ method: "POST", path: own, body: { lines: piece.sent.join("\n") } });
      progress.update(piece.at / 2, job.bytes);
    }
    if (wrong.length > 0) throw refusedLines(job.file, wrong, wrong.length > printedMax);
    let answer = (await client.send({ method: "PUT", path: own })) as ImportResponse;
    for (let waitMs = 1; answer.state === "running"; waitMs = Math.min(2 * waitMs, pollEveryMsMax)) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      answer = (await client.send({ method: "GET", path: own })) as ImportResponse;
      progress.update(answer.lines + answer.done, 2 * answer.lines);
    }
    if (answer.state === "failed") throw new CliError(`${answer.detail}`);
    if (answer.state === "refused")
      throw refusedLines(
        job.file,
        answer.refused.map((item) => refusedLineOf(resource, item)),
        answer.refused.length >= refusedMax,
      );
    return { made: answer.made, changed: answer.changed };
  } finally {
    progress.end();
    await client.send({ method: "DELETE", path: own });
  }
}

/** @param isCut whether reading stopped before the end of the file */
function refusedLines(file: string, refused: readonly RefusedLine[], isCut: boolean): Refused {
  const lines = refused.slice(0, printedMax).map(({ line, why }) => `\n  ${file}:${line}: ${why}`);
  const more = refused.length > printedMax ? `\n  and ${refused.length - printedMax} more` : "";
  return new Refused(
    `${isCut ? "At least " : ""}${counted(refused.length, "line")} rejected, and nothing was stored. --keep-going stores the others.${lines.join("")}${more}`,
  );
}
