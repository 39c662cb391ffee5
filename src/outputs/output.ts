/**
 * The interface of all exports. An output is a pure function of the model: the same document gives
 * the same bytes, without time, randomness or I/O. What a document doesn't state is left out and
 * reported as a note; it is never invented. A new output is a folder next to this file and a line
 * in `index.ts`. `cli/commands/export.ts` reads arguments and writes files.
 */
import type { Model } from "../model/model.ts";
import type { Position } from "../source/source.ts";
import type { Awaitable } from "../support/awaitable.ts";
import { UsageError } from "../support/ninefold-error.ts";

export interface Output {
  /** As typed: `openapi` of `ninefold export openapi FILE`. */
  readonly name: string;
  /** One line for `--help`. */
  readonly summary: string;
  /**
   * `file`: one file, which goes to the terminal without `--out`. `folder`: several, which need
   * `--out`.
   */
  readonly gives: "file" | "folder";
  readonly options: readonly OutputOption[];
  /** @throws WrongOption if an option's value is invalid for this document */
  generate(model: Model, options: OutputOptions): Awaitable<Generated>;
}

/** An option of the command line, which takes a value: `--openapi 3.2`. */
export interface OutputOption {
  /** Without its dashes. */
  readonly name: string;
  /** The allowed values, the default first; absent: the output validates them itself. */
  readonly values?: readonly string[];
  /** Values for files of the author. A published file doesn't have them, because it needs no token. */
  readonly unpublished?: readonly string[];
  /** The placeholder for the value in `--help` if `values` is absent: `VERSION`. */
  readonly placeholder?: string;
  readonly summary: string;
}

/** The options by name, with defaults; undefined for one without a default that was not given. */
export type OutputOptions = Readonly<Record<string, string | undefined>>;

export interface Generated {
  /** In a stable order; one file if the output `gives` a file. */
  readonly files: readonly OutputFile[];
  /** What was omitted or approximated, each with its position in the document. */
  readonly notes: readonly OutputNote[];
}

export interface OutputFile {
  /** Relative, with slashes: `schemas/Parcel.json`. Never absolute, never with `..`. */
  readonly path: string;
  readonly text: string;
}

export interface OutputNote {
  /** One sentence: what is omitted, and why. */
  readonly message: string;
  readonly position: Position;
}

/** An option's value doesn't fit this document: for example, a version that it doesn't have. */
export class WrongOption extends UsageError {
  override name = "WrongOption";
}

/**
 * `--format` of outputs whose file is plain data; `fileText` writes it. The extension of `--out`
 * selects it too.
 */
export const formatOption: OutputOption = {
  name: "format",
  values: ["json", "yaml"],
  summary: "the file format (default: by the ending of --out, else json)",
};

/** `--version` of outputs that describe one version; `wireOf` reads it. */
export const versionOption: OutputOption = {
  name: "version",
  placeholder: "VERSION",
  summary: "the version of the document's part 9 (default: the current one)",
};

/**
 * `--url` of outputs with requests: no document says where it is served; `serve` passes its own
 * address.
 */
export const urlOption: OutputOption = {
  name: "url",
  placeholder: "URL",
  summary: "the address of the service, for requests (default: none, the reader adds it)",
};

/** `--sandbox` of the documentation site: where its pages send requests. */
export const sandboxOption: OutputOption = {
  name: "sandbox",
  placeholder: "URL",
  summary: "the address of a sandbox (`serve --sandbox`), to which pages send requests",
};

/** `--space-header` of the documentation site: the header that names the sandbox's data space. */
export const spaceHeaderOption: OutputOption = {
  name: "space-header",
  placeholder: "NAME",
  summary: "the header that names its data space (default: Ninefold-Space)",
};

/**
 * The service's address without its final slash; undefined if it isn't known. @throws WrongOption
 */
export function serviceUrl({ url }: OutputOptions): string | undefined {
  return addressOf(url);
}

/** An address without its final slash. @throws WrongOption */
export function addressOf(url: string | undefined): string | undefined {
  if (url === undefined) return undefined;
  const parsed = URL.parse(url);
  if (!parsed || !/^https?:$/.test(parsed.protocol) || parsed.search !== "" || parsed.hash !== "")
    throw new WrongOption(
      `The URL "${url}" is not the address of a service. Write for example https://api.example.com.`,
    );
  return url.replace(/\/+$/, "");
}
