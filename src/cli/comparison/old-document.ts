/**
 * The old document of a comparison: a file, a revision of one in git, or the document in a store.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { compileInWorker } from "../../compile-in-worker.ts";
import { formatText } from "../../diagnostics/formats/text.ts";
import type { Model } from "../../model/model.ts";
import { createSource } from "../../source/source.ts";
import { namesStore, storeLabel, storedText } from "../../store/index.ts";
import { documentBytesMax } from "../../syntax/ceilings.ts";
import { messageOf } from "../../support/failure.ts";
import { CliError } from "../command.ts";
import { cliErrorOfStore } from "../open-service.ts";
import { readDocument } from "../read-document.ts";

/** `main:api.md`, `HEAD~1:docs/api.md`. A Windows path, `C:\api.md`, doesn't match. */
const revisionForm = /^(?<revision>[^-:\s][^:\s]+):(?<path>[^\s].*)$/;

/**
 * @param from a file, a store, or `REVISION:PATH`, whose path is from the root of the repository
 * of `document`
 * @throws CliError if there is no such document, or if it has errors
 */
export async function oldModel(from: string, document: string): Promise<Model> {
  return modelOf(await oldText(from, document), namesStore(from) ? storeLabel(from) : from);
}

/** The model of the document with which a store was last opened. @throws CliError | StoreRefused */
export async function storedModel(path: string): Promise<Model> {
  return modelOf(await storedText(path), storeLabel(path));
}

async function modelOf(text: string, from: string): Promise<Model> {
  const { model, diagnostics } = await compileInWorker(text, { file: from });
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (model && errors.length === 0) return model;
  const source = createSource(from, text);
  throw new CliError(
    `${from} has errors, so no service has run it. Name a version without errors.\n${formatText(errors.slice(0, 3), source, { colour: false })}`,
  );
}

/** @throws CliError */
async function textInStore(path: string): Promise<string> {
  try {
    return await storedText(path);
  } catch (error) {
    throw cliErrorOfStore(error);
  }
}

async function oldText(from: string, document: string): Promise<string> {
  if (namesStore(from)) return await textInStore(from);
  const { revision, path } = revisionForm.exec(from)?.groups ?? {};
  if (existsSync(from) || revision === undefined || path === undefined) return await readDocument(from);
  try {
    const { stdout } = await promisify(execFile)("git", ["show", "--end-of-options", `${revision}:${path}`], {
      cwd: dirname(resolve(document)),
      maxBuffer: 4 * documentBytesMax,
    });
    return stdout;
  } catch (error) {
    const lines = messageOf(error).split("\n");
    const reason = lines.find((line) => line.startsWith("fatal: "))?.slice("fatal: ".length) ?? lines[0];
    throw new CliError(
      `${from} can't be read: ${reason}. Write a file, or REVISION:PATH with the path from the root of the repository, like main:docs/api.md.`,
    );
  }
}
