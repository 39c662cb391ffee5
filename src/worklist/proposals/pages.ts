/** Pagination of a list, inferred from the names and types of its inputs. */
import type { Edit } from "../document/edits.ts";
import { itemsOf, keyText } from "../../syntax/read.ts";
import { lineOf, type SourceEndpoint, type SourceInput } from "../document/source-document.ts";

export interface Page {
  /** `page (page: page, size: per_page)` */
  readonly text: string;
  readonly kind: "page" | "offset" | "cursor" | "identifier";
  readonly inputs: readonly SourceInput[];
  /** The bound of part 8: `default 20, maximum 100`. */
  readonly bound: string | undefined;
}

const sizes = /^(limit|size|per_?page|page_?size|max_?results)$/i;

/** The pagination that the open inputs of a list show. */
export function pageOf({ inputs }: SourceEndpoint): Page | undefined {
  // A pagination names its inputs by their wire names.
  const isSentByName = ({ rules }: SourceInput) => !rules.some((rule) => rule.startsWith("sent as "));
  const open = inputs.filter((input) => input.isOpen && input.in === "query" && isSentByName(input));
  const find = (name: RegExp, type: string) =>
    open.find((input) => name.test(input.name) && input.type === type);
  const size = find(sizes, "integer") ?? find(sizes, "number");
  const bound = size && boundOf(size);
  if (!size || bound === false) return undefined;
  const made = (
    kind: Page["kind"],
    parts: Readonly<Record<string, SourceInput | undefined>>,
    form: string = kind,
  ) => {
    const used = Object.entries(parts).flatMap(([role, input]) => (input ? [{ role, input }] : []));
    const text = `${form} (${used.map(({ role, input }) => `${role}: ${input.name}`).join(", ")})`;
    return { text, kind, inputs: used.map(({ input }) => input), bound };
  };
  const number = find(/^(page|page_?number)$/i, "integer");
  if (number) return made("page", { page: number, size }, startsAtZero(number) ? "page from 0" : "page");
  const offset = find(/^(offset|skip)$/i, "integer");
  if (offset) return made("offset", { offset, size });
  const last = find(/^starting_?after$/i, "string");
  if (last) return made("identifier", { size, after: last, before: find(/^ending_?before$/i, "string") });
  const after = find(/^after$/i, "string");
  if (after) return made("cursor", { size, after, before: find(/^before$/i, "string") });
  const cursor = find(/^(cursor|marker|start_?cursor|page_?token|page)$/i, "string");
  return cursor && made("cursor", { size, at: cursor });
}

function startsAtZero({ rules }: SourceInput): boolean {
  return rules.some((rule) => rule === "default `0`" || rule.startsWith("0.."));
}

/** False if its rules are more than a bound of part 8 can express. */
function boundOf({ rules }: SourceInput): string | undefined | false {
  const words = rules
    .filter((rule) => rule !== "not shown")
    .map((rule) => {
      const [, initial] = /^default `(\d+)`$/.exec(rule) ?? [];
      if (initial !== undefined) return `default ${initial}`;
      // A bound of part 8 has no page of no records.
      const [, maximum] = /^[01]?\.\.(\d*)$/.exec(rule) ?? [];
      if (maximum === undefined) return false;
      return maximum === "" ? "" : `maximum ${maximum}`;
    });
  if (words.includes(false)) return false;
  const stated = words.filter((word) => word !== "" && word !== false).toSorted();
  return stated.length === 0 ? undefined : stated.join(", ");
}

/**
 * The edits that state a pagination: its item below `Does`, and its bound in part 8. A `Link`
 * header has the addresses of the other pages.
 */
export function pageEdits(
  { name, section }: SourceEndpoint,
  { text, bound }: Page,
  line: number,
): readonly Edit[] {
  const link = itemsOf(section.body).find(
    ({ key, value }) => keyText(key) === "header" && value.text.trim() === "Link: not shown",
  );
  return [
    { after: line, lines: [`- Pagination: ${text}${link ? ", with Link" : ""}`] },
    ...(link ? [{ line: lineOf(link), text: undefined }] : []),
    ...(bound === undefined ? [] : [{ bound, endpoint: name }]),
  ];
}
