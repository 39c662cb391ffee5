/**
 * Client address behind proxies: each proxy appends its client's address to a header. The first
 * client can send any content before that. So entries are read from the end, as far as trusted
 * proxies wrote them. The operator names these proxies, or states their number. Without that
 * option, the server reads no such header.
 */
import { BlockList, isIP } from "node:net";

/**
 * The header that the proxies write. They pass the other header through unchanged, so the server
 * ignores it.
 */
export const forwardedHeaders = ["x-forwarded", "forwarded"] as const;
export type ForwardedHeader = (typeof forwardedHeaders)[number];

/** Trusted proxies: a number of hops from the end, or addresses. */
export type TrustedProxies = number | BlockList;

/** Longest chain of proxies. */
const hopsMax = 16;

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
};

/**
 * Parses the operator's option: `1`, or addresses and ranges separated by commas, such as
 * `loopback,10.0.0.0/8`. Returns undefined for any other text.
 */
export function readTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= 1 && Number(text) <= hopsMax ? Number(text) : undefined;
  const list = new BlockList();
  for (const name of text.split(",").flatMap((word) => named[word.trim()] ?? [word.trim()])) {
    const [, address = "", bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(name) ?? [];
    const family = isIP(address);
    const bitsMax = family === 4 ? 32 : 128;
    // A range of all addresses would let every client choose its address.
    if (family === 0 || (bits !== undefined && (Number(bits) > bitsMax || Number(bits) === 0)))
      return undefined;
    list.addSubnet(address, bits === undefined ? bitsMax : Number(bits), family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** The client, and the origin that it requested. */
export interface ClientAddress {
  /** The client's own address. */
  readonly address: string;
  /** The requested origin, `https://api.example.com`; undefined if no trusted proxy states it. */
  readonly origin: string | undefined;
}

/** Returns the client for the peer's address and the received headers. */
export type ResolveClient = (peer: string, rawHeaders: readonly string[]) => ClientAddress;

/** @param scheme the scheme between the last proxy and the service, if the proxy states none */
export function planClientAddress(
  trusted: TrustedProxies,
  header: ForwardedHeader,
  scheme: "http" | "https" = "http",
): ResolveClient {
  const read = header === "forwarded" ? readForwarded : readForwardedFor;
  return (peer, rawHeaders) => {
    let address = plainAddress(peer);
    if (typeof trusted === "object" && !isIn(trusted, address)) return { address, origin: undefined };
    const { clients, originAt } = read(rawHeaders, scheme);
    // The peer is trusted, and therefore the entry that it wrote.
    let hops = 1;
    for (; hops <= clients.length; hops += 1) {
      const before = addressIn(clients[clients.length - hops] as string);
      // No trusted proxy wrote this entry, or a proxy hides the client on purpose: earlier entries
      // are unknown.
      if (before === undefined) break;
      address = before;
      if (typeof trusted === "number" ? hops >= trusted : !isIn(trusted, address)) break;
    }
    return { address, origin: originAt(Math.max(1, Math.min(hops, clients.length))) };
  };
}

/** The entries of the proxies, the nearest last. */
interface ProxyEntries {
  /** The client of each proxy, in the order of the proxies. */
  readonly clients: readonly string[];
  /** The origin that was requested from the proxy at this position, counted from the end. */
  originAt(fromEnd: number): string | undefined;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** Normalizes an IPv6 address (RFC 5952); an IPv4-mapped address becomes the IPv4 address. */
function plainAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes("%")) return address;
  const normalized = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(normalized) ?? [];
  if (high === undefined || low === undefined) return normalized;
  const bytes = [high, low].flatMap((pair) => [
    Number.parseInt(pair, 16) >> 8,
    Number.parseInt(pair, 16) & 255,
  ]);
  return bytes.join(".");
}

/** Returns the values of all headers of this name, in order. */
function valuesOf(rawHeaders: readonly string[], name: string): string {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const text = rawHeaders[at] as string;
    if (text.length === name.length && text.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values.join(",");
}

/**
 * Reads the three `X-Forwarded-` headers. Most proxies replace the second and the third, and some
 * append to them. If there are fewer entries than proxies, the first entry belongs to the outermost
 * proxy.
 */
function readForwardedFor(rawHeaders: readonly string[], ownScheme: string): ProxyEntries {
  const entry = (entries: readonly string[], fromEnd: number) =>
    entries[Math.max(0, entries.length - fromEnd)] ?? "";
  return {
    clients: entriesOf(valuesOf(rawHeaders, "x-forwarded-for")),
    originAt(fromEnd) {
      const scheme = entry(entriesOf(valuesOf(rawHeaders, "x-forwarded-proto")), fromEnd);
      const host = entry(entriesOf(valuesOf(rawHeaders, "x-forwarded-host")), fromEnd);
      return originOf({ scheme, host, ownScheme }, rawHeaders);
    },
  };
}

function entriesOf(value: string): readonly string[] {
  return value === "" ? [] : value.split(",").map((entry) => entry.trim());
}

/**
 * Parses `Forwarded` (RFC 7239): `for=192.0.2.60;proto=http, for="[2001:db8::1]:4711"`. An entry
 * without `for` is empty.
 */
function readForwarded(rawHeaders: readonly string[], ownScheme: string): ProxyEntries {
  const value = valuesOf(rawHeaders, "forwarded");
  const elements = value === "" ? [] : splitOutsideQuotes(value, ",").map(pairsOf);
  return {
    clients: elements.map(({ for: client = "" }) => client),
    originAt(fromEnd) {
      const { proto = "", host = "" } = elements[elements.length - fromEnd] ?? {};
      return originOf({ scheme: proto, host, ownScheme }, rawHeaders);
    },
  };
}

type Pairs = Partial<Record<"for" | "proto" | "host", string>>;

function pairsOf(element: string): Pairs {
  const pairs: Pairs = {};
  for (const pair of splitOutsideQuotes(element, ";")) {
    const [, name, value] = /^\s*(for|proto|host)=(.*?)\s*$/i.exec(pair) ?? [];
    if (name === undefined || value === undefined) continue;
    pairs[name.toLowerCase() as keyof Pairs] ??= value.replace(/^"(.*)"$/, "$1");
  }
  return pairs;
}

const hostForm = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Completes a partial origin with the request's `Host` and the last proxy's scheme. Ignores a value
 * that is neither a scheme nor a host.
 */
function originOf(
  { scheme, host, ownScheme }: { readonly scheme: string; readonly host: string; readonly ownScheme: string },
  rawHeaders: readonly string[],
): string | undefined {
  if (scheme === "" && host === "") return undefined;
  const statedScheme = scheme === "" ? ownScheme : scheme.toLowerCase();
  const statedHost = host === "" ? valuesOf(rawHeaders, "host") : host;
  if (!/^https?$/.test(statedScheme) || !hostForm.test(statedHost)) return undefined;
  return `${statedScheme}://${statedHost.toLowerCase()}`;
}

function splitOutsideQuotes(text: string, at: string): string[] {
  const parts = [""];
  let isQuoted = false;
  for (const character of text) {
    if (character === '"') isQuoted = !isQuoted;
    if (character === at && !isQuoted) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts;
}

/**
 * Parses `192.0.2.60`, `192.0.2.60:4711`, `2001:db8::1` and `[2001:db8::1]:4711`. Returns undefined
 * for any other text.
 */
function addressIn(entry: string): string | undefined {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry) ?? [];
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(entry) ?? [];
  const address = plainAddress(inBrackets ?? withPort ?? entry);
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}
