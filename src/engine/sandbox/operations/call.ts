/** One request to the operations API, read: its data space, its query, and the fields of its JSON body, all of them known ones. */
import type { Json } from "../../../support/json.ts";
import { nearest } from "../../../support/nearest.ts";
import { decodeUtf8, readJson } from "../../../support/json-reader.ts";
import { readForm } from "../../http/form-reader.ts";
import { onlyText } from "../../../fields/form.ts";
import { isJsonType, parseMediaType } from "../../../model/media-type.ts";
import type { ServiceRequest } from "../../http/message.ts";
import type { ParsedHead } from "../../http/strict-request.ts";
import { sandboxLimits } from "../limits.ts";
import { SandboxRefusal } from "../refusal.ts";
import type { Space } from "../space.ts";
import type { Spaces } from "../spaces.ts";

export interface Call {
  readonly spaces: Spaces;
  /** Texts of the path, by name. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Of the query; absent where it isn't there. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: Fields;
  /** The data space that the header names. @throws SandboxRefusal */
  space(): Promise<Space>;
}

export type Fields = Readonly<Record<string, Json>>;

/** What a route takes, by name: its fields in the body and its parameters in the query. */
export interface Taken {
  readonly query?: readonly string[];
  readonly body?: Readonly<Record<string, FieldKind>>;
}

export type FieldKind = "text" | "yes or no" | "whole number" | "text or list of texts";

/** @throws SandboxRefusal | BodyRefusal */
export async function readCall(
  request: ServiceRequest,
  head: ParsedHead,
  parameters: Readonly<Record<string, string>>,
  taken: Taken,
  spaces: Spaces,
): Promise<Call> {
  return {
    spaces,
    parameters,
    query: readQuery(head.query, taken.query ?? []),
    body: await readFields(request, head, taken.body ?? {}),
    space: () => spaces.of(request.rawHeaders),
  };
}

function readQuery(text: string, known: readonly string[]): Readonly<Record<string, string>> {
  const read = readForm(text);
  if (read.problem !== undefined) throw badRequest(`The query can't be read: ${read.problem}.`);
  const query: Record<string, string> = Object.create(null);
  for (const [name, node] of read.form.parts ?? []) {
    const value = onlyText(node);
    checkName(name, known, "parameter");
    if (value === undefined) throw badRequest(`The parameter "${name}" stands more than once.`);
    query[name] = value;
  }
  return query;
}

async function readFields(
  request: ServiceRequest,
  head: ParsedHead,
  kinds: Readonly<Record<string, FieldKind>>,
): Promise<Fields> {
  const bytes = await request.body(sandboxLimits.bodyBytesMax);
  if (bytes.byteLength === 0) return {};
  const type = parseMediaType(head.headers["content-type"] ?? "")?.type;
  // Forms and plain text are what a page of another origin may send without being asked.
  if (type === undefined || !isJsonType(type) || decodeUtf8(bytes) === undefined)
    throw new SandboxRefusal(
      415,
      "Unsupported media type",
      "A body is JSON, with `Content-Type: application/json`.",
    );
  const read = readJson(bytes);
  if (read.problem !== undefined) throw badRequest(`The body is not valid JSON: ${read.problem}.`);
  const { json } = read;
  if (typeof json !== "object" || json === null || Array.isArray(json))
    throw badRequest("The body is a JSON object.");
  for (const [name, value] of Object.entries(json as Fields)) {
    checkName(name, Object.keys(kinds), "field");
    const kind = kinds[name] as FieldKind;
    if (!isOfKind(value, kind)) throw badRequest(`The field "${name}" is ${kind}.`);
  }
  return json as Fields;
}

function isOfKind(value: Json, kind: FieldKind): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "yes or no":
      return typeof value === "boolean";
    case "whole number":
      return Number.isSafeInteger(value);
    case "text or list of texts":
      return (
        typeof value === "string" || (Array.isArray(value) && value.every((one) => typeof one === "string"))
      );
  }
}

function checkName(name: string, known: readonly string[], what: string): void {
  if (known.includes(name)) return;
  const meant = nearest(name, known);
  const list = known.length === 0 ? "It takes none." : `It takes ${known.join(", ")}.`;
  throw badRequest(
    `There is no ${what} "${name.slice(0, 100)}" here. ${meant === undefined ? list : `Did you mean "${meant}"?`}`,
  );
}

/** How many are wanted of a list: at most a page. @throws SandboxRefusal */
export function wantedCount(text: string | undefined, standard = 100): number {
  return Math.min(wantedNumber("limit", text) ?? standard, sandboxLimits.pageMax);
}

/** @throws SandboxRefusal */
export function wantedNumber(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) throw badRequest(`The parameter "${name}" is a whole number.`);
  return Number(text);
}

export function badRequest(detail: string): SandboxRefusal {
  return new SandboxRefusal(400, "Bad request", detail);
}
