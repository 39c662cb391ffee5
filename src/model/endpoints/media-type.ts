/**
 * Media types (RFC 9110, section 8.3) and what they say of a body: JSON, a merge patch, a form, or
 * none of these.
 */
import type { Endpoint, EndpointsPart } from "../model.ts";

export interface MediaType {
  /** In lower case: `application/json`. */
  readonly type: string;
  /** By names in lower case; values unchanged, without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const typeForm = new RegExp(`^(${token}/${token})[ \\t]*(?:;|$)`);
const parameterForm = new RegExp(
  `;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*(?=;|$)`,
  "y",
);

/** Whether the text is one media type, and not a range such as `text/*`. */
export function isMediaType(text: string): boolean {
  return !text.includes("*") && parseMediaType(text) !== undefined;
}

/** Undefined if the text is not a media type. */
export function parseMediaType(text: string): MediaType | undefined {
  const trimmed = text.trim();
  const match = typeForm.exec(trimmed);
  if (!match) return undefined;
  const parameters = new Map<string, string>();
  const bare = match[1] as string;
  parameterForm.lastIndex = trimmed.indexOf(";", bare.length);
  while (parameterForm.lastIndex > 0 && parameterForm.lastIndex < trimmed.length) {
    const found = parameterForm.exec(trimmed);
    if (!found) return undefined;
    const value = found[2] ?? found[3]?.replaceAll(/\\(.)/g, "$1");
    if (found[1] !== undefined && value !== undefined) parameters.set(found[1].toLowerCase(), value);
  }
  return { type: bare.toLowerCase(), parameters };
}

export function isJsonType(type: string): boolean {
  return type === "application/json" || type.endsWith("+json");
}

/** `Accepts: any`: the range of all media types. */
export const anyType = "*/*";

export const formType = "application/x-www-form-urlencoded";

export const formDataType = "multipart/form-data";

/** The accepted media types of a document without `Accepts`. */
const defaultAccepts: readonly string[] = ["application/json"];

/**
 * The accepted media types of an endpoint's bodies: its own, else the part's, else the default for
 * non-JSON bodies.
 */
export function acceptedTypes(
  { accepts, mediaType }: EndpointsPart,
  endpoint?: Pick<Endpoint, "accepts">,
): readonly string[] {
  const stated = endpoint?.accepts ?? accepts;
  if (stated) return stated;
  return mediaType?.includes("json") === false ? [mediaType] : defaultAccepts;
}

export const mergePatchType = "application/merge-patch+json";

/** How a body is read. `merge` is JSON that is merged into the stored record (RFC 7396), `raw` a text or bytes. */
export type BodyKind = "json" | "merge" | "form" | "multipart" | "raw";

/**
 * How the body of a request is read. Undefined if its media type isn't accepted (415). Accepted
 * types may be ranges (`text/*`). A body without a `Content-Type` has the first accepted type,
 * except if JSON is accepted. A page of another origin can send such a body without a preflight
 * request, so the client must declare JSON. A charset other than UTF-8 is another media type.
 * @param isOpaque the endpoint has no inputs in its body, so what a range accepts is bytes, JSON and
 * forms too, in any charset
 */
export function bodyKind(
  contentType: string | undefined,
  accepts: readonly string[] = defaultAccepts,
  isOpaque = false,
): BodyKind | undefined {
  const accepted = accepts.map(bareType);
  if (contentType === undefined) {
    const [first = ""] = accepted;
    if (isOpaque && accepted.includes(anyType)) return "raw";
    return accepted.some(includesJson) ? undefined : kindOf(first);
  }
  const sent = parseMediaType(contentType);
  if (isOpaque && sent && !isRange(sent.type) && !accepted.includes(sent.type))
    return accepted.some(includes(sent.type)) ? "raw" : undefined;
  if (!sent || !isUtf8(sent.parameters.get("charset")) || isRange(sent.type)) return undefined;
  // A merge patch differs in meaning from the same JSON, so a range doesn't include it.
  if (!accepted.includes(sent.type) && (sent.type === mergePatchType || !accepted.some(includes(sent.type))))
    return undefined;
  return kindOf(sent.type);
}

/** The type without parameters, in lower case. */
export function bareType(text: string): string {
  return parseMediaType(text)?.type ?? text.toLowerCase();
}

function kindOf(type: string): BodyKind {
  if (type === formType) return "form";
  if (type === formDataType) return "multipart";
  if (type === mergePatchType) return "merge";
  return isJsonType(type) ? "json" : "raw";
}

/** Whether it is a media range (RFC 9110, section 12.5.1): `text/*` includes every text type. */
export function isRange(type: string): boolean {
  return type.endsWith("/*");
}

const includes = (type: string) => (range: string) =>
  range === anyType || (isRange(range) && type.startsWith(range.slice(0, -1)));

function includesJson(accepted: string): boolean {
  return isJsonType(accepted) || includes("application/json")(accepted);
}

/** The accepted types that can carry inputs, in the document's order. A range is replaced by the types that it includes. */
export function typesWithInputs(accepts: readonly string[]): readonly string[] {
  const types = accepts.map(bareType).flatMap((type) => {
    if (isRange(type))
      return ["application/json", formType, formDataType].filter((known) => includes(known)(type));
    return kindOf(type) === "raw" ? [] : [type];
  });
  return [...new Set(types)];
}

function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || /^utf-?8$/i.test(charset);
}
