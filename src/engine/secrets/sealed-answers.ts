/**
 * Stored responses of idempotent requests, with sealed secrets: each secret is removed, and all of
 * them are in one encrypted line (AES-256-GCM with a key derived from the store's). So a response
 * is replayed unchanged, while the rest stays a text that an erasure can search. The path of a
 * request with a secret is stored masked, with a keyed hash for comparison.
 */
import { createCipheriv, createDecipheriv } from "node:crypto";
import type { Endpoint, Model } from "../../model/model.ts";
import type { HeaderLine } from "../http/message.ts";
import type { Replace } from "./mask-text.ts";
import { type Mask, planMasking } from "./masking.ts";

export interface SealableAnswer {
  readonly headers: readonly HeaderLine[];
  readonly body: string;
}

export interface SealedAnswers {
  /**
   * Seals a response for storage.
   * @param shown texts that the response returns only this once
   */
  seal<A extends SealableAnswer>(endpoint: Endpoint, answer: A, shown: Iterable<string>): A;
  /** The response as it was sent; if its secrets can't be decrypted, with placeholders. */
  open<A extends SealableAnswer>(answer: A): A;
  /** How the path of a request is stored. */
  path(endpoint: Endpoint, target: string): string;
}

/** The name of no header. */
const sealedLine = "#sealed";
const cipher = "aes-256-gcm";
const ivBytes = 12;
const tagBytes = 16;

interface Sealing {
  readonly key: Uint8Array;
  readonly hash: (text: string) => string;
  readonly randomBytes: (count: number) => Uint8Array;
}

export function createSealedAnswers(model: Model, { key, hash, randomBytes }: Sealing): SealedAnswers {
  const masking = planMasking(model);
  const random = (count: number) => Buffer.from(randomBytes(count));
  return {
    seal(endpoint, answer, shown) {
      const secrets = secretsOf(masking.of(endpoint), answer, shown);
      if (secrets.length === 0) return answer;
      // No response contains this mark by chance, so the placeholders of secrets are found again.
      const mark = random(12).toString("base64url");
      const put = (text: string) =>
        secrets.reduce((done, secret, at) => done.replaceAll(secret, placeholder(mark, at)), text);
      const iv = random(ivBytes);
      const sealing = createCipheriv(cipher, key, iv);
      const sealed = [iv, sealing.update(JSON.stringify(secrets)), sealing.final(), sealing.getAuthTag()];
      const line: HeaderLine = [sealedLine, `${mark} ${Buffer.concat(sealed).toString("base64url")}`];
      const headers = answer.headers.map(([name, value]): HeaderLine => [name, put(value)]);
      return { ...answer, headers: [...headers, line], body: put(answer.body) };
    },
    open(answer) {
      const line = answer.headers.find(([name]) => name === sealedLine);
      if (!line) return answer;
      const [mark = "", sealed = ""] = line[1].split(" ");
      const secrets = opened(key, Buffer.from(sealed, "base64url"));
      // In reverse, because a short secret may also be in the placeholder of a longer one.
      const back = (text: string) =>
        secrets.reduceRight((done, secret, at) => done.replaceAll(placeholder(mark, at), () => secret), text);
      const headers = answer.headers
        .filter(([name]) => name !== sealedLine)
        .map(([name, value]): HeaderLine => [name, back(value)]);
      return { ...answer, headers, body: back(answer.body) };
    },
    path(endpoint, target) {
      const masked = masking.of(endpoint).target(target);
      return masked === target ? target : `${masked}#${hash(target)}`;
    },
  };
}

function placeholder(mark: string, at: number): string {
  return `•••${mark}.${at}•••`;
}

/** Decrypts the secrets; none if another store's key sealed them. */
function opened(key: Uint8Array, sealed: Uint8Array): readonly string[] {
  try {
    const opening = createDecipheriv(cipher, key, sealed.subarray(0, ivBytes));
    opening.setAuthTag(sealed.subarray(-tagBytes));
    const text = Buffer.concat([opening.update(sealed.subarray(ivBytes, -tagBytes)), opening.final()]);
    return JSON.parse(text.toString()) as string[];
  } catch {
    return [];
  }
}

/**
 * Returns the secrets as they occur in the response, the longest first, because a secret may be
 * part of another.
 */
function secretsOf(
  mask: Mask,
  { headers, body }: SealableAnswer,
  shown: Iterable<string>,
): readonly string[] {
  const found = new Set<string>();
  const collect: Replace = (_name, secret) => {
    if (secret !== "") found.add(secret).add(JSON.stringify(secret).slice(1, -1));
    return "";
  };
  for (const secret of shown) collect("", secret);
  mask.answerHeaders(headers, collect);
  mask.answerBody(body, collect);
  return [...found]
    .filter((secret) => body.includes(secret) || headers.some(([, value]) => value.includes(secret)))
    .toSorted((a, b) => b.length - a.length);
}
