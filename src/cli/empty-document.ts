/**
 * The empty form: nine parts, 26 items, all `not shown`. `ninefold new` writes it, and imports
 * start from it.
 */
import { basename, extname } from "node:path";
import { type ItemName, itemsOfParts, type PartName, partNames, partTitles } from "../syntax/nodes.ts";

/** Who calls the service, as far as it is known before the first line. */
export const callerKinds = ["anyone", "programs", "people"] as const;

export type CallerKind = (typeof callerKinds)[number];

export interface FirstAnswers {
  /** One sentence, without its full stop. */
  readonly purpose?: string;
  /** The name of a resource: `MeetingRoom`. */
  readonly resource?: string;
  readonly callers?: CallerKind;
}

/** One line for each item, with an example of its value. */
const exampleLines: Readonly<Record<ItemName, string>> = {
  purpose: "one sentence: what the service lets people do",
  domain: "the domain whose terms it uses: parcel delivery, payments",
  behaviour: "what always holds, in words; scenarios (`### Scenario: …`) hold it to that",
  resources: "one heading `### Room` for each kind of thing, with its items and its table of fields",
  identifiers:
    'under each heading: - Identifier: id, made by `"room_" + random(12)` (or `uuid()`, `sequence()`; or `id, given`)',
  fields:
    "| Field | Type | Rules | Meaning |, as | seats | integer | required, 1..200 | |; a type may be another resource",
  states: "a heading for each resource that has some: - State field: status, - Initial state: open",
  transitions:
    "| Transition | From | To | Trigger | Guard | Effect |, as | close | open | closed | call | | |, or `after 14 days`",
  methods:
    "a heading for each endpoint, `### POST /rooms`, and - Does: create Room (read, list, update, delete, a transition)",
  "path shapes": 'parameters in braces, `### GET /rooms/{id}`; - Allowed: `caller.role == "admin"` or anyone',
  "payload shapes":
    "- Body: name, seats? · - Returns: 201 Room · 200 list of Room · `### Shape: Card of Room` with a block ```cel",
  scheme: "none, or a heading for each: `### Scheme: key`",
  credentials: "under it: - Credentials: ApiKey by key, a field of type `credential`",
  placement: "under it: - Placement: header X-Api-Key (or `header Authorization, after Bearer`)",
  events: "none, or | Event | When | Payload |, as | room.created | Room created | Card |",
  webhooks:
    "none, or - Webhooks: to Hook.url, a resource with that field; - Signature: and - Retries: say more",
  notifications: "none, or - Notifications: email to `this.email`, subject …, text …",
  "error codes":
    "none, or | Code | Status | When | Message |, as | not_found | 404 | not found | There is no such {error.resource}. |",
  "status codes": "in the same table",
  "payload shape":
    'problem details, or a block ```cel, as {"error": {"code": error.code, "message": error.message}}',
  "rate limits": "none, or | Limit | Bound | Applies to |, as | rate | 100 per minute | caller |",
  "size limits": "a row: | body | 64 KiB | every request |",
  "time-outs": "a row: | time-out | 5 seconds | every request |",
  "pagination bounds": "a row: | page | default 20, maximum 100 | every list |",
  "version scheme": "- Scheme: none, or header `X-Version`, with | Version | Status | Until |",
  "compatibility rules": "what may change without a new version, in words",
};

/**
 * @param options.explains each part opens with a comment that says what to write for each item
 * @param options.answers the answers known already
 */
export function emptyDocument(
  name: string,
  { explains = false, answers = {} }: { readonly explains?: boolean; readonly answers?: FirstAnswers } = {},
): string {
  const parts = partNames.map((part) => {
    const items = [answeredPart(part, answers) ?? openItems(itemsOfParts[part])];
    const lines = itemsOfParts[part].map((item) => `  ${capital(item)}: ${exampleLines[item]}`);
    const explanation = explains ? `<!--\n${lines.join("\n")}\n-->\n\n` : "";
    return `## ${partTitles[part]}\n\n${explanation}${items.join("\n")}\n`;
  });
  return [`# Interface Specification: ${name}\n`, ...parts].join("\n");
}

function openItems(items: readonly ItemName[]): string {
  return items.map((item) => `- ${capital(item)}: not shown`).join("\n");
}

/** A part with at least one known answer; undefined without any. */
function answeredPart(part: PartName, { purpose, resource, callers }: FirstAnswers): string | undefined {
  if (part === "purpose" && purpose !== undefined)
    return `- Purpose: ${purpose}.\n${openItems(["domain", "behaviour"])}`;
  if (part === "resources") return resourcesKnown(resource, callers);
  if (part === "authentication") return authenticationKnown(callers);
  return undefined;
}

function resourcesKnown(resource: string | undefined, callers: CallerKind | undefined): string | undefined {
  const keys = callers === "programs" && resource !== "ApiKey" ? [keyResource] : [];
  if (resource === undefined && keys.length === 0) return undefined;
  if (resource === undefined) return keys.join("");
  const open = `### ${resource}\n\n- Identifier: not shown`;
  // Another resource's fields state the item, so the gap belongs to this resource alone.
  return keys.length === 0
    ? `- Fields: not shown\n\n${open}`
    : [`${open}\n- Fields: not shown`, ...keys].join("\n\n");
}

/** Programs authenticate with keys, which are records. */
const keyResource = `### ApiKey

- Identifier: not shown

| Field | Type | Rules | Meaning |
|---|---|---|---|
| key | credential | on create \`random(32)\`, shown once | What a program sends |`;

function authenticationKnown(callers: CallerKind | undefined): string | undefined {
  switch (callers) {
    case "anyone":
      return "- Scheme: none";
    case "programs":
      return "### Scheme: key\n\n- Credentials: ApiKey by key\n- Placement: header Authorization, after Bearer";
    case "people":
      return `<!--\n  People sign in: \`ninefold help accounts\` has a whole document to take this part from.\n-->\n\n${openItems(itemsOfParts.authentication)}`;
    default:
      return undefined;
  }
}

/** `parcel-desk.md` → `Parcel Desk` */
export function nameFromFile(file: string): string {
  const words = basename(file, extname(file))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return words.map(capital).join(" ") || "Unnamed Service";
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
