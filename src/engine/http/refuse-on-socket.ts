/**
 * Socket-level rejection: responds to bytes that `node:http` could not parse as a request. There is
 * no response object, so the response is written as bytes. The connection is closed, because the
 * start of the next request is unknown.
 */
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { formatExactSize } from "../../support/quantity.ts";
import type { RequestRefusal, ServiceResponse } from "./message.ts";
import { headerValue } from "./respond.ts";

export async function refuseOnSocket(
  code: string | undefined,
  socket: Duplex,
  limits: { readonly headerBytesMax: number },
  refuse: (refusal: RequestRefusal) => Promise<ServiceResponse> | ServiceResponse,
): Promise<void> {
  // Before the TLS handshake finishes, no response can be sent.
  if (
    code === "ECONNRESET" ||
    /^ERR_(?:SSL|TLS)_/.test(code ?? "") ||
    !socket.writable ||
    answering(socket)
  ) {
    socket.destroy();
    return;
  }
  socket.on("error", () => socket.destroy());
  const answer = await refuse(refusalOf(code, limits));
  socket.end(bytesOf(answer), () => socket.destroy());
}

/**
 * Whether an earlier response of this connection is in progress: bytes in between would become part
 * of it.
 */
function answering(socket: Duplex): boolean {
  const { _httpMessage: current } = socket as {
    readonly _httpMessage?: { readonly headersSent: boolean } | null;
  };
  return current?.headersSent === true;
}

/** The limit of `node:http` for chunk extensions, in bytes; it cannot be configured. */
const chunkExtensionBytesMax = 16 * 1024;

function refusalOf(
  code: string | undefined,
  { headerBytesMax }: { readonly headerBytesMax: number },
): RequestRefusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        condition: "too large",
        status: 431,
        problem: `the headers are larger than ${formatExactSize(headerBytesMax)}`,
        limit: formatExactSize(headerBytesMax),
        limitName: "headers",
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return {
        condition: "too large",
        status: 413,
        problem: `the chunk extensions are larger than ${formatExactSize(chunkExtensionBytesMax)}`,
        limit: formatExactSize(chunkExtensionBytesMax),
        limitName: "body",
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { condition: "timed out", status: 408, problem: "the request did not arrive in time" };
    case "CONNECT":
      return { condition: "method not allowed", status: 405, problem: "CONNECT is not supported" };
    default:
      return { condition: "malformed request", status: 400, problem: "the request is not HTTP" };
  }
}

/** Header values are already encoded as Latin-1 (`headerValue`); the body is not. */
function bytesOf(answer: ServiceResponse): Buffer {
  const body =
    typeof answer.body === "string" || answer.body instanceof Uint8Array
      ? Buffer.from(answer.body as string)
      : Buffer.alloc(0);
  const lines = answer.headers
    .filter(([name]) => name.toLowerCase() !== "connection")
    .map(([name, value]) => `${name}: ${headerValue(name.toLowerCase(), value)}`);
  const head = [
    `HTTP/1.1 ${answer.status} ${STATUS_CODES[answer.status] ?? ""}`,
    `Date: ${new Date().toUTCString()}`,
    ...lines,
    `Content-Length: ${body.byteLength}`,
    "Connection: close",
    "",
    "",
  ].join("\r\n");
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}
