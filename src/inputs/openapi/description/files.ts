/**
 * Reads the files of an OpenAPI description, within limits. The first file is given as text.
 * References lead to positions in it and to files below its folder, which are read on demand.
 * References to the network are followed only if the caller has a reader for them.
 */
import { load, YAMLException } from "js-yaml";
import { posix } from "node:path";
import { messageOf } from "../../../support/failure.ts";
import { jsonError } from "../../../support/formats/json-error.ts";
import { isPlain, member, type Plain } from "./values.ts";
import { RefusedError } from "../../../support/ninefold-error.ts";

/** Maximum size of all files together. The largest description tried, GitHub's, has 13 MB. */
const bytesMax = 64 * 1024 * 1024;
/** Maximum number of files. DigitalOcean's description has 2,850. */
const filesMax = 10_000;
/** Maximum depth of nested collections. */
const depthMax = 200;
/** Maximum number of YAML aliases. An alias is another name of the same object, so only the number counts. */
const aliasesMax = 100_000;
/** Maximum length of a chain of references. */
const hopsMax = 50;

/** The file can't be imported. The message names the file and, if known, the line. */
export class ImportRefused extends RefusedError {
  override name = "ImportRefused";
}

/** Text of a file by its path relative to the first one's folder; undefined where there is none. */
export type ReadRelative = (path: string) => string | undefined;

/** Text at an address of the network; undefined where there is none. */
export type ReadRemote = (url: string) => string | undefined;

export interface Files {
  readonly first: Plain;
  /** Resolves a reference. Any other value is returned unchanged. Undefined if the target doesn't exist. */
  follow(value: unknown): unknown;
  /** The last name that a chain of references goes by: `Pet` of `#/components/schemas/Pet`. */
  nameOf(value: unknown): string | undefined;
  /** References whose target doesn't exist, with the reason. Each is reported once. */
  readonly lost: ReadonlyMap<string, string>;
}

/** The end of a chain of references, and the last name in it. */
interface Walked {
  readonly end: unknown;
  readonly name: string | undefined;
}

export function openFiles(
  name: string,
  text: string,
  readRelative: ReadRelative,
  readRemote?: ReadRemote,
): Files {
  const files = new Map<string, unknown>();
  const home = new WeakMap<object, string>();
  const unreadable = new Map<string, string>();
  let bytes = 0;

  const parse = (path: string, content: string): unknown => {
    bytes += content.length;
    if (bytes > bytesMax) throw new ImportRefused(`${name}: the files are longer than 64 MiB together.`);
    const value = parsed(path === "" ? name : path, content);
    markHome(value, path, home);
    return value;
  };
  const fileAt = (path: string): unknown => {
    if (files.has(path)) return files.get(path);
    if (files.size >= filesMax) throw new ImportRefused(`${name}: it refers to more than 10,000 files.`);
    const content = isRemote(path) ? readRemote?.(path) : readRelative(path);
    const value = content === undefined ? undefined : parse(path, content);
    files.set(path, value);
    return value;
  };
  const first = parse("", text);
  // Other files refer to the first one by its name.
  for (const path of ["", name]) files.set(path, first);
  if (!isPlain(first))
    throw new ImportRefused(`${name}: this is not an OpenAPI description: no object at the top.`);

  // OpenAPI 3.2: the address by which references in other files may name the first one.
  const ownAddress = member(first, "$self");
  const step = (reference: string, from: string): unknown => {
    const [address = "", fragment = ""] = reference.split("#", 2);
    const path =
      address === "" ? from : address === ownAddress ? "" : pathFrom(from, address, readRemote !== undefined);
    if (typeof path !== "string") {
      unreadable.set(reference, path.why);
      return undefined;
    }
    const found = at(fileAt(path), fragment);
    if (found === undefined) unreadable.set(reference, "its target does not exist");
    return found;
  };
  const walked = new WeakMap<object, Walked>();
  const walk = (value: unknown): Walked => {
    if (!isPlain(value)) return { end: value, name: undefined };
    const known = walked.get(value) ?? walkFrom(value);
    walked.set(value, known);
    return known;
  };
  const walkFrom = (value: Plain): Walked => {
    let end: unknown = value;
    let last: string | undefined;
    for (let hops = 0; isPlain(end); hops++) {
      const reference = member(end, "$ref");
      if (typeof reference !== "string") break;
      if (hops >= hopsMax) {
        unreadable.set(reference, "it refers to itself");
        return { end: undefined, name: undefined };
      }
      last = nameIn(reference);
      end = step(reference, home.get(end) ?? "");
    }
    return { end, name: last };
  };
  return { first, follow: (value) => walk(value).end, nameOf: (value) => walk(value).name, lost: unreadable };
}

/** The name that a reference ends with: that of its fragment, or of its file. */
function nameIn(reference: string): string | undefined {
  const [address = "", fragment = ""] = reference.split("#", 2);
  const last = (fragment === "" ? address : fragment).split("/").at(-1) ?? "";
  return fragment === "" ? last.replace(/\.(ya?ml|json)$/i, "") : unescaped(last);
}

function unescaped(segment: string): string {
  let text = segment;
  try {
    text = decodeURIComponent(segment);
  } catch {
    // A percent sign without an escape is literal.
  }
  return text.replace(/~1/g, "/").replace(/~0/g, "~");
}

function at(value: unknown, fragment: string): unknown {
  let found = value;
  for (const segment of fragment.split("/").slice(1)) found = member(found, unescaped(segment));
  return found;
}

function isRemote(path: string): boolean {
  return /^https?:\/\//i.test(path);
}

/** A relative address as a path beneath the first file's folder, or as an address of the network. */
function pathFrom(from: string, address: string, isFetched: boolean): string | { readonly why: string } {
  if (isFetched && (isRemote(address) || isRemote(from))) {
    const url = URL.parse(address, isRemote(from) ? from : undefined);
    if (url && isRemote(url.href)) return url.href;
  }
  if (/^[a-z][a-z0-9+.-]*:/i.test(address) || address.startsWith("//") || isRemote(from))
    return { why: "it refers to the network, and an import reads only files" };
  const relative = unescaped(address).replaceAll("\\", "/");
  const path = posix.join(posix.dirname(from), relative);
  if (posix.isAbsolute(relative) || path === ".." || path.startsWith("../") || path.includes("\0"))
    return { why: "it refers to a file outside the folder of the first file" };
  return path;
}

function parsed(displayPath: string, text: string): unknown {
  // A byte order mark is not part of the text.
  const content = text.replace(/^\uFEFF/, "");
  if (content.trim() === "") throw new ImportRefused(`${displayPath}: the file is empty.`);
  if (/^\s*[{[]/.test(content)) {
    try {
      return withinDepth(displayPath, JSON.parse(content));
    } catch (error) {
      if (error instanceof ImportRefused) throw error;
      // YAML has objects in braces, too. A text that neither parser accepts is reported as JSON.
      const wrong = jsonError(content);
      try {
        return withinDepth(displayPath, load(content, { maxDepth: depthMax, maxAliases: aliasesMax }));
      } catch {
        const line = content.slice(0, wrong?.at ?? 0).split("\n").length;
        throw new ImportRefused(`${displayPath}:${line}: ${wrong?.problem ?? messageOf(error)}.`);
      }
    }
  }
  try {
    return withinDepth(displayPath, load(content, { maxDepth: depthMax, maxAliases: aliasesMax }));
  } catch (error) {
    if (error instanceof YAMLException && error.mark)
      throw new ImportRefused(`${displayPath}:${error.mark.line + 1}: ${error.reason}.`);
    if (error instanceof RangeError) throw new ImportRefused(`${displayPath}: it is nested too deeply.`);
    throw error instanceof ImportRefused ? error : new ImportRefused(`${displayPath}: ${messageOf(error)}.`);
  }
}

/** `JSON.parse` has no depth limit of its own. */
function withinDepth(displayPath: string, value: unknown): unknown {
  const visited = new Set<unknown>();
  const open: [value: unknown, depth: number][] = [[value, 0]];
  for (let next = open.pop(); next; next = open.pop()) {
    const [node, depth] = next;
    if (typeof node !== "object" || node === null || visited.has(node)) continue;
    if (depth > depthMax)
      throw new ImportRefused(`${displayPath} is nested more than ${depthMax} levels deep.`);
    visited.add(node);
    for (const inner of Object.values(node)) open.push([inner, depth + 1]);
  }
  return value;
}

/** Remembers the file of each object: its references are relative to that file. */
function markHome(value: unknown, path: string, home: WeakMap<object, string>): void {
  const open: unknown[] = [value];
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    if (typeof next !== "object" || next === null || home.has(next)) continue;
    home.set(next, path);
    for (const inner of Object.values(next)) if (typeof inner === "object") open.push(inner);
  }
}
