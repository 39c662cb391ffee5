/**
 * Sites of documents, generated as by the command: their files, and a folder that a browser can
 * open.
 */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { docsOutput } from "../../src/outputs/docs/docs.ts";
import { textOf } from "../repository/repository.ts";

/** By path; only `.html`, `.css` and `.js`. */
export type Files = ReadonlyMap<string, string>;

export const examples = [
  "examples/parcel-desk.md",
  "examples/conduit.md",
  "examples/twins/stripe.md",
  "examples/unidentified-service.md",
] as const;

export function modelOf(text: string, file = "document.md"): Model {
  const { model, diagnostics } = compile(text, { file });
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  assert.ok(model);
  return model;
}

export async function siteOf(text: string, file?: string): Promise<Files> {
  const { files } = await docsOutput.generate(modelOf(text, file), {});
  return new Map(files.map((file) => [file.path, file.text]));
}

const sites = new Map<string, Promise<Files>>();

/** Generated once for the process. */
export function siteOfExample(path: string): Promise<Files> {
  const site = sites.get(path) ?? siteOf(textOf(path), path);
  sites.set(path, site);
  return site;
}

export interface SiteFolder {
  readonly files: Files;
  /** `index.html` → `file:///…/index.html`. */
  address(page: string): string;
  remove(): void;
}

export function writeSite(files: Files): SiteFolder {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-site-"));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return {
    files,
    address: (page) => `${pathToFileURL(folder).href}/${page}`,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export function pagesOf(files: Files): readonly string[] {
  return [...files.keys()].filter((path) => path.endsWith(".html"));
}
