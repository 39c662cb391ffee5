/**
 * Imports an OpenAPI description as a document. The document says what the description states and
 * nothing else. It compiles without an error: what `check` rejects becomes a gap in the next draft,
 * with a comment.
 */
import { compile } from "../../compile.ts";
import { createReporter, type Diagnostic } from "../../diagnostics/diagnostic.ts";
import { createSource } from "../../source/source.ts";
import { documentBytesMax, endpointsMax } from "../../syntax/ceilings.ts";
import { formatDocument } from "../../syntax/format.ts";
import type { Level } from "./writing/draft.ts";
import {
  type Files,
  ImportRefused,
  openFiles,
  type ReadRelative,
  type ReadRemote,
} from "./description/files.ts";
import { type Operation, operationsOf } from "./description/operations.ts";
import { resourcesOf } from "./description/resources.ts";
import { ownDocument } from "./description/own-document.ts";
import { createSchemas } from "./description/schemas.ts";
import { factsOf } from "./description/statements.ts";
import { member, plainOf } from "./description/values.ts";
import { writeDocument } from "./writing/document.ts";
import { leftKeysOf } from "./writing/kept-keys.ts";
import { type Detail, details } from "./writing/context.ts";

export interface ImportOptions {
  /** Name of the file, for messages and for the document's first line. */
  readonly name: string;
  readonly text: string;
  readonly readRelative: ReadRelative;
  /** Absent: references to the network are not followed. */
  readonly readRemote?: ReadRemote;
  /** Writes a comment with the place in the file for each element. */
  readonly origins?: boolean;
  /** Is called before each draft, with its number. */
  readonly onDraft?: (draft: number) => void;
  /** Paths to import; `*` matches any characters. Empty: all. */
  readonly only: readonly string[];
}

export interface Imported {
  readonly text: string;
  readonly counts: ReadonlyMap<string, Record<Level, number>>;
  /** Detail that was omitted to keep the document below the maximum length. */
  readonly detail: Detail;
}

/** Maximum number of drafts. Each draft withdraws what the previous one was rejected for. */
const draftsMax = 12;

/**
 * Writes a document from files with the structure of OpenAPI 3 (`asOpenApi`).
 * @throws ImportRefused
 */
export function importDescription(
  { name, text, readRelative, readRemote, onDraft, only, origins = false }: ImportOptions,
  asOpenApi: (files: Files) => Files,
): Imported {
  const files = asOpenApi(openFiles(name, text, readRelative, readRemote));
  const own = only.length === 0 ? ownDocument(files.first) : undefined;
  if (own && "text" in own) {
    const counts = new Map([["the whole document", { stated: 1, open: 0, comment: 0 }]]);
    return { text: canonical(own.text), counts, detail: "full" };
  }
  const schemas = createSchemas(files);
  const { operations: all, notes: unread } = operationsOf(files);
  const notes = own ? [...unread, { pointer: "#/x-ninefold-document", what: own.note }] : unread;
  const facts = factsOf(
    schemas,
    all,
    resourcesOf(schemas, all, plainOf(member(member(files.first, "components"), "schemas"))),
  );
  const operations = all.filter(
    ({ path }) => only.length === 0 || only.some((prefix) => matches(prefix, path)),
  );
  if (only.length > 0 && operations.length === 0)
    throw new ImportRefused(
      `${name}: no path matches --only ${only.join(",")}. The paths begin with ${beginnings(all.map(({ path }) => path))}.`,
    );
  if (operations.length > endpointsMax) throw tooManyEndpoints(name, operations);
  const isWhole = only.length === 0;
  const left = isWhole ? leftKeysOf(files.first) : new Map<string, number>();
  const refusals = new Map<string, number>();
  let [detail, ...shorter]: readonly (Detail | undefined)[] = details;
  let length = 0;
  for (let draft = 0; draft < draftsMax; draft++) {
    if (detail === undefined)
      throw tooLong(
        name,
        length,
        all.map(({ path }) => path),
      );
    const origin = { name, notes: isWhole ? notes : [], left, isOfEach: origins };
    onDraft?.(draft + 1);
    const { lines, counts } = writeDocument(files, facts, operations, origin, refusals, detail);
    const source = lines.map((line) => line.text).join("\n");
    // The canonical form pads tables. A draft that is far too long need not be formatted.
    length = Buffer.byteLength(source);
    const document = length > documentBytesMax ? "" : canonical(source);
    length = Math.max(length, Buffer.byteLength(document));
    if (length > documentBytesMax) {
      [detail, ...shorter] = shorter;
      continue;
    }
    const errors = compile(source, { file: name }).diagnostics.filter(
      (diagnostic) => diagnostic.severity === "error",
    );
    if (errors.length === 0) return { text: document, counts, detail };
    const keys = keysOf(errors, lines);
    if (keys.size === 0)
      throw new ImportRefused(
        `${name}: the import would have an error: ${errors[0]?.message ?? ""} Please report this, with the file.`,
      );
    for (const key of keys) refuse(refusals, key);
  }
  throw new ImportRefused(
    `${name}: the import still has errors after ${draftsMax} drafts. Please report this, with the file.`,
  );
}

/** What the next draft withdraws, because `check` rejected the lines that state it. */
function keysOf(
  errors: readonly Diagnostic[],
  lines: readonly { readonly key?: string | undefined }[],
): ReadonlySet<string> {
  const keys = errors.flatMap(({ code, position }) => {
    const key = lines[position.start.line - 1]?.key;
    if (key === undefined) return [];
    if (code === "resources/too-many-fields") return [`wide ${key}`];
    return [code === "errors/unknown-subject" ? `subject ${key}` : key];
  });
  return new Set(keys);
}

/**
 * What was rejected once says less: an endpoint without stated effects that is rejected again is
 * omitted.
 */
function refuse(refusals: Map<string, number>, key: string): void {
  const times = (refusals.get(key) ?? 0) + 1;
  refusals.set(key, times);
  const endpoint = /^(?:does|returns|accepts|scheme of) ([A-Z]+ .*)$/.exec(key)?.[1];
  if (endpoint !== undefined && times > 1) refusals.set(`endpoint ${endpoint}`, 1);
}

function canonical(text: string): string {
  const source = createSource("import", text);
  return formatDocument(source, createReporter(source));
}

/** Whether a path matches a pattern in which `*` matches any characters. */
function matches(pattern: string, path: string): boolean {
  const pieces = pattern.split("*");
  const [first = "", ...rest] = pieces;
  if (rest.length === 0) return path === pattern;
  if (!path.startsWith(first)) return false;
  let at = first.length;
  for (const [index, piece] of rest.entries()) {
    const isLast = index === rest.length - 1;
    const found = isLast && piece !== "" ? path.lastIndexOf(piece) : path.indexOf(piece, at);
    if (found < at || (isLast && piece !== "" && found + piece.length !== path.length)) return false;
    at = found + piece.length;
  }
  return true;
}

/** The first segments of paths, most frequent first. */
function beginnings(paths: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const path of paths) {
    const word = `/${path.split("/")[1] ?? ""}`;
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  const mostFrequent = [...counts].toSorted(([, a], [, b]) => b - a).slice(0, 8);
  return mostFrequent.map(([word, count]) => `${word} (${count})`).join(", ");
}

function tooManyEndpoints(name: string, operations: readonly Operation[]): ImportRefused {
  const paths = beginnings(operations.map(({ path }) => path));
  return new ImportRefused(
    `${name}: ${operations.length} operations are described; a document has at most ${endpointsMax} endpoints. ` +
      `Import a part with --only '/path*'. The paths begin with ${paths}.`,
  );
}

function tooLong(name: string, length: number, paths: readonly string[]): ImportRefused {
  const kib = Math.ceil(length / 1024);
  return new ImportRefused(
    `${name}: the document would have ${kib} KiB; a document has at most ${documentBytesMax / 1024} KiB. ` +
      `Import a part with --only '/path*'. The paths begin with ${beginnings(paths)}.`,
  );
}
