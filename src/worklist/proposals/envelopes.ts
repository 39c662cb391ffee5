/**
 * Lists in an envelope, `{"data": […], "total": 3}`. An import notes in a comment which key has the
 * records; the names of the other keys determine their values.
 */
import type { Addresses } from "./addresses.ts";
import { type Page, pageOf } from "./pages.ts";
import type {
  SourceDocument,
  SourceEndpoint,
  SourceField,
  SourceResource,
} from "../document/source-document.ts";

export interface Envelope {
  readonly status: string;
  readonly resource: SourceResource;
  /** The key of the list. */
  readonly key: string;
  /** The other keys. */
  readonly rest: readonly string[];
  /** The pagination, if the inputs show it. */
  readonly page: Page | undefined;
}

type Fill = (page: Page | undefined) => string | undefined;

const always = (text: string) => () => text;
const ofPages =
  (text: string, ...kinds: readonly Page["kind"][]) =>
  (page: Page | undefined) =>
    page && (kinds.length === 0 || kinds.includes(page.kind)) ? text : undefined;

/** Members of `page` for keys with these names, in lists with that pagination. */
const filled: readonly (readonly [names: RegExp, fill: Fill])[] = [
  [/^total(_?count|_?items)?$/i, always("page.total")],
  [/^has_?(more|next)$/i, ofPages("page.has_more")],
  [/^next_?(cursor|marker|page_?token)$/i, ofPages("page.next", "cursor")],
  [/^next$/, ofPages("page.next", "cursor")],
  [/^page$/, ofPages("page.number", "page")],
  [/^(per_?page|page_?size|limit)$/i, ofPages("page.size")],
  [/^(offset|start)$/, ofPages("page.offset", "page", "offset")],
  [/^end$/, ofPages("page.offset + page.items.size() - 1", "page", "offset")],
  [/^uri$/, ofPages("page.uri")],
  [/^next_page_uri$/, ofPages("page.next_uri")],
  [/^previous_page_uri$/, ofPages("page.previous_uri")],
  [/^first_page_uri$/, ofPages("page.first_uri")],
];

/**
 * The envelope that the comment of an import describes: `200 has a list of Pet in "data" with
 * total`.
 */
export function envelopeOf(endpoint: SourceEndpoint, addresses: Addresses): Envelope | undefined {
  const [, status, name = "", key, rest = ""] =
    /\b(2\d\d) has a list of (\w+) in "([\w-]+)"(?: with ([\w$, -]+?))?(?:;| -->)/.exec(endpoint.comments) ??
    [];
  const resource = addresses.resource(name);
  if (status === undefined || key === undefined || !resource) return undefined;
  const keys = rest.split(", ").filter((keyText) => keyText !== "");
  return { status, resource, key, rest: keys, page: pageOf(endpoint) };
}

/**
 * The response of a list in an envelope. An optional key whose value isn't known is left out.
 * Undefined if a required key's value isn't known.
 */
export function pageText(
  { values }: SourceDocument,
  endpoint: SourceEndpoint,
  { status, resource, key, rest, page }: Envelope,
): string | undefined {
  const [, shape = ""] = /^2\d\d (\w+)$/.exec(endpoint.returns[0]?.value.text.trim() ?? "") ?? [];
  const fields = values.find(({ name }) => name === shape)?.fields ?? [];
  const members = membersText(values, rest, fields, page, 0);
  if (members === undefined) return undefined;
  return `${status} \`{${[`"${key}": page.items.map(r, ${resource.name}(r))`, ...members].join(", ")}}\``;
}

/** Maximum depth of nested objects. */
const nestedMax = 3;

/** The members whose values are known; undefined if a required one is missing. */
function membersText(
  values: SourceDocument["values"],
  names: readonly string[],
  fields: readonly SourceField[],
  page: Page | undefined,
  depth: number,
): readonly string[] | undefined {
  const members: string[] = [];
  for (const name of names) {
    const field = fields.find((of) => of.name === name);
    const isObject = values.some((value) => value.name === field?.type);
    const text = isObject
      ? objectText(values, field, page, depth)
      : filled.find(([known]) => known.test(name))?.[1](page);
    // A page that isn't there is omitted, unless the key must be there or may be null.
    const isOmitted = field?.rules.every((rule) => rule !== "required" && rule !== "nullable") === true;
    const mark = isOmitted && text?.startsWith("page.next == null") ? "?" : "";
    if (text !== undefined) members.push(`"${name}${mark}": ${text}`);
    else if (!field || field.rules.includes("required")) return undefined;
  }
  return members;
}

/** An object with the members of a value, if any of them is known. */
function objectText(
  values: SourceDocument["values"],
  field: SourceField | undefined,
  page: Page | undefined,
  depth: number,
): string | undefined {
  const value = field && values.find(({ name }) => name === field.type);
  if (!value || depth >= nestedMax) return undefined;
  const names = value.fields.map(({ name }) => name);
  // `{"next": {"page": …}}`: without a next page, there is no object.
  const isNext = field.name === "next" && page?.kind === "cursor" && names.join() === "page";
  if (isNext) return 'page.next == null ? null : {"page": page.next}';
  const members = membersText(values, names, value.fields, page, depth + 1);
  return members && members.length > 0 ? `{${members.join(", ")}}` : undefined;
}
