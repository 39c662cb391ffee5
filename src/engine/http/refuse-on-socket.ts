/**
 * Refuses what `node:http` could not read as a request. There is no response object for it, so the answer is written as bytes;
 * the connection ends with it, for nobody can tell where the next request would begin.
 */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { RequestRefusal, ServiceResponse } from "./message.ts";
import { headerValue } from "./respond.ts";

export async function refuseOnSocket(
  code: string | undefined,
  socket: Duplex,
  refuse: (refusal: RequestRefusal) => Promise<ServiceResponse> | ServiceResponse,
): Promise<void> {
  if (code === "ECONNRESET" || !socket.writable || answering(socket)) {
    socket.destroy();
    return;
  }
  socket.on("error", () => socket.destroy());
  const answer = await refuse(refusalOf(code));
  socket.end(bytesOf(answer), () => socket.destroy());
}

/** An earlier request of this connection is being answered: bytes in between would be read as part of that answer. */
function answering(socket: Duplex): boolean {
  const { _httpMessage: current } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return current?.headersSent === true;
}

function refusalOf(code: string | undefined): RequestRefusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        condition: "too large",
        status: 431,
        problem: "the headers are too large",
        limitName: "headers",
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { condition: "too large", status: 413, problem: "the chunk extensions are too large" };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { condition: "timed out", status: 408, problem: "the request did not arrive in time" };
    case "CONNECT":
      return { condition: "method not allowed", status: 405, problem: "CONNECT is never served" };
    default:
      return { condition: "malformed request", status: 400, problem: "it is not HTTP" };
  }
}

function bytesOf(answer: ServiceResponse): string {
  const body =
    typeof answer.body === "string"
      ? answer.body
      : answer.body instanceof Uint8Array
        ? Buffer.from(answer.body).toString()
        : "";
  const lines = answer.headers
    .filter(([name]) => name.toLowerCase() !== "connection")
    .map(([name, value]) => `${name}: ${headerValue(name.toLowerCase(), value)}`);
  return [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    "",
    body,
  ].join("\r\n");
}
