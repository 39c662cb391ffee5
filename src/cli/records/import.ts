/** `ninefold data import`: the records of a file, under the document's rules. */
import { statSync } from "node:fs";
import { importModes } from "../../engine/admin/import-record.ts";
import { refusedMax } from "../../engine/admin/import-records.ts";
import type { ImportResponse } from "../../admin/api/imports.ts";
import { counted } from "../../support/quantity.ts";
import { Trouble, WrongUsage } from "../command.ts";
import { Refused } from "../operations/client.ts";
import { createProgress, type Progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";
import type { Asking } from "./asking.ts";
import { nothingOf, recordsForm } from "./form.ts";
import { importInPieces } from "./import-pieces.ts";
import { piecesOf, type Told, toldOf } from "./pieces.ts";
import { linesOfFile } from "./sent-lines.ts";
import { textOf, type Verb } from "./verb.ts";

/** How often it is asked how far a running import is, in milliseconds: more and more seldom, up to this. */
const askEveryMsMax = 100;
/** Refused lines that are told one by one. */
const toldMax = 20;

export interface ImportJob {
  readonly asking: Asking;
  readonly resource: string;
  readonly file: string;
  readonly bytes: number;
  readonly wishes: { readonly mode: string; readonly events: boolean };
  lines(): ReturnType<typeof linesOfFile>;
  readonly terminal: Terminal;
  readonly progress: Progress;
}

export const importVerb: Verb = {
  positionals: ["RESOURCE", "PATH"],
  options: ["mode", "keep-going", "null", "no-events"],
  changes: false,
  createsStore: true,
  async run(asking, given, terminal) {
    const [resource = "", file = ""] = given.positionals;
    const mode = textOf(given, "mode") ?? "add";
    if (!importModes.some((one) => one === mode))
      throw new WrongUsage(`--mode takes ${importModes.join(", ")}, not "${mode}".`);
    const form = recordsForm(file);
    const nothing = nothingOf(given, form);
    const progress = createProgress(terminal, "Importing");
    const job: ImportJob = {
      asking,
      resource,
      file,
      bytes: sizeOf(file),
      wishes: { mode, events: given.values["no-events"] !== true },
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

/** @throws Trouble */
function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new Trouble(`There is no file ${file}.`);
  return found.size;
}

interface Done {
  readonly made: number;
  readonly changed: number;
}

function countsInWords({ made, changed }: Done, resource: string): string {
  const change = changed === 0 ? "" : `, ${changed} changed`;
  return `${counted(made, "record")} of ${resource} made${change}`;
}

/** All of it, or nothing. @throws Refused | Trouble */
async function importAtOnce(job: ImportJob): Promise<Done> {
  const { asking, resource, wishes, progress } = job;
  const path = `/api/imports/${encodeURIComponent(resource)}`;
  const { id } = (await asking.ask({ method: "POST", path, body: { ...wishes } })) as { readonly id: string };
  const own = `${path}/${id}`;
  try {
    const wrong: Told[] = [];
    for await (const piece of piecesOf(job.lines())) {
      wrong.push(...piece.wrong);
      if (wrong.length > toldMax) break;
      if (wrong.length === 0 && piece.sent.length > 0)
        await asking.ask({ method: "POST", path: own, body: { lines: piece.sent.join("\n") } });
      progress.tell(piece.at / 2, job.bytes);
    }
    if (wrong.length > 0) throw refusedLines(job.file, wrong, wrong.length > toldMax);
    let answer = (await asking.ask({ method: "PUT", path: own })) as ImportResponse;
    for (let waitMs = 1; answer.state === "running"; waitMs = Math.min(2 * waitMs, askEveryMsMax)) {
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      answer = (await asking.ask({ method: "GET", path: own })) as ImportResponse;
      progress.tell(answer.lines + answer.done, 2 * answer.lines);
    }
    if (answer.state === "failed") throw new Trouble(`${answer.detail}`);
    if (answer.state === "refused")
      throw refusedLines(
        job.file,
        answer.refused.map((one) => toldOf(resource, one)),
        answer.refused.length >= refusedMax,
      );
    return { made: answer.made, changed: answer.changed };
  } finally {
    progress.end();
    await asking.ask({ method: "DELETE", path: own });
  }
}

/** @param isCut further lines weren't looked at */
function refusedLines(file: string, told: readonly Told[], isCut: boolean): Refused {
  const lines = told.slice(0, toldMax).map(({ line, why }) => `\n  ${file}:${line}: ${why}`);
  const more = told.length > toldMax ? `\n  and ${told.length - toldMax} more` : "";
  return new Refused(
    `${isCut ? "At least " : ""}${counted(told.length, "line")} refused, and nothing was stored. --keep-going stores the others.${lines.join("")}${more}`,
  );
}
