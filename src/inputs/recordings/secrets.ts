/**
 * Secrets in recordings. Values of headers are never kept. Of other values those are replaced whose
 * key is called like a secret, and texts that look like generated keys.
 */

const secretName =
  /pass(word|wd|phrase|code)|secret|token|api[-_ ]?key|auth|session|signature|credential|private|bearer|cookie|otp|cvv|cvc|(^|[-_])(pin|sig|key)$/i;

/** Whether a key is called like a secret. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
}

/** Whether a header carries a credential. */
export function isCredentialHeader(name: string): boolean {
  return /^((proxy-)?authorization|(set-)?cookie)$/i.test(name) || /api-?key|token/i.test(name);
}

/** Minimum entropy, in bits per character, from which a long word with a digit counts as a generated key. */
const entropyMin = 3.3;
const lengthMin = 16;

export function looksGenerated(text: string): boolean {
  return text.split(/[\s,;&]+/).some((word) => {
    if (word.length < lengthMin || !/\d/.test(word) || !/[a-z]/i.test(word)) return false;
    return /^[\w+/=.:~-]+$/.test(word) && !/^\d{4}-\d\d-\d\d/.test(word) && entropy(word) >= entropyMin;
  });
}

function entropy(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

/** What is written in place of a secret. */
export const replacedSecret = "a secret";

/** Keys of identifiers, which look like generated keys and are none. */
const identifierKey = /(^|[a-z_-])(id|uuid|guid|sid)s?$/i;
const depthMax = 16;

/** Whether a text is or contains a secret: a generated key, or a URL with a credential. */
function hidesSecret(text: string): boolean {
  if (looksGenerated(text.replace(/[^\w+/=.:~-]+/g, " "))) return true;
  if (/:\/\/[^/\s]*@/.test(text)) return true;
  return [...text.matchAll(/[?&;#]([\w.-]+)=/g)].some(([, name = ""]) => isSecretName(name));
}

/** Whether the value of a key is a secret, or has one in it. */
export function isSecretValue(key: string, value: unknown): boolean {
  let isSecret = false;
  const onSecret = () => {
    isSecret = true;
  };
  withoutSecrets({ [key]: value }, { credentials: new Set(), onSecret });
  return isSecret;
}

/** Shorter words are no credentials: a body may have them by chance. */
const wordMin = 4;

/** The words of a header that may be a credential: `Bearer`, the token, the name and the value of a cookie. */
export function wordsOfCredential(value: string): readonly string[] {
  return value.split(/[\s;=,]+/).filter((word) => word.length >= wordMin);
}

/** What is known of the secrets of a recording. */
export interface KnownSecrets {
  /** Words of headers that carry a credential: each is a secret, whatever its key. */
  readonly credentials: ReadonlySet<string>;
  /** Is called with each secret that is replaced, and the keys that lead to it. */
  readonly onSecret: (text: string, path: readonly string[]) => void;
}

/**
 * A value of a body without its secrets, at any depth.
 *
 * @param path the keys that lead to the value
 */
export function withoutSecrets(
  value: unknown,
  known: KnownSecrets,
  path: readonly string[] = [],
  depth = 0,
): unknown {
  if (depth > depthMax) return null;
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, known, path, depth + 1));
  const key = path.at(-1) ?? "";
  const isHidden =
    typeof value === "string" &&
    (known.credentials.has(value) || (hidesSecret(value) && !identifierKey.test(key)));
  const isEmpty = value === null || value === "" || typeof value === "boolean";
  if ((isSecretName(key) || isHidden) && !isEmpty) {
    known.onSecret(`${key} ${JSON.stringify(value) ?? ""}`, path);
    return replacedSecret;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) => {
      const within = [...path, name];
      // A key that looks like a secret is data, and is left out.
      if (!looksGenerated(name) && !known.credentials.has(name))
        return [[name, withoutSecrets(inner, known, within, depth + 1)]];
      known.onSecret(name, [...path, "…"]);
      return [];
    }),
  );
}
