/**
 * Who asks, and under which address, where proxies stand in between. Each adds to a header whom it was asked by, at the end; whoever asks the first of
 * them can have written anything before that. So the entries are gone through from the end, as far as those are trusted who wrote them: the
 * proxies that the operator names, or so many of them. Nobody else's word counts, and without a wish no header is looked at.
 */
import { BlockList, isIP } from "node:net";

/** The header that the proxies write. One of another name is passed on by them as it came, and never looked at. */
export const forwardedHeaders = ["x-forwarded", "forwarded"] as const;
export type ForwardedHeader = (typeof forwardedHeaders)[number];

/** Which proxies are trusted: the last so many, or those at these addresses. */
export type TrustedProxies = number | BlockList;

/** How many proxies may stand in a row. */
const hopsMax = 16;

const named: Readonly<Record<string, readonly string[]>> = {
  loopback: ["127.0.0.0/8", "::1/128"],
  private: ["10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16", "fc00::/7", "fe80::/10"],
};

/**
 * `1`, or addresses and ranges divided by commas: `loopback,10.0.0.0/8`. Undefined where it is neither.
 * @param text what the operator says
 */
export function readTrustedProxies(text: string): TrustedProxies | undefined {
  if (/^\d{1,2}$/.test(text)) return Number(text) >= 1 && Number(text) <= hopsMax ? Number(text) : undefined;
  const list = new BlockList();
  for (const one of text.split(",").flatMap((word) => named[word.trim()] ?? [word.trim()])) {
    const [, address = "", bits] = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i.exec(one) ?? [];
    const family = isIP(address);
    const bitsMax = family === 4 ? 32 : 128;
    // A range of everything would let everybody say who they are.
    if (family === 0 || (bits !== undefined && (Number(bits) > bitsMax || Number(bits) === 0)))
      return undefined;
    list.addSubnet(address, bits === undefined ? bitsMax : Number(bits), family === 4 ? "ipv4" : "ipv6");
  }
  return list;
}

/** Who asks, and under which address. */
export interface ClientAddress {
  /** The client's own address. */
  readonly address: string;
  /** What the service was asked under, `https://api.example.com`; undefined where no trusted proxy says it. */
  readonly origin: string | undefined;
}

/** @returns who asks, by the peer's address and the headers as they were received */
export type ResolveClient = (peer: string, rawHeaders: readonly string[]) => ClientAddress;

/** @param scheme what the last proxy speaks with the service, where it doesn't say what it was asked in */
export function clientBehind(
  trusted: TrustedProxies,
  header: ForwardedHeader,
  scheme: "http" | "https" = "http",
): ResolveClient {
  const read = header === "forwarded" ? readForwarded : readForwardedFor;
  return (peer, rawHeaders) => {
    let address = plainAddress(peer);
    if (typeof trusted === "object" && !isIn(trusted, address)) return { address, origin: undefined };
    const { clients, originAt } = read(rawHeaders, scheme);
    // Whoever connects is trusted, and so is what it has written itself.
    let hops = 1;
    for (; hops <= clients.length; hops += 1) {
      const before = addressIn(clients[clients.length - hops] as string);
      // What no address is was written by nobody who is trusted, or hides on purpose who asked: nothing before it is known.
      if (before === undefined) break;
      address = before;
      if (typeof trusted === "number" ? hops >= trusted : !isIn(trusted, address)) break;
    }
    return { address, origin: originAt(Math.max(1, Math.min(hops, clients.length))) };
  };
}

/** What the proxies have written, the nearest one last. */
interface Written {
  /** Whom each was asked by. */
  readonly clients: readonly string[];
  /** Under which address that one was asked which wrote the entry so many from the end. */
  originAt(fromEnd: number): string | undefined;
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** In the one form that RFC 5952 gives an IPv6 address, however it was written; one that stands for an IPv4 address is that. */
function plainAddress(address: string): string {
  if (isIP(address) !== 6 || address.includes("%")) return address;
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  const bytes = [high, low].flatMap((pair) => [
    Number.parseInt(pair, 16) >> 8,
    Number.parseInt(pair, 16) & 255,
  ]);
  return bytes.join(".");
}

/** The values of all headers of the name, in their order. */
function valuesOf(rawHeaders: readonly string[], name: string): string {
  const values: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const one = rawHeaders[at] as string;
    if (one.length === name.length && one.toLowerCase() === name) values.push(rawHeaders[at + 1] as string);
  }
  return values.join(",");
}

/**
 * Three headers, of which most proxies write the second and third anew and some go on with what they got: where there are fewer entries than
 * proxies, the first is that of the outermost.
 */
function readForwardedFor(rawHeaders: readonly string[], ownScheme: string): Written {
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

/** RFC 7239: `for=192.0.2.60;proto=http, for="[2001:db8::1]:4711"`. An entry that doesn't say for whom is empty. */
function readForwarded(rawHeaders: readonly string[], ownScheme: string): Written {
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
 * What says one of both is completed by what the request itself has: its `Host`, and what the last proxy speaks. What is neither a scheme nor
 * a host says nothing.
 */
function originOf(
  { scheme, host, ownScheme }: { readonly scheme: string; readonly host: string; readonly ownScheme: string },
  rawHeaders: readonly string[],
): string | undefined {
  if (scheme === "" && host === "") return undefined;
  const saidScheme = scheme === "" ? ownScheme : scheme.toLowerCase();
  const saidHost = host === "" ? valuesOf(rawHeaders, "host") : host;
  if (!/^https?$/.test(saidScheme) || !hostForm.test(saidHost)) return undefined;
  return `${saidScheme}://${saidHost.toLowerCase()}`;
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

/** `192.0.2.60`, `192.0.2.60:4711`, `2001:db8::1`, `[2001:db8::1]:4711`; undefined of anything else. */
function addressIn(entry: string): string | undefined {
  const [, inBrackets] = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(entry) ?? [];
  const [, withPort] = /^([\d.]+):\d{1,5}$/.exec(entry) ?? [];
  const address = plainAddress(inBrackets ?? withPort ?? entry);
  return isIP(address) === 0 || address.includes("%") ? undefined : address;
}
