/**
 * Byte ranges (RFC 9110, section 14): a GET that returns bytes responds with the part that `Range`
 * states. Several ranges, and an invalid `Range`, are ignored, as the standard allows.
 */
import type { HeaderLine } from "../http/message.ts";
import { Problem } from "../problem.ts";
import type { Answer, RequestContext } from "../request-context.ts";

/**
 * Returns the part of a response that the request's `Range` states, with 206. Without a range,
 * returns the whole response.
 * @throws Problem if no byte is in the range: 416
 */
export function withRange({ request, headers }: RequestContext, answer: Answer): Answer {
  const { bytes } = answer;
  if (!bytes || answer.status !== 200 || (request.method !== "GET" && request.method !== "HEAD"))
    return answer;
  const whole: Answer = { ...answer, headers: [...answer.headers, ["Accept-Ranges", "bytes"]] };
  const range = headers["range"];
  if (range === undefined || request.method === "HEAD" || !isCurrent(headers["if-range"], answer.headers))
    return whole;
  const size = bytes.byteLength;
  const part = partOf(range, size);
  if (part === undefined) return whole;
  if (part === "none")
    throw new Problem({
      condition: "range not satisfiable",
      problem: `has ${size} bytes`,
      value: range,
      contentSize: size,
    });
  const { from, to } = part;
  return {
    status: 206,
    headers: [...whole.headers, ["Content-Range", `bytes ${from}-${to - 1}/${size}`]],
    body: "",
    bytes: bytes.subarray(from, to),
  };
}

interface Part {
  readonly from: number;
  /** The position after the last byte. */
  readonly to: number;
}

/** Returns the range within a body of this size, in bytes; undefined if the range is ignored. */
function partOf(range: string, size: number): Part | "none" | undefined {
  const match = /^bytes=[ \t]*(\d{1,15})?-(\d{1,15})?[ \t]*$/i.exec(range);
  const [first, last] = [match?.[1], match?.[2]];
  if (first === undefined && last === undefined) return undefined;
  if (first === undefined) {
    const count = Math.min(Number(last), size);
    return count === 0 ? "none" : { from: size - count, to: size };
  }
  const [from, end] = [Number(first), last === undefined ? size : Number(last) + 1];
  if (end <= from && last !== undefined) return undefined;
  return from >= size ? "none" : { from, to: Math.min(end, size) };
}

/**
 * Whether `If-Range` matches the response's strong entity tag or its time of change; true without
 * it.
 */
function isCurrent(condition: string | undefined, lines: readonly HeaderLine[]): boolean {
  if (condition === undefined) return true;
  const name = condition.startsWith('"') ? "etag" : "last-modified";
  return lines.some(([headerName, value]) => headerName.toLowerCase() === name && value === condition);
}
