/**
 * Proposes the payload of errors from the schema that an import keeps in a comment of part 7. Each
 * member that errors always have must be explained by its name, its type or its only value.
 */
import type { Json } from "../../support/json.ts";
import { normalizedName } from "../../support/alike-names.ts";
import { isNotShown, itemsOf, keyText } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { errorMember } from "../../inputs/error-members.ts";
import { isObject, type JsonObject } from "./example-record.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";

export function proposeErrorPayload(document: SourceDocument): readonly Proposal[] {
  const { errors } = document.parts;
  const item = itemsOf(errors?.body ?? []).find(
    ({ key, value }) => keyText(key) === "payload shape" && isNotShown(value),
  );
  const noted = item && notedIn(document);
  const payload = noted && (noted.isProblem ? problemOf(noted.shape) : objectOf(noted.shape));
  if (!item || !noted || payload === undefined) return [];
  const line = lineOf(item);
  return [
    {
      kind: "error-payload",
      subject: "errors",
      at: line,
      edits: noted.isProblem
        ? [{ line, text: `- Payload shape: ${payload}` }]
        : [
            { line, text: "- Payload shape:" },
            { after: line, lines: ["", "```cel", payload, "```"] },
          ],
      evidence: [`the schema of ${noted.count}`],
    },
  ];
}

interface Noted {
  readonly isProblem: boolean;
  /** `12 of 14 errors` */
  readonly count: string;
  readonly shape: JsonObject;
}

/** The comment of the import. Undefined if there is none, or if it was edited and can't be read. */
function notedIn({ source }: SourceDocument): Noted | undefined {
  const [, problem, count = "", text] =
    /<!-- openapi error payload( as problem details)? \((\d+ of \d+ errors)\): (\{.*\}) -->/.exec(
      source.text,
    ) ?? [];
  if (text === undefined) return undefined;
  try {
    const shape: Json = JSON.parse(text);
    return isObject(shape) ? { isProblem: problem !== undefined, count, shape } : undefined;
  } catch {
    return undefined;
  }
}

/** The members of problem details (RFC 9457) as Ninefold sends them. */
export const problemKeys = ["type", "title", "status", "detail", "code", "allowed", "errors", "request_id"];

/** Problem details, unless errors always have a member that Ninefold doesn't send. */
function problemOf(shape: JsonObject): string | undefined {
  const isSent = (key: string) => key.endsWith("?") || problemKeys.includes(key);
  return Object.keys(shape).every(isSent) ? "problem details" : undefined;
}

/**
 * The object with each explained member. Undefined if one that errors always have isn't explained,
 * or if neither a code nor a message is among them.
 */
function objectOf(shape: JsonObject): string | undefined {
  const text = membersOf(shape);
  return text !== undefined && /\berror\.(code|message)\b/.test(text) ? text : undefined;
}

function membersOf(shape: JsonObject): string | undefined {
  const members: string[] = [];
  const used = new Set<string>();
  for (const [written, type] of byCertainty(shape)) {
    const key = written.replace(/\?$/, "");
    const isOptional = key !== written;
    if (/[?\\"]/.test(key)) return undefined;
    const text = isObject(type) ? membersOf(type) : leafOf(key, String(type), used);
    if (text === undefined && !isOptional) return undefined;
    if (text === undefined) continue;
    used.add(text);
    // Without a field, the member is absent or null.
    members.push(`${JSON.stringify(isOptional && text === "error.field" ? written : key)}: ${text}`);
  }
  return members.length === 0 ? undefined : `{${inOrder(members, shape).join(", ")}}`;
}

/** The member with the code, or one called code, comes before one called type or error, which may repeat it. */
function byCertainty(shape: JsonObject): readonly (readonly [string, Json])[] {
  const rank = ([key, type]: readonly [string, Json]) =>
    type === "code" || /^(error)?code$/.test(normalizedName(key))
      ? 0
      : normalizedName(key) === "title"
        ? 2
        : 1;
  return Object.entries(shape).toSorted((a, b) => rank(a) - rank(b));
}

function inOrder(members: readonly string[], shape: JsonObject): readonly string[] {
  const keys = Object.keys(shape).map((key) => JSON.stringify(key.replace(/\?$/, "")));
  const place = (member: string) =>
    keys.findIndex((key) => member.replace(/\?":/, '":').startsWith(`${key}:`));
  return members.toSorted((a, b) => place(a) - place(b));
}

function leafOf(key: string, type: string, used: ReadonlySet<string>): string | undefined {
  const [, constant] = /^= (.+)$/s.exec(type) ?? [];
  if (constant !== undefined) return constant;
  const name = normalizedName(key);
  // The values of this member are codes of the description.
  if (type === "code") return "error.code";
  const isText = type === "string";
  if (type === "integer" && /^(status|statuscode|code|errorcode)$/.test(name)) return "error.status";
  if (isText && /^(status|statuscode)$/.test(name)) return "string(error.status)";
  const member = errorMember(key);
  const isTitle = name === "title" && !used.has("error.message");
  const text = isTitle ? "error.message" : member === "request" ? "request.id" : member && `error.${member}`;
  return isText && text !== undefined && !used.has(text) ? text : undefined;
}
