/**
 * Journal file of `verify --resume`: a line for each answer of the service. Its first line says to
 * which run the file belongs.
 */
import { createHash } from "node:crypto";
import { appendFileSync, chmodSync, writeFileSync } from "node:fs";
import { Journal, type JournalEntry } from "../../explore/comparison/journal.ts";
import { CliError } from "../command.ts";
import { readIfThere } from "../export/out-file.ts";

/** What determines the requests of a run. A resumed run must have the same. */
export interface RunIdentity {
  readonly document: string;
  readonly setup: string;
  readonly against: string;
  readonly only: string;
  readonly seed: number;
  readonly clock: boolean;
  /** The address of the webhook receiver; empty if there is none. */
  readonly receiver: string;
}

/** The first line of the file. */
interface Head extends RunIdentity {
  readonly format: typeof format;
  readonly startMs: number;
}

const format = "ninefold verify 1";

export interface JournalFile {
  readonly head: Head | undefined;
  readonly recorded: readonly JournalEntry[];
}

export function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** Reads the file of an earlier run; empty if it doesn't exist. @throws CliError */
export async function readJournalFile(path: string): Promise<JournalFile> {
  const text = await readIfThere(path);
  if (text === undefined || text === "") return { head: undefined, recorded: [] };
  const lines = text.split("\n");
  // A killed run may have written a part of its last line.
  lines.pop();
  try {
    const [first = "null", ...entries] = lines;
    const head: Head | null = JSON.parse(first);
    if (head?.format !== format) throw new SyntaxError(`its first line isn't that of ${format}`);
    return { head, recorded: entries.map((line): JournalEntry => JSON.parse(line)) };
  } catch (error) {
    throw new CliError(
      `${path} can't be resumed: ${error instanceof Error ? error.message : String(error)}. Name a file that \`verify --resume\` wrote, or one that doesn't exist yet.`,
    );
  }
}

const subjects: readonly (readonly [keyof RunIdentity, string])[] = [
  ["document", "the document was another one"],
  ["setup", "the records of --setup were others"],
  ["against", "the service was another one"],
  ["only", "--only was another one"],
  ["seed", "--seed was another one"],
  ["clock", "only one of the two runs has --clock"],
  ["receiver", "webhooks arrived at another address"],
];

/** A journal that is appended to the file. @throws CliError if the file belongs to another run */
export function openJournal(
  path: string,
  { head, recorded }: JournalFile,
  identity: RunIdentity,
  nowMs: number,
): Journal {
  for (const [key, text] of subjects)
    if (head && head[key] !== identity[key])
      throw new CliError(`${path} can't be resumed: ${text}. Name a new file, or start the same run.`);
  const start: Head = head ?? { format, ...identity, startMs: nowMs };
  // Rewritten whole, so that a part of a line at its end is removed. It has credentials.
  writeFileSync(path, `${[start, ...recorded].map((line) => JSON.stringify(line)).join("\n")}\n`, {
    mode: 0o600,
  });
  chmodSync(path, 0o600);
  return new Journal({
    recorded,
    startMs: start.startMs,
    append: (entry) => appendFileSync(path, `${JSON.stringify(entry)}\n`),
  });
}
