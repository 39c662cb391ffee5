/** The document of an agent: each tool reads it again, because the author edits it too. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { basename } from "node:path";
import type { Compilation } from "../compile.ts";
import { compileInWorker } from "../compile-in-worker.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Model } from "../model/model.ts";
import { codeOf } from "../support/failure.ts";
import { documentBytesMax } from "../syntax/ceilings.ts";
import { RefusedError } from "../support/ninefold-error.ts";

/** A mistake of the agent, and what to do instead. */
export class ToolRefused extends RefusedError {
  override name = "ToolRefused";
}

export interface DocumentState {
  readonly text: string;
  readonly compilation: Compilation;
}

export interface DocumentFile {
  readonly path: string;
  readonly name: string;
  /** @throws ToolRefused */
  read(): Promise<DocumentState>;
  /** Compiles another text under the name of the document. */
  compile(text: string): Promise<Compilation>;
  /**
   * Replaces the text that was read.
   *
   * @throws ToolRefused if the file has changed since
   */
  write(before: string, text: string): Promise<void>;
}

export function createDocumentFile(path: string): DocumentFile {
  const name = basename(path);
  let known: DocumentState | undefined;
  const readText = async (): Promise<string> => {
    try {
      const { size } = await stat(path);
      if (size > documentBytesMax)
        throw new ToolRefused(`${name} has ${size} bytes. A document has at most ${documentBytesMax}.`);
      return await readFile(path, "utf8");
    } catch (error) {
      if (error instanceof ToolRefused) throw error;
      throw new ToolRefused(`${name} can't be read: ${codeOf(error)}. Create it with \`ninefold new\`.`);
    }
  };
  const compile = (text: string) => compileInWorker(text, { file: name });
  return {
    path,
    name,
    compile,
    async read() {
      const text = await readText();
      if (known?.text !== text) known = { text, compilation: await compile(text) };
      return known;
    },
    async write(before, text) {
      if ((await readText()) !== before)
        throw new ToolRefused(
          `${name} was changed in the meantime. Describe it again, and repeat the change.`,
        );
      try {
        await writeFile(path, text);
      } catch (error) {
        throw new ToolRefused(`${name} can't be written: ${codeOf(error)}.`);
      }
    },
  };
}

/** The errors of a document; it can run with warnings and notes. */
export function errorsOf({ diagnostics }: Pick<Compilation, "diagnostics">): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === "error");
}

/** The model of a document without errors. @throws ToolRefused */
export function modelWithoutErrors({ compilation }: DocumentState): Model {
  const [first, ...more] = errorsOf(compilation);
  if (!first && compilation.model) return compilation.model;
  throw new ToolRefused(
    `The document has ${1 + more.length} ${more.length === 0 ? "error" : "errors"}, so it doesn't run. The first: ${first ? diagnosticLine(first) : "it can't be read."} Use check_change to find a correction.`,
  );
}

/** `12:3 error endpoints/unknown-item Unknown item "Alowed". Did you mean …?` */
export function diagnosticLine({ position: { start }, severity, code, message, hint }: Diagnostic): string {
  return `${start.line}:${start.column} ${severity} ${code} ${message}${hint === undefined ? "" : ` ${hint}`}`;
}
