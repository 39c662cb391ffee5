/**
 * Outbound requests: the service's own requests to addresses that a document or a caller names.
 * Only public addresses are allowed. The service checks each address after resolving the name and
 * connects to that address, so DNS cannot redirect the connection afterwards (DNS rebinding). The
 * service follows no redirect, keeps no connection and uses no proxy. The calling code decides
 * about content and retries.
 */
import { isIP } from "node:net";
import { type Clock, type Network, systemClock, startTimeout } from "../ports.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";
import { systemNetwork } from "./system-network.ts";
import { messageOf } from "../../support/failure.ts";
import { UnavailableError } from "../../support/ninefold-error.ts";

export interface OutboundRequest {
  readonly url: string;
  /** `GET` by default. */
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The time-out for resolving, connecting, sending and reading together, in milliseconds. */
  readonly timeoutMs: number;
  /** Longest response body, in bytes. A longer body is an error. */
  readonly bytesMax: number;
  /**
   * Only the status matters. The client reads the body so that the peer can send it, and abandons
   * it at the limit of bytes or time. The returned body is its start.
   */
  readonly onlyStatus?: { readonly keepsBytes: number };
  /** Aborts the request. */
  readonly signal?: AbortSignal;
}

export interface OutboundResponse {
  readonly status: number;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Outbound {
  /** @throws OutboundFailed */
  request(request: OutboundRequest): Promise<OutboundResponse>;
}

/**
 * Thrown if there is no response. `refused` means that nothing was sent, because the address is not
 * allowed.
 */
export class OutboundFailed extends UnavailableError {
  override name = "OutboundFailed";
  readonly refused: boolean;

  constructor(message: string, refused: boolean) {
    super(message);
    this.refused = refused;
  }
}

export interface OutboundOptions {
  /** Whether the operator allows loopback (also over `http:`) and private addresses. */
  readonly allowPrivate: boolean;
  /**
   * Where `http:` is allowed if private addresses are: at this machine, or at all private addresses
   * (webhooks in a test's network).
   */
  readonly plainHttp?: "this machine" | "private addresses";
  /**
   * Whether a URL is an own address of the service, which is always allowed, also over `http:`. It
   * must lead to this machine.
   */
  readonly isOwn?: (url: URL) => boolean;
  /** The machine's network by default. */
  readonly network?: Network | undefined;
  /** The real-time clock for time-outs. */
  readonly clock?: Clock;
}

export function createOutbound({
  allowPrivate,
  plainHttp = "this machine",
  isOwn = () => false,
  network = systemNetwork,
  clock = systemClock,
}: OutboundOptions): Outbound {
  const rules: Rules = { allowPrivate, plainHttp };
  return {
    async request(request) {
      const url = URL.parse(request.url);
      if (!url) throw refusal(`${request.url} is not a URL`);
      if (url.protocol !== "https:" && url.protocol !== "http:")
        throw refusal(`${url.protocol} is not supported; use https:`);
      if (url.username !== "" || url.password !== "")
        throw refusal("the URL contains a user name or a password");
      const timeout = startTimeout(clock, request.timeoutMs);
      const signal = request.signal ? AbortSignal.any([timeout.signal, request.signal]) : timeout.signal;
      const own = isOwn(url)
        ? { allowPrivate: true, plainHttp: "this machine" as const, onlyHere: true }
        : rules;
      try {
        const address = await addressOf(url, own, network, signal);
        return await exchange(network, url, address, request, signal);
      } finally {
        timeout.cancel();
      }
    },
  };
}

interface Rules extends Required<Pick<OutboundOptions, "allowPrivate" | "plainHttp">> {
  /** Whether only this machine is allowed. */
  readonly onlyHere?: boolean;
}

/**
 * Returns the address to connect to. All addresses of the name must be allowed, not only the first.
 */
async function addressOf(
  url: URL,
  { allowPrivate, plainHttp, onlyHere }: Rules,
  network: Network,
  signal: AbortSignal,
): Promise<string> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const addresses = isIP(host) === 0 ? await resolved(host, network, signal) : [host];
  const [first] = addresses;
  if (first === undefined) throw new OutboundFailed(`${host} has no address`, false);
  for (const address of addresses) {
    if (onlyHere && !isLoopbackAddress(address)) throw refusal(`${host} is not this machine`);
    if (!allowPrivate && !isPublicAddress(address)) throw refusal(`${host} is not a public address`);
    const mayBePlain = plainHttp === "this machine" ? isLoopbackAddress(address) : !isPublicAddress(address);
    if (url.protocol === "http:" && !(allowPrivate && mayBePlain))
      throw refusal(`http: is allowed only to ${plainHttp}; use https:`);
  }
  return first;
}

async function resolved(name: string, network: Network, signal: AbortSignal): Promise<readonly string[]> {
  const timedOut = new Promise<never>((_, reject) => {
    signal.addEventListener("abort", () => reject(new OutboundFailed(`${name} took too long`, false)), {
      once: true,
    });
  });
  timedOut.catch(() => undefined);
  try {
    return await Promise.race([network.resolve(name), timedOut]);
  } catch (error) {
    if (error instanceof OutboundFailed) throw error;
    throw new OutboundFailed(`${name} can't be resolved: ${messageOf(error)}`, false);
  }
}

async function exchange(
  network: Network,
  url: URL,
  address: string,
  request: OutboundRequest,
  signal: AbortSignal,
): Promise<OutboundResponse> {
  try {
    const requestOptions = {
      url,
      method: request.method ?? "GET",
      headers: { Accept: "*/*", "User-Agent": "Ninefold", ...request.headers },
      ...(request.body === undefined ? {} : { body: request.body }),
      signal,
    };
    const { status, headers, body } = await network.request(requestOptions, address);
    if (!request.onlyStatus) return { status, headers, body: await readBody(body, request.bytesMax) };
    const beginning = createBeginning(request.onlyStatus.keepsBytes);
    await readBody(body, request.bytesMax, beginning.keep).catch(() => undefined);
    return { status, headers, body: beginning.bytes() };
  } catch (error) {
    const words = signal.aborted ? `${url.host} took longer than ${request.timeoutMs} ms` : messageOf(error);
    throw new OutboundFailed(words, false);
  }
}

/**
 * Reads the body of a response.
 * @param keep if present, it receives the data, and the returned body is empty
 */
async function readBody(
  body: AsyncIterable<Uint8Array>,
  bytesMax: number,
  keep?: (chunk: Uint8Array) => void,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.byteLength;
    // Leaving the loop here closes the connection.
    if (length > bytesMax) throw new OutboundFailed(`the response is longer than ${bytesMax} bytes`, false);
    if (keep) keep(chunk);
    else chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Creates a buffer that keeps the start of a stream. */
function createBeginning(bytesMax: number) {
  const kept: Uint8Array[] = [];
  let left = bytesMax;
  return {
    keep(chunk: Uint8Array) {
      if (left <= 0) return;
      // Copied: a view of the chunk would retain all of it in memory.
      kept.push(Uint8Array.from(chunk.subarray(0, left)));
      left -= Math.min(left, chunk.byteLength);
    },
    bytes: () => Buffer.concat(kept),
  };
}

function refusal(message: string): OutboundFailed {
  return new OutboundFailed(message, true);
}
