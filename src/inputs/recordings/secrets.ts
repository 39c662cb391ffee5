/**
 * Secrets in recordings. Values of headers are never kept. Of other values those are replaced whose
 * key is called like a secret, and texts that look like generated keys.
 */

const secretName =
  /pass(word|wd|phrase|code)|secret|token|api[-_ ]?key|auth|session|signature|credential|private|bearer|cookie|otp|cvv|cvc|(^|[-_])(pin|sig|key)$/i;

/** Headers that carry a credential. */
export function isSecretName(name: string): boolean {
  return secretName.test(name);
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
