/**
 * Request masking: masks the secrets of a request and its response. Every output uses it: the log,
 * the journal of requests, command lines, scenarios, `error.value`, stored responses, messages of
 * faults. The model determines what is secret (`secret-places.ts`).
 */
import { isRest } from "../../model/endpoints/path-text.ts";
import { meaningOf } from "../../model/meaning.ts";
import { parseMediaType } from "../../model/endpoints/media-type.ts";
import type { Endpoint, Model, PathSegment } from "../../model/model.ts";
import { isList, type Value } from "../../expressions/value.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { HeaderLine } from "../http/message.ts";
import {
  percentDecoded,
  isNameForm,
  mask,
  masked,
  maskForm,
  maskJson,
  maskMultipart,
  maskTexts,
  replaceTokens,
  type Replace,
} from "./mask-text.ts";
import { isSecretName, planSecretPlaces, type SecretPlaces } from "./secret-places.ts";

export interface Mask {
  readonly places: SecretPlaces;
  /** Masks the path and query of an address. */
  target(target: string, replace?: Replace): string;
  headers(lines: readonly HeaderLine[], replace?: Replace): readonly HeaderLine[];
  answerHeaders(lines: readonly HeaderLine[], replace?: Replace): readonly HeaderLine[];
  body(text: string, contentType: string | undefined, replace?: Replace): string;
  answerBody(text: string, replace?: Replace): string;
  /**
   * Returns the received value that an error repeats, without its secret parts; null if all of it
   * is secret.
   */
  repeated(blamed: BlamedInput): Value;
  /**
   * Masks the name of an input that the document doesn't have. A text that can't be a name may be a
   * body of another type, with secrets.
   */
  unknownName(name: string): string;
}

export interface Masking {
  /**
   * @param endpoint null if none was found: names that are secret at any endpoint are masked then
   */
  of(endpoint: Endpoint | null): Mask;
}

/** The input that a problem names: a dotted input, or a parameter of the path. */
export interface BlamedInput {
  readonly field?: string;
  readonly parameter?: string;
  readonly value?: Value;
}

/** A request as far as it was read. */
export interface SentTexts {
  readonly target: string;
  readonly headers: readonly HeaderLine[];
  readonly body: string | null;
}

/** Computed once for all data spaces of a sandbox. */
export const planMasking = memoizeBy((model: Model): Masking => {
  const placesOf = planSecretPlaces(model, meaningOf(model));
  const paths = secretPaths(model, placesOf);
  const ofAny = memoizeBy((_model: Model) => createMask(placesOf(null), paths));
  const ofOne = memoizeBy((endpoint: Endpoint) => createMask(placesOf(endpoint), paths));
  return { of: (endpoint) => (endpoint ? ofOne(endpoint) : ofAny(model)) };
});

/** Returns the secrets of a request, to mask them wherever its values are repeated. */
export function secretsIn(mask: Mask, { target, headers, body }: SentTexts): readonly string[] {
  const found = new Set<string>();
  const collect: Replace = (_name, secret) => {
    found.add(secret);
    return "";
  };
  mask.target(target, collect);
  mask.headers(headers, collect);
  if (body !== null) mask.body(body, typeOf(headers), collect);
  // The longest first, because a secret may be part of another.
  return [...found].toSorted((a, b) => b.length - a.length);
}

/**
 * Masks the available secrets in a text of an expression or of the author's code, by the names of
 * their fields and inputs.
 */
export function withoutSecretsOf(mask: Mask, text: string, ...values: readonly unknown[]): string {
  const found = new Set<string>();
  const seen = new Set<object>();
  const visit = (value: unknown, isSecret: boolean): void => {
    if (typeof value === "string") {
      if (isSecret) found.add(value);
    } else if (typeof value === "object" && value !== null && !seen.has(value)) {
      seen.add(value);
      for (const [name, inner] of Object.entries(value))
        visit(inner, isSecret || mask.places.isSecretInput(name) || mask.places.isSecretOutput(name));
    }
  };
  for (const value of values) visit(value, false);
  return replaceTokens(
    maskTexts(
      text,
      [...found].toSorted((a, b) => b.length - a.length),
    ),
    masked,
  );
}

function typeOf(headers: readonly HeaderLine[]): string | undefined {
  return headers.find(([name]) => name.toLowerCase() === "content-type")?.[1];
}

function createMask(places: SecretPlaces, paths: readonly SecretPath[]): Mask {
  const { isSecretInput, isSecretOutput, takesSecretBody } = places;
  const isSecretField = (field: string) =>
    places.isSecretHeader(field.toLowerCase()) ||
    field.split(/[[\].]+/).some((part) => part !== "" && isSecretInput(part));
  return {
    places,
    target(target, replace = masked) {
      const at = target.indexOf("?");
      const path = at === -1 ? target : target.slice(0, at);
      const shown = replaceTokens(maskPath(path, paths, replace), replace);
      return at === -1 ? shown : `${shown}?${maskForm(target.slice(at + 1), isSecretInput, replace)}`;
    },
    headers: (lines, replace = masked) =>
      lines.map((line) => maskHeader(line, places.isSecretHeader, replace)),
    answerHeaders: (lines, replace = masked) =>
      lines.map((line) =>
        maskHeader(line, (name) => places.isSecretAnswerHeader(name) || isSecretName(name), replace),
      ),
    body(text, contentType, replace = masked) {
      if (places.isSecretBody) return replace("body", text);
      const type = parseMediaType(contentType ?? "")?.type ?? null;
      if (type === "multipart/form-data") return maskMultipart(text, isSecretInput, replace);
      if (type === "application/x-www-form-urlencoded") return maskForm(text, isSecretInput, replace);
      const isJson = type === null || /[/+]json$/.test(type);
      // Text without readable names may have the secret anywhere.
      if (takesSecretBody && !(isJson && isParsed(text))) return replace("body", text);
      return maskJson(text, isSecretInput, replace);
    },
    answerBody(text, replace = masked) {
      if (places.isSecretAnswer && text !== "") return replace("body", text);
      return places.hasSecretAnswer ? maskJson(text, isSecretOutput, replace) : replaceTokens(text, replace);
    },
    repeated({ field, parameter, value = null }) {
      const isSecret =
        places.isSecretBody ||
        (field !== undefined && isSecretField(field)) ||
        (parameter !== undefined && places.parameters.has(parameter)) ||
        // A path segment that doesn't match its type: which one is unknown.
        (field === undefined && parameter === undefined && places.parameters.size > 0);
      return isSecret ? null : withoutSecretParts(value, isSecretInput);
    },
    unknownName: (name) => (takesSecretBody && !isNameForm(name) ? mask : name),
  };
}

function isParsed(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    // A text without a name can't be judged.
    return typeof value === "object" && value !== null;
  } catch {
    return false;
  }
}

function withoutSecretParts(value: Value, isSecret: (name: string) => boolean): Value {
  if (isList(value)) return value.map((item) => withoutSecretParts(item, isSecret));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !isSecret(name))
      .map(([name, part]) => [name, withoutSecretParts(part as Value, isSecret)]),
  );
}

function maskHeader(
  [name, value]: HeaderLine,
  isSecret: (name: string) => boolean,
  replace: Replace,
): HeaderLine {
  const small = name.toLowerCase();
  const cookie = (text: string) => `=${replace(name, text.slice(1).trim())}`;
  if (small === "set-cookie") return [name, value.replace(/=[^;]*/, cookie)];
  if (small === "cookie") return [name, value.replace(/=[^;]*/g, cookie)];
  // A challenge states how to authenticate, and nothing about the caller.
  if (small === "www-authenticate") return [name, value];
  if (!isSecret(small)) return [name, replaceTokens(value, replace)];
  // The first word is the scheme.
  const word = /^[A-Za-z][\w-]*[ =]/.exec(value)?.[0];
  if (word === undefined) return [name, replace(name, value)];
  const secret = value.slice(word.length);
  if (/^basic /i.test(word)) {
    const [user = "", ...password] = Buffer.from(secret, "base64").toString().split(":");
    if (password.length > 0) replace(name, password.join(":"));
    if (password.length > 0 && user.length > 0) replace(name, `${user}:${password.join(":")}`);
  }
  return [name, word + replace(name, secret)];
}

/** A path of the document up to its secret parameter. */
interface SecretPath {
  readonly segments: readonly PathSegment[];
  readonly name: string;
  /** The number of segments that may precede the path; null if any number may. */
  readonly offsets: readonly number[] | null;
}

function secretPaths(
  { endpoints, endpointsPart: { basePath } }: Model,
  placesOf: (endpoint: Endpoint) => SecretPlaces,
): readonly SecretPath[] {
  const found = new Map<string, SecretPath>();
  for (const endpoint of endpoints) {
    const { parameters } = placesOf(endpoint);
    endpoint.path.segments.forEach((segment, at) => {
      if (segment.kind !== "parameter" || !parameters.has(segment.name)) return;
      const segments = endpoint.path.segments.slice(0, at + 1);
      const base = basePath.segments.length;
      // A pattern that starts with a parameter would match anywhere. The version may precede it.
      const offsets = segments[0]?.kind === "literal" ? null : [base, base + 1];
      const key = JSON.stringify(
        segments.map((pathSegment) =>
          pathSegment.kind === "literal" ? pathSegment.text : [pathSegment.before, pathSegment.behind],
        ),
      );
      found.set(key, { segments, name: segment.name, offsets });
    });
  }
  return [...found.values()];
}

/**
 * Masks a path by all endpoints, whether or not the rest of the path matches: a secret that was
 * sent to a wrong path is still a secret.
 */
function maskPath(path: string, paths: readonly SecretPath[], replace: Replace): string {
  if (paths.length === 0) return path;
  const parts = path.split("/").slice(1);
  const texts = parts.map(decodedSegment);
  const secret = new Map<number, string>();
  for (const { segments, name, offsets } of paths)
    for (let at = 0; at + segments.length <= parts.length; at += 1) {
      if (offsets && !offsets.includes(at)) continue;
      if (!segments.every((segment, place) => fits(segment, texts[at + place] ?? ""))) continue;
      const end = segments.some(isRest) ? parts.length : at + segments.length;
      for (let place = at + segments.length - 1; place < end; place += 1) secret.set(place, name);
    }
  if (secret.size === 0) return path;
  const shown = parts.map((part, at) => {
    const name = secret.get(at);
    return name === undefined || part === "" ? part : replace(name, texts[at] ?? part);
  });
  return `/${shown.join("/")}`;
}

function decodedSegment(text: string): string {
  return percentDecoded(text.replaceAll("+", "%2B"));
}

function fits(segment: PathSegment, text: string): boolean {
  if (segment.kind === "literal") return segment.text.toLowerCase() === text.toLowerCase();
  return text.startsWith(segment.before) && text.endsWith(segment.behind);
}
