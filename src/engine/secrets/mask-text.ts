/**
 * Secret masking in texts of requests and responses: masks values under a secret name in JSON or a
 * form, and tokens anywhere. It also works on truncated or invalid texts, because it doesn't parse
 * them. `secret-places.ts` decides which names are secret, and `masking.ts` where values are
 * masked.
 */

/** The replacement of a secret. */
export const mask = "•••";

type IsSecret = (name: string) => boolean;

/** Returns the replacement of a secret with that name. */
export type Replace = (name: string, secret: string) => string;

export const masked: Replace = () => mask;

/** A signed token (RFC 7519): it is as sensitive as a password, at any position. */
const signedToken = /\beyJ[\w-]{6,}\.[\w-]+\.[\w-]*/g;

export function replaceTokens(text: string, replace: Replace): string {
  return text.includes("eyJ") ? text.replace(signedToken, (token) => replace("token", token)) : text;
}

/**
 * Masks JSON, complete or truncated. Replaces all values under a secret name, including objects and
 * lists.
 */
export function maskJson(text: string, isSecret: IsSecret, replace: Replace = masked): string {
  const key = /"((?:[^"\\]|\\.)*)"\s*:\s*/g;
  let done = "";
  let from = 0;
  for (let found = key.exec(text); found; found = key.exec(text)) {
    const name = textIn(found[1] ?? "");
    if (!isSecret(name)) continue;
    const start = key.lastIndex;
    const ends = endOfValue(text, start);
    const isNull = text.startsWith("null", start);
    done += replaceTokens(text.slice(from, start), replace);
    done += isNull ? "null" : JSON.stringify(replaceAll(name, text.slice(start, ends), replace));
    from = ends;
    key.lastIndex = ends;
  }
  return done + replaceTokens(text.slice(from), replace);
}

/** Replaces each text in an object or a list. */
function replaceAll(name: string, value: string, replace: Replace): string {
  const whole = /^"((?:[^"\\]|\\.)*)"?$/.exec(value);
  if (whole) return replace(name, textIn(whole[1] ?? ""));
  for (const [, text = ""] of value.matchAll(/"((?:[^"\\]|\\.)*)"(?!\s*:)/g)) replace(name, textIn(text));
  return replace(name, value);
}

/** Decodes a text: it may contain escapes and mean the same. */
function textIn(written: string): string {
  if (!written.includes("\\")) return written;
  try {
    return String(JSON.parse(`"${written}"`));
  } catch {
    return written;
  }
}

/** Returns the end of the value that starts here; the end of the text if it is truncated. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const name = text.charAt(at);
    if (name === '"') {
      at = endOfText(text, at);
      if (depth === 0) return Math.min(at + 1, text.length);
    } else if (name === "{" || name === "[") depth += 1;
    else if (name === "}" || name === "]") {
      if (depth === 0) return at;
      depth -= 1;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (name === "," || /\s/.test(name))) return at;
  }
  return text.length;
}

/** Returns the position of the quote that closes the text which starts at a quote. */
function endOfText(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/**
 * Masks a form, or the query of an address. `user[password]` is a name whose last part is secret. A
 * name without `=` may be a value.
 */
export function maskForm(text: string, isSecret: IsSecret, replace: Replace = masked): string {
  return text
    .split("&")
    .map((pair) => {
      const [name = "", value] = splitAt(pair, "=");
      const names = namesIn(percentDecoded(name));
      const secret = names.findLast(isSecret);
      if (secret === undefined) return replaceTokens(pair, replace);
      // A text that can't be a name may be the secret, or a body of another type.
      if (value === undefined || !isNameForm(percentDecoded(name)))
        return formText(replace("value", percentDecoded(pair)));
      return `${name}=${formText(replace(secret, percentDecoded(value)))}`;
    })
    .join("&");
}

/** Whether a text can be the name of an input, dotted or with brackets. */
export function isNameForm(text: string): boolean {
  return /^[\w.[\]-]{1,200}$/.test(text);
}

function formText(text: string): string {
  return text === mask ? mask : encodeURIComponent(text);
}

function namesIn(name: string): readonly string[] {
  return name.split(/[[\].]+/).filter((part) => part !== "");
}

/**
 * Masks the parts of a multipart body with a secret name, complete or truncated. A body that
 * doesn't start with its boundary is masked as a whole.
 */
export function maskMultipart(text: string, isSecret: IsSecret, replace: Replace = masked): string {
  const boundary = /^--[^\r\n]+(?=\r\n)/.exec(text)?.[0];
  if (boundary === undefined) return replace("body", text);
  const line = `\r\n${boundary}`;
  return text
    .split(line)
    .map((part) => {
      const start = part.indexOf("\r\n\r\n") + 4;
      if (start < 4) return replaceTokens(part, replace);
      const [, quoted, bare] = /\bname=(?:"((?:[^"\\]|\\.)*)"|([^\s;"]+))/i.exec(part.slice(0, start)) ?? [];
      const secret = namesIn(quoted ?? bare ?? "").findLast(isSecret);
      return secret === undefined
        ? replaceTokens(part, replace)
        : part.slice(0, start) + replace(secret, part.slice(start));
    })
    .join(line);
}

function splitAt(text: string, separator: string): readonly [string, string?] {
  const at = text.indexOf(separator);
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
}

/**
 * Minimum length of a known secret to mask, in characters: a shorter text may be part of anything.
 */
const shortestText = 6;

/** Masks known secret texts, in each encoding of a text. */
export function maskTexts(text: string, secrets: Iterable<string>): string {
  let done = text;
  for (const secret of secrets) {
    if (secret.length < shortestText) continue;
    const forms = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
    for (const form of new Set(forms)) done = done.replaceAll(form, mask);
  }
  return done;
}
