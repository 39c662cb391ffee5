/**
 * Staged imports: files that are stored in one transaction. The client sends a file in pieces,
 * which the server keeps until all have arrived. It then stores them in the background, because
 * that may take longer than a client waits for a response.
 */
import { randomUUID } from "node:crypto";
import type { ImportOptions } from "../../../engine/admin/import-record.ts";
import {
  type Imported,
  ImportRefused,
  importRecords,
  parseSentLines,
  type RefusedLine,
} from "../../../engine/admin/import-records.ts";
import type { Service } from "../../../engine/service.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import { badRequest, OperationRefusal, refusalOf } from "../routing/refusal.ts";
import { messageOf } from "../../../support/failure.ts";
import { importLimits } from "./import-limits.ts";

export interface ImportState {
  readonly state: "open" | "running" | "done" | "refused" | "failed";
  readonly lines: number;
  readonly done: number;
  readonly imported?: Imported;
  readonly refused?: readonly RefusedLine[];
  /** The reason of a failed import. */
  readonly failure?: OperationRefusal;
}

interface Staged {
  readonly resource: string;
  readonly options: ImportOptions;
  pieces: Buffer[];
  bytes: number;
  state: ImportState;
  isEnded: boolean;
  touchedAt: number;
}

export const stagedImports = memoizeBy((inside: Service["internals"]) => new StagedImports(inside));

class StagedImports {
  readonly #all = new Map<string, Staged>();
  readonly #inside: Service["internals"];

  constructor(inside: Service["internals"]) {
    this.#inside = inside;
  }

  open(resource: string, options: ImportOptions): string {
    const now = this.#now();
    for (const [id, staged] of this.#all) if (now - staged.touchedAt > importLimits.idleMs) this.end(id);
    if (this.#all.size >= importLimits.openMax)
      throw new OperationRefusal(503, "Too many imports", "Other imports are running. Try again later.");
    const id = randomUUID();
    const state: ImportState = { state: "open", lines: 0, done: 0 };
    this.#all.set(id, { resource, options, pieces: [], bytes: 0, state, isEnded: false, touchedAt: now });
    return id;
  }

  take(id: string, lines: string): ImportState {
    const staged = this.#named(id);
    if (staged.state.state !== "open")
      throw badRequest("This import is already being stored. Start another one.");
    const piece = Buffer.from(lines);
    const bytes = [...this.#all.values()].reduce(
      (sum, stagedImport) => sum + stagedImport.bytes,
      piece.length,
    );
    if (bytes > importLimits.stagedBytesMax)
      throw new OperationRefusal(
        413,
        "Too much at once",
        `At most ${importLimits.stagedBytesMax / 1024 / 1024} MiB are stored in one transaction. Store them in several: --keep-going.`,
      );
    staged.pieces.push(piece);
    staged.bytes += piece.length;
    staged.state = { ...staged.state, lines: staged.state.lines + lines.split("\n").length };
    return staged.state;
  }

  state(id: string): ImportState {
    return this.#named(id).state;
  }

  start(service: Service, id: string): ImportState {
    const staged = this.#named(id);
    if (staged.state.state === "open") {
      staged.state = { ...staged.state, state: "running" };
      void this.#run(service, staged);
    }
    return staged.state;
  }

  end(id: string): void {
    const staged = this.#all.get(id);
    if (staged) staged.isEnded = true;
    this.#all.delete(id);
  }

  async #run(service: Service, staged: Staged): Promise<void> {
    try {
      const imported = await importRecords(service, staged.resource, () => linesOf(staged.pieces), {
        ...staged.options,
        continuesOnErrors: false,
        onLines: (done) => {
          staged.state = { ...staged.state, done };
        },
        isEnded: () => staged.isEnded,
      });
      staged.state = { ...staged.state, state: "done", imported };
    } catch (error) {
      staged.state =
        error instanceof ImportRefused
          ? { ...staged.state, state: "refused", refused: error.refused }
          : { ...staged.state, state: "failed", failure: failureOf(error) };
    }
    staged.pieces = [];
    staged.bytes = 0;
  }

  #now(): number {
    const { machine, clock } = this.#inside.context.ports;
    return (machine ?? clock).now();
  }

  #named(id: string): Staged {
    const staged = this.#all.get(id);
    if (!staged)
      throw new OperationRefusal(
        404,
        "No such import",
        "This import is finished or was cancelled. Start another one.",
      );
    staged.touchedAt = this.#now();
    return staged;
  }
}

function* linesOf(pieces: readonly Buffer[]) {
  for (const piece of pieces) yield* parseSentLines(piece.toString());
}

function failureOf(error: unknown): OperationRefusal {
  const message = messageOf(error);
  return refusalOf(error) ?? new OperationRefusal(500, "It failed", `${message} Nothing was stored.`);
}
