/**
 * The address of who asks, where proxies stand in between. Each adds to a header whom it was asked by, at the end; whoever asks the first of
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

/** @returns the client's address, of the peer's and of the headers as they were received */
export type ClientAddress = (peer: string, rawHeaders: readonly string[]) => string;

export function clientAddressBehind(trusted: TrustedProxies, header: ForwardedHeader): ClientAddress {
  const name = header === "forwarded" ? "forwarded" : "x-forwarded-for";
  const entriesOf = header === "forwarded" ? entriesOfForwarded : entriesOfForwardedFor;
  return (peer, rawHeaders) => {
    let address = plainAddress(peer);
    if (typeof trusted === "object" && !isIn(trusted, address)) return peer;
    const entries = entriesOf(valuesOf(rawHeaders, name));
    for (let hops = 1; entries.length > 0; hops += 1) {
      const before = addressIn(entries.pop() as string);
      // What no address is was written by nobody who is trusted, or hides on purpose who asked: nothing before it is known.
      if (before === undefined) return address;
      address = before;
      if (typeof trusted === "number" ? hops >= trusted : !isIn(trusted, address)) return address;
    }
    return address;
  };
}

function isIn(list: BlockList, address: string): boolean {
  const family = isIP(address);
  return family !== 0 && list.check(address, family === 4 ? "ipv4" : "ipv6");
}

/** An IPv4 address that a socket of both families tells is one. */
function plainAddress(address: string): string {
  return /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(address)?.[1] ?? address;
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

function entriesOfForwardedFor(value: string): string[] {
  return value === "" ? [] : value.split(",").map((entry) => entry.trim());
}

/** RFC 7239: `for=192.0.2.60;proto=http, for="[2001:db8::1]:4711"`. An entry that doesn't say for whom is empty. */
function entriesOfForwarded(value: string): string[] {
  if (value === "") return [];
  return splitOutsideQuotes(value, ",").map((element) => {
    const pairs = splitOutsideQuotes(element, ";").map((pair) => pair.trim());
    const said = pairs.find((pair) => /^for=/i.test(pair))?.slice("for=".length) ?? "";
    return said.replace(/^"(.*)"$/, "$1");
  });
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
