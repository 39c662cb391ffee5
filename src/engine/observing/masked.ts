/**
 * Texts of requests and answers with their secrets taken out: what stands under a secret name in JSON or a form, headers that carry
 * credentials, and tokens wherever they stand. Works on texts that are cut, or aren't right: nothing has to be parsed.
 */
import type { HeaderLine } from "../http/message.ts";
import { isTellingName } from "./secret-places.ts";

/** What stands in place of a secret. */
export const mask = "•••";

type IsSecret = (name: string) => boolean;

/** A signed token (RFC 7519): it is as good as a password, wherever it stands. */
const signedToken = /\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g;

function withoutTokens(text: string): string {
  return text.includes("eyJ") ? text.replace(signedToken, mask) : text;
}

/** JSON, whole or cut. All that stands under a secret name is masked, objects and lists too. */
export function maskJson(text: string, isSecret: IsSecret): string {
  const key = /"((?:[^"\\]|\\.)*)"\s*:\s*/g;
  let masked = "";
  let from = 0;
  for (let found = key.exec(text); found; found = key.exec(text)) {
    if (!isSecret(nameIn(found[1] as string))) continue;
    const begins = key.lastIndex;
    const ends = endOfValue(text, begins);
    const isNull = text.startsWith("null", begins);
    masked += text.slice(from, begins) + (isNull ? "null" : `"${mask}"`);
    from = ends;
    key.lastIndex = ends;
  }
  return withoutTokens(masked + text.slice(from));
}

/** A name may be written with escapes, and mean the same. */
function nameIn(written: string): string {
  if (!written.includes("\\")) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written;
  }
}

/** Where a value ends that begins here; the end of the text where it doesn't. */
function endOfValue(text: string, begins: number): number {
  let depth = 0;
  for (let at = begins; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (one === '"') {
      at = endOfText(text, at);
      if (depth === 0) return Math.min(at + 1, text.length);
    } else if (one === "{" || one === "[") depth += 1;
    else if (one === "}" || one === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (one === "," || /\s/.test(one))) return at;
  }
  return text.length;
}

/** Of the quote that ends the text which begins at a quote. */
function endOfText(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** A form, or the query of an address. `user[password]` is a name that ends in a secret one. */
export function maskForm(text: string, isSecret: IsSecret): string {
  return withoutTokens(
    text
      .split("&")
      .map((pair) => {
        const [name = "", value] = splitAt(pair, "=");
        if (value === undefined) return pair;
        const names = decoded(name).split(/[[\].]+/);
        return names.some((part) => part !== "" && isSecret(part)) ? `${name}=${mask}` : pair;
      })
      .join("&"),
  );
}

/** A multipart body, whole or cut: what stands in a part of a secret name. One that doesn't begin with its boundary is not shown. */
export function maskMultipart(text: string, isSecret: IsSecret): string {
  const boundary = /^--[^\r\n]+(?=\r\n)/.exec(text)?.[0];
  if (boundary === undefined) return mask;
  const line = `\r\n${boundary}`;
  const parts = text.split(line).map((part) => {
    const begins = part.indexOf("\r\n\r\n") + 4;
    const [, quoted, bare] = /\bname=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(part.slice(0, begins)) ?? [];
    const names = (quoted ?? bare ?? "").split(/[[\].]+/);
    return begins > 3 && names.some((one) => one !== "" && isSecret(one))
      ? part.slice(0, begins) + mask
      : part;
  });
  return withoutTokens(parts.join(line));
}

export function maskTarget(target: string, isSecret: IsSecret): string {
  const [path = "", query] = splitAt(target, "?");
  return query === undefined ? withoutTokens(path) : `${withoutTokens(path)}?${maskForm(query, isSecret)}`;
}

function splitAt(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/** @param isSecret by names in small letters */
export function maskHeaders(lines: readonly HeaderLine[], isSecret: IsSecret): readonly HeaderLine[] {
  return lines.map(([name, value]) => {
    const small = name.toLowerCase();
    if (small === "set-cookie") return [name, value.replace(/=[^;]*/, `=${mask}`)] as const;
    if (small === "cookie") return [name, value.replace(/=[^;]*/g, `=${mask}`)] as const;
    // A challenge tells how to authenticate, and nothing of who does.
    if (small === "www-authenticate") return [name, value] as const;
    if (!isSecret(small) && !isTellingName(small)) return [name, withoutTokens(value)] as const;
    // The word in front says of what kind it is.
    const word = /^[A-Za-z][\w-]*(?=[ =])/.exec(value)?.[0];
    return [name, word === undefined ? mask : `${word}${value[word.length]}${mask}`] as const;
  });
}

/** The texts themselves, where they are known: what was made for this request and is shown this once. */
export function maskTexts(text: string, secrets: Iterable<string>): string {
  let masked = text;
  for (const secret of secrets) {
    if (secret === "") continue;
    masked = masked.replaceAll(secret, mask).replaceAll(JSON.stringify(secret).slice(1, -1), mask);
  }
  return masked;
}
