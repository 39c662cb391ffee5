/**
 * Multipart parsing: reads `multipart/form-data` (RFC 7578) into the same tree as forms. Parts with
 * a file name are files, JSON parts are JSON, all others are texts. The body is complete and within
 * its endpoint's limit; files are slices of it, nothing is copied.
 */
import { parameterKeys } from "../../fields/parameter-keys.ts";
import { decodeUtf8, readJson } from "../../support/formats/json-reader.ts";
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import { type FormLimits, type FormRead, formLimits, type GrowingNode, ensureNode } from "./form-reader.ts";

export const multipartLimits = {
  /** Maximum size of a part's head, in bytes: name, file name and type. */
  headBytesMax: 4096,
  /** Maximum length of a file name, in UTF-16 units. */
  fileNameMax: 255,
};

const { headBytesMax, fileNameMax } = multipartLimits;

/** @param contentType the body's media type, with its boundary */
export function readMultipart(
  bytes: Uint8Array,
  contentType: string,
  limits: FormLimits = formLimits,
): FormRead {
  const boundary = parseMediaType(contentType)?.parameters.get("boundary");
  if (boundary === undefined || !/^[\x20-\x7e]{0,69}[\x21-\x7e]$/.test(boundary))
    return { problem: "its Content-Type has no boundary" };
  const body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const line = Buffer.from(`\r\n--${boundary}`);
  const root: GrowingNode = { texts: [] };
  let at = body.indexOf(line.subarray(2)) === 0 ? line.length - 2 : endOf(body, line, 0);
  for (let parts = 0; ; parts += 1) {
    if (at === undefined) return { problem: "a boundary is missing" };
    if (body.subarray(at, at + 2).equals(dashes)) return { form: root };
    if (parts >= limits.pairsMax) return { problem: `there are more than ${limits.pairsMax} parts` };
    const start = headStart(body, at);
    const head = start === undefined ? -1 : body.indexOf("\r\n\r\n", start - 2);
    if (start === undefined || head === -1 || head - start > headBytesMax)
      return { problem: "the head of a part can't be read" };
    const end = body.indexOf(line, head + 2);
    if (end === -1) return { problem: "a boundary is missing" };
    const problem = putPart(root, body.subarray(start, head), body.subarray(head + 4, end), limits);
    if (problem !== undefined) return { problem };
    at = end + line.length;
  }
}

const dashes = Buffer.from("--");

/** Returns the end of a boundary line. Content before the first boundary is ignored. */
function endOf(body: Buffer, line: Buffer, from: number): number | undefined {
  const found = body.indexOf(line, from);
  return found === -1 ? undefined : found + line.length;
}

/** Returns the start of a part's head. A boundary is followed by spaces and the end of the line. */
function headStart(body: Buffer, at: number): number | undefined {
  let start = at;
  while (body[start] === 0x20 || body[start] === 0x09) start += 1;
  return body[start] === 0x0d && body[start + 1] === 0x0a ? start + 2 : undefined;
}

/** Adds a part; returns a problem if it is invalid. */
function putPart(
  root: GrowingNode,
  head: Buffer,
  content: Buffer,
  { depthMax }: FormLimits,
): string | undefined {
  const lines = decodeUtf8(head)?.split("\r\n");
  if (!lines) return "the head of a part is not UTF-8";
  const headers = new Map(
    lines.map((text) => {
      const colon = text.indexOf(":");
      return [text.slice(0, Math.max(colon, 0)).trim().toLowerCase(), text.slice(colon + 1).trim()];
    }),
  );
  const disposition = readParameters(headers.get("content-disposition") ?? "");
  const name = disposition?.parameters.get("name");
  if (disposition?.kind !== "form-data" || name === undefined || name === "") return "a part has no name";
  const coding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["7bit", "8bit", "binary"].includes(coding)) return `the part ${quoted(name)} is encoded (${coding})`;
  const keys = parameterKeys(name);
  if (keys.length - 1 > depthMax) return `the name ${quoted(name)} has more than ${depthMax} brackets`;
  const stated = headers.get("content-type");
  const media = stated === undefined ? undefined : parseMediaType(stated);
  if (stated !== undefined && !media) return `the Content-Type of the part ${quoted(name)} can't be read`;
  const type = media?.type;
  const fileName =
    extendedText(disposition.parameters.get("filename*")) ?? disposition.parameters.get("filename");
  if (fileName === undefined && type !== undefined && isJsonType(type)) {
    const read = readJson(content);
    if (read.problem !== undefined) return `the part ${quoted(name)} is not valid JSON: ${read.problem}`;
    const node = ensureNode(root, keys);
    node.json ??= [];
    node.json.push(read.json);
    return undefined;
  }
  if (fileName === undefined && (type === undefined || type.startsWith("text/"))) {
    const charset = media?.parameters.get("charset") ?? "utf-8";
    const text = /^(utf-?8|us-ascii)$/i.test(charset) ? decodeUtf8(content) : undefined;
    if (text === undefined || text.includes("\0")) return `the part ${quoted(name)} is not UTF-8 text`;
    ensureNode(root, keys).texts.push(text);
    return undefined;
  }
  // For a file field without a file, browsers send this part.
  if (fileName === "" && content.length === 0) return undefined;
  // Some clients send the full path. Its folders are removed, and so are characters that hide or
  // reorder the rest of the name.
  const plain = (/[^/\\]*$/.exec(fileName ?? "")?.[0] ?? "").replaceAll(unseen, "");
  if (plain.length > fileNameMax)
    return `the file in ${quoted(name)} has a name of more than ${fileNameMax} characters`;
  const node = ensureNode(root, keys);
  node.files ??= [];
  node.files.push({ name: plain, bytes: content, ...(type === undefined ? {} : { type }) });
  return undefined;
}

/** Control characters, line separators, and what changes the direction of writing. */
const unseen = /[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const parameterForm = /[ \t]*;[ \t]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;"]*))/y;

interface Disposition {
  readonly kind: string;
  /** Values by lower-case name; a repeated name keeps its first value. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** Reads parameters in sequence, so that quoted text is never read as another parameter. */
function readParameters(text: string): Disposition | undefined {
  const kind = /^[A-Za-z-]+/.exec(text)?.[0];
  if (kind === undefined) return undefined;
  const parameters = new Map<string, string>();
  parameterForm.lastIndex = kind.length;
  for (let found = parameterForm.exec(text); found; found = parameterForm.exec(text)) {
    const name = (found[1] as string).toLowerCase();
    // Browsers write a quotation mark in a name as `%22`, others as `\"`.
    const written = found[2]?.replaceAll(/\\(["\\])/g, "$1") ?? (found[3] as string).trim();
    const value = written.replaceAll(/%(22|0D|0A)/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    if (!parameters.has(name)) parameters.set(name, name.endsWith("*") ? written : value);
  }
  return { kind: kind.toLowerCase(), parameters };
}

/**
 * Decodes `UTF-8''na%C3%AFve.txt` (RFC 8187). Returns undefined if it is invalid; the plain
 * parameter counts then.
 */
function extendedText(value: string | undefined): string | undefined {
  const found = /^(utf-8|iso-8859-1)'[A-Za-z0-9-]*'((?:%[0-9A-Fa-f]{2}|[!#$&+.^_`|~0-9A-Za-z-])*)$/i.exec(
    value ?? "",
  );
  const [, charset, encoded] = found ?? [];
  if (charset === undefined || encoded === undefined) return undefined;
  const bytes = Buffer.from(
    encoded.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    ),
    "latin1",
  );
  return charset.toLowerCase() === "utf-8" ? decodeUtf8(bytes) : bytes.toString("latin1");
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
