/** Request ids: the service generates one on arrival and returns it in a response header. */
import { hexOf } from "../../support/hashing/hex.ts";
import type { HeaderLine } from "../http/message.ts";
import type { Ports } from "../ports.ts";

const requestIdBytes = 12;

export function newRequestId(ports: Ports): string {
  return `req_${hexOf(ports.randomBytes(requestIdBytes))}`;
}

/**
 * Adds the request id to a response. A header of the same name in the document takes precedence,
 * because most clients read two lines as one value.
 */
export function withRequestId(
  lines: readonly HeaderLine[],
  addedLines: readonly HeaderLine[],
  requestId: string,
): readonly HeaderLine[] {
  const all: HeaderLine[] = [];
  let own = requestId;
  const add = (line: HeaderLine) => {
    if (line[0].length === requestIdHeader.length && line[0].toLowerCase() === requestIdHeader) own = line[1];
    else all.push(line);
  };
  for (const line of lines) add(line);
  for (const line of addedLines) add(line);
  all.push(["X-Request-Id", own]);
  return all;
}

const requestIdHeader = "x-request-id";
