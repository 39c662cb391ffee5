/**
 * Import of a file's records in one transaction: all of them or none, or with `continuesOnErrors` all that
 * the document's rules allow. Each record runs in its own savepoint, so that the operator receives
 * every mistake of the file at once. A record that refers to a later record is retried after it.
 * Reads of other requests run in between; their writes wait.
 */
import { createEvaluationContext } from "../evaluation/context.ts";
import { Fault } from "../../support/invariant.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { Service } from "../service.ts";
import type { Transaction } from "../../store/store.ts";
import type { Json } from "../../support/json.ts";
import { readJsonText } from "../../support/formats/json-reader.ts";
import { type ImportOptions, importRecord } from "./import-record.ts";
import { fieldsOfCells, type SentCells } from "./read-cells.ts";
import { withPasswordHashes } from "./operator-write.ts";
import type { SentFields } from "./read-fields.ts";
import { type FieldError, FieldsRefused } from "./refusals.ts";
import { RefusedError } from "../../support/ninefold-error.ts";
import { withExit } from "../../support/early-exit.ts";

/** A line as it was sent: its position in the file, and its content. */
export interface SentLine {
  /** The line number, from 1. */
  readonly line: number;
  readonly fields?: SentFields;
  readonly cells?: SentCells;
}

export interface RefusedLine {
  readonly line: number;
  readonly errors: readonly FieldError[];
}

export interface Imported {
  readonly made: number;
  readonly changed: number;
  readonly refused: readonly RefusedLine[];
}

/** Thrown if lines were rejected and nothing was stored. */
export class ImportRefused extends RefusedError {
  override name = "ImportRefused";
  readonly refused: readonly RefusedLine[];
  constructor(refused: readonly RefusedLine[]) {
    super("lines were rejected");
    this.refused = refused;
  }
}

export interface ImportWork extends ImportOptions {
  readonly continuesOnErrors: boolean;
  /** Tries all lines, and stores nothing. */
  readonly isDryRun?: boolean;
  /** Called at intervals. */
  readonly onLines?: (done: number) => void;
  /** Whether the import was cancelled. */
  readonly isEnded?: () => boolean;
  /** Work that is stored in the same transaction. */
  readonly alongside?: (transaction: Transaction, imported: Imported) => Promise<void>;
}

/** Maximum number of rejected lines in a response; the import tries no further lines. */
export const refusedMax = 1_000;
/** Maximum time that other requests wait, in milliseconds. */
const sliceMs = 10;

/**
 * Imports the lines of a file.
 * @throws ImportRefused | ImportEnded
 */
export async function importRecords(
  service: Service,
  resource: string,
  lines: () => Iterable<SentLine>,
  work: ImportWork,
): Promise<Imported> {
  const { context, timers } = service.internals;
  const plan = context.resource(resource);
  const hashes = await hashesOf(service, plan, lines);
  const { imported, due } = await withExit<{ readonly imported: Imported; readonly due: number | null }>(
    async (exit) =>
      context.store.write(
        async (transaction) => {
          const run = new ImportRun(service, plan, transaction, work, hashes);
          let refused = await run.tryAll(lines());
          for (let before = Number.POSITIVE_INFINITY; refused.size > 0 && refused.size < before; ) {
            before = refused.size;
            refused = await run.tryAll([...refused.keys()]);
          }
          const refusals = [...refused].map(([{ line }, { errors }]) => ({ line, errors }));
          const done = { made: run.made, changed: run.changed, refused: refusals };
          if (work.isDryRun) exit({ imported: done, due: null });
          if (refusals.length > 0 && !work.continuesOnErrors) throw new ImportRefused(refusals);
          await work.alongside?.(transaction, done);
          return { imported: done, due: run.due };
        },
        { isUnlimited: true },
      ),
  );
  if (due !== null) timers.armed(due);
  return imported;
}

/** An import in one transaction, line by line. */
class ImportRun {
  made = 0;
  changed = 0;
  due: number | null = null;
  readonly #service: Service;
  readonly #plan: ResourcePlan;
  readonly #transaction: Transaction;
  readonly #work: ImportWork;
  readonly #hashes: ReadonlyMap<string, string>;
  #since: number;

  constructor(
    service: Service,
    plan: ResourcePlan,
    transaction: Transaction,
    work: ImportWork,
    hashes: ReadonlyMap<string, string>,
  ) {
    this.#service = service;
    this.#plan = plan;
    this.#transaction = transaction;
    this.#work = work;
    this.#hashes = hashes;
    this.#since = this.#now();
  }

  async tryAll(lines: Iterable<SentLine>): Promise<ReadonlyMap<SentLine, FieldsRefused>> {
    const refused = new Map<SentLine, FieldsRefused>();
    for (const line of lines) {
      try {
        this[await this.#take(line)] += 1;
      } catch (error) {
        if (!(error instanceof FieldsRefused)) throw error;
        refused.set(line, error);
        if (refused.size >= refusedMax) break;
      }
      await this.#yieldToRequests();
    }
    return refused;
  }

  async #take(line: SentLine): Promise<"made" | "changed"> {
    const { context, newFrame, newWork } = this.#service.internals;
    const frame = newFrame(context.ports.clock.now());
    frame.ports = withPasswordHashes(frame.ports, this.#hashes);
    const transaction = this.#transaction;
    const evaluation = createEvaluationContext({ ...newWork(), session: transaction, transaction }, frame);
    const did = await transaction.part(() =>
      importRecord(
        this.#service,
        this.#plan,
        evaluation,
        fieldsOf(this.#service, this.#plan, line),
        this.#work,
      ),
    );
    const { earliestDueMs } = evaluation.work;
    if (earliestDueMs !== null) this.due = Math.min(this.due ?? earliestDueMs, earliestDueMs);
    return did;
  }

  /**
   * Lets other requests run if the import has held the thread for its maximum time.
   * @throws ImportEnded
   */
  async #yieldToRequests(): Promise<void> {
    if (this.#now() - this.#since < sliceMs) return;
    this.#work.onLines?.(this.made + this.changed);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.#work.isEnded?.()) throw new ImportEnded();
    this.#since = this.#now();
  }

  #now(): number {
    const { machine, clock } = this.#service.internals.context.ports;
    return (machine ?? clock).now();
  }
}

/** Thrown if the import was cancelled: no response is sent. */
class ImportEnded extends Error {
  override name = "ImportEnded";
}

function fieldsOf(
  { internals: { context } }: Service,
  plan: ResourcePlan,
  { fields, cells }: SentLine,
): SentFields {
  return fields ?? fieldsOfCells(context, plan, cells ?? {});
}

/** Hashes passwords before the write, in a worker. */
async function hashesOf(
  { internals: { secrets } }: Service,
  plan: ResourcePlan,
  lines: () => Iterable<SentLine>,
): Promise<ReadonlyMap<string, string>> {
  const hashes = new Map<string, string>();
  const passwords = [...plan.fields.values()].filter(({ type }) => type.kind === "password");
  for (const { fields, cells } of passwords.length === 0 ? [] : lines())
    for (const { name } of passwords) {
      const text = (fields ?? cells)?.[name];
      if (typeof text !== "string" || hashes.has(text)) continue;
      hashes.set(text, await secrets.hashPasswordInWorker(text, { address: "operator", account: "" }));
    }
  return hashes;
}

function isSentLine(json: object | Json): json is SentLine {
  return typeof json === "object" && json !== null && "line" in json && typeof json.line === "number";
}

/**
 * Yields the lines of a text in which each is a JSON object with its position, as they are sent and
 * stored.
 */
export function* parseSentLines(text: string): Generator<SentLine> {
  for (const name of text.split("\n")) {
    if (name === "") continue;
    const read = readJsonText(name);
    if (read.problem !== undefined) throw new Fault(`a validated line is invalid: ${read.problem}`);
    if (!isSentLine(read.json)) throw new Fault("a validated line has no line number");
    yield read.json;
  }
}
