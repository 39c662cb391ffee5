/**
 * Lists in an envelope, `{"data": […], "total": 3}`. An import notes in a comment which key holds
 * the records; what fills the other keys is known by their names.
 */
import type { Addresses } from "./addresses.ts";
import { type Page, pageOf } from "./pages.ts";
import type { WrittenEndpoint, WrittenResource } from "./written.ts";

export interface Envelope {
  readonly status: string;
  readonly resource: WrittenResource;
  /** The key of the list. */
  readonly key: string;
  /** The other keys. */
  readonly rest: readonly string[];
  /** How pages are chosen, where the inputs show it. */
  readonly page: Page | undefined;
}

type Fill = (page: Page | undefined) => string | undefined;

const always = (text: string) => () => text;
const ofPages =
  (text: string, ...kinds: readonly Page["kind"][]) =>
  (page: Page | undefined) =>
    page && (kinds.length === 0 || kinds.includes(page.kind)) ? text : undefined;

/** Members of `page` that fill keys of these names, in lists whose pages are chosen so. */
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

/** The envelope that the comment of an import describes: `200 has a list of Pet in "data" with total`. */
export function envelopeOf(endpoint: WrittenEndpoint, addresses: Addresses): Envelope | undefined {
  const [, status, name = "", key, rest = ""] =
    /\b(2\d\d) has a list of (\w+) in "([\w-]+)"(?: with ([\w$, -]+?))?(?:;| -->)/.exec(endpoint.comments) ??
    [];
  const resource = addresses.resource(name);
  if (status === undefined || key === undefined || !resource) return undefined;
  const keys = rest.split(", ").filter((other) => other !== "");
  return { status, resource, key, rest: keys, page: pageOf(endpoint) };
}

/** The response of a list in an envelope; undefined where it isn't known what fills one of its keys. */
export function pageText({ status, resource, key, rest, page }: Envelope): string | undefined {
  const fills = rest.map((name) => [name, filled.find(([names]) => names.test(name))?.[1](page)] as const);
  if (fills.some(([, value]) => value === undefined)) return undefined;
  const members = [
    `"${key}": page.items.map(r, ${resource.name}(r))`,
    ...fills.map(([name, value]) => `"${name}": ${value}`),
  ];
  return `${status} \`{${members.join(", ")}}\``;
}
