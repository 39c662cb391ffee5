/**
 * Reads `multipart/form-data` (RFC 7578) into the tree that forms are read into: parts with a file name are files, all others texts. The
 * body is there as a whole, bounded by the limit of its endpoint; files are pieces of it, and nothing is copied.
 */
import { parameterKeys } from "../../fields/parameter-keys.ts";
import { decodeUtf8 } from "../../support/json-reader.ts";
import { parseMediaType } from "../../model/media-type.ts";
import { type FormLimits, type FormRead, formLimits, type GrowingNode, nodeAt } from "./form-reader.ts";

export const multipartLimits = {
  /** Longest head of a part, in bytes: a name, a file name, a type. */
  headBytesMax: 4096,
  /** Longest name of a file, in UTF-16 units. */
  fileNameMax: 255,
};

const { headBytesMax, fileNameMax } = multipartLimits;

/** @param contentType of the body, with its boundary */
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

/** What stands before the first boundary is nobody's. */
function endOf(body: Buffer, line: Buffer, from: number): number | undefined {
  const found = body.indexOf(line, from);
  return found === -1 ? undefined : found + line.length;
}

/** Behind a boundary: blanks, and the end of the line. */
function headStart(body: Buffer, at: number): number | undefined {
  let start = at;
  while (body[start] === 0x20 || body[start] === 0x09) start += 1;
  return body[start] === 0x0d && body[start + 1] === 0x0a ? start + 2 : undefined;
}

/** Answers what is wrong with it. */
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
  const disposition = headers.get("content-disposition") ?? "";
  const name = parameterOf(disposition, "name");
  if (!/^form-data\s*;/i.test(disposition) || name === undefined || name === "") return "a part has no name";
  const coding = headers.get("content-transfer-encoding")?.toLowerCase() ?? "binary";
  if (!["7bit", "8bit", "binary"].includes(coding)) return `the part ${quoted(name)} is encoded (${coding})`;
  const keys = parameterKeys(name);
  if (keys.length - 1 > depthMax) return `the name ${quoted(name)} has more than ${depthMax} brackets`;
  const fileName = parameterOf(disposition, "filename");
  if (fileName === undefined) {
    const text = decodeUtf8(content);
    if (text === undefined || text.includes("\0")) return `the part ${quoted(name)} is not UTF-8 text`;
    nodeAt(root, keys).texts.push(text);
    return undefined;
  }
  // What a browser sends of a field in which no file was chosen.
  if (fileName === "" && content.length === 0) return undefined;
  // Some send the whole path; nobody is told of folders.
  const plain = /[^/\\]*$/.exec(fileName)?.[0] ?? "";
  if (plain.length > fileNameMax)
    return `the file in ${quoted(name)} has a name of more than ${fileNameMax} characters`;
  const type = parseMediaType(headers.get("content-type") ?? "")?.type;
  const node = nodeAt(root, keys);
  node.files ??= [];
  node.files.push({ name: plain, bytes: content, ...(type === undefined ? {} : { type }) });
  return undefined;
}

/** Browsers write a quotation mark in a name as `%22`, others as `\"`. */
function parameterOf(disposition: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]+))`, "i").exec(disposition);
  if (!found) return undefined;
  const written = found[1]?.replaceAll(/\\(["\\])/g, "$1") ?? found[2] ?? "";
  return written.replaceAll(/%(22|0D|0A)/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function quoted(name: string): string {
  return JSON.stringify(name.slice(0, 64));
}
