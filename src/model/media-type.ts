/** Media types (RFC 9110, section 8.3) and what they say of a body: JSON or a form. */
import type { Endpoint, EndpointsPart } from "./model.ts";

export interface MediaType {
  /** In small letters: `application/json`. */
  readonly type: string;
  /** By names in small letters; values as they stand, without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
}

const token = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const typeForm = new RegExp(`^(${token}/${token})[ \\t]*(?:;|$)`);
const parameterForm = new RegExp(
  `;[ \\t]*(?:(${token})=(?:(${token})|"((?:[^"\\\\]|\\\\.)*)"))?[ \\t]*(?=;|$)`,
  "y",
);

/** Undefined where the text is no media type. */
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

export const formType = "application/x-www-form-urlencoded";

export const formDataType = "multipart/form-data";

/** What is taken where a document says nothing of `Accepts`. */
const defaultAccepts: readonly string[] = ["application/json"];

/** The media types of bodies that an endpoint takes: as it states, else as the part does, else what is sent where that is no JSON. */
export function acceptedTypes(
  { accepts, mediaType }: EndpointsPart,
  endpoint?: Pick<Endpoint, "accepts">,
): readonly string[] {
  const stated = endpoint?.accepts ?? accepts;
  if (stated) return stated;
  return mediaType?.includes("json") === false ? [mediaType] : defaultAccepts;
}

/** `application/merge-patch+json` is JSON to a `PATCH` whose body is an object of its inputs (RFC 7396). */
export function takesMergePatch({ method, bodyIs }: Pick<Endpoint, "method" | "bodyIs">): boolean {
  return method === "PATCH" && bodyIs === undefined;
}

/**
 * How the body of a request is to be read, `raw` being for expressions alone (`request.body`); undefined where its media type isn't taken (415). Without a `Content-Type` it is
 * what the document names first. Where JSON is taken and it `merges`, `application/merge-patch+json` means
 * the same. A charset other than UTF-8 is another media type.
 */
export function bodyKind(
  contentType: string | undefined,
  accepts: readonly string[] = defaultAccepts,
  merges = false,
): "json" | "form" | "multipart" | "raw" | undefined {
  const taken = accepts.map((text) => parseMediaType(text)?.type ?? text.toLowerCase());
  const sent =
    contentType === undefined
      ? { type: taken[0] ?? "", parameters: new Map<string, string>() }
      : parseMediaType(contentType);
  if (!sent || !isUtf8(sent.parameters.get("charset"))) return undefined;
  const isMergePatch = merges && sent.type === "application/merge-patch+json" && taken.some(isJsonType);
  if (!isMergePatch && !taken.includes(sent.type)) return undefined;
  if (sent.type === formType) return "form";
  if (sent.type === formDataType) return "multipart";
  return isJsonType(sent.type) ? "json" : "raw";
}

function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || /^utf-?8$/i.test(charset);
}
