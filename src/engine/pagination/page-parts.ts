/** Page parts: `page` except its items (part 4, "Names"), such as counts and the adjacent pages. */
import type { Value } from "../../expressions/value.ts";
import type { Pagination } from "../../model/model.ts";
import { originOf } from "../evaluation/context.ts";
import type { RequestContext } from "../request-context.ts";
import type { CursorSeal } from "./cursor.ts";
import { type AdjacentPages, pageAddresses } from "./page-links.ts";
import type { PageRequest } from "./page-request.ts";

/** What a page needs from its records. */
export interface PageRow {
  /** Its sort key values. */
  readonly cursor?: readonly Value[] | undefined;
  /** As text, for pagination by identifiers. */
  readonly identifier: string;
}

export interface PageFacts {
  readonly exchange: RequestContext;
  readonly pagination: Pagination;
  readonly request: PageRequest;
  readonly rows: readonly PageRow[];
  /** There are more records in the requested direction. */
  readonly more: boolean;
  /** The total of all pages; null if not counted. */
  readonly total: number | null;
  readonly seal: CursorSeal;
  /** The list that cursors belong to. */
  readonly list: string;
  /** An answer of the endpoint contains a URL of this or an adjacent page. */
  readonly addressed: boolean;
}

export function pageParts(facts: PageFacts): Record<string, Value> {
  const { exchange, pagination, request, more, total } = facts;
  const adjacent = adjacentPagesOf(facts);
  const hasNext = adjacent.next !== null;
  return {
    total,
    has_more: request.seek === "before" ? more : hasNext,
    next: numberOr(pagination, adjacent.next?.value ?? null),
    previous: numberOr(pagination, adjacent.previous?.value ?? null),
    number: request.number,
    size: request.limit,
    // As the parameter counts.
    offset: request.offset + (pagination.kind === "offset" ? pagination.from : 0),
    ...(facts.addressed
      ? pageAddresses(originOf(exchange.evaluation), targetOf(exchange), pagination, adjacent)
      : undefined),
  };
}

/** Page numbers and offsets are numbers in an answer; cursors are strings. */
function numberOr(pagination: Pagination, value: string | null): Value {
  return value !== null && (pagination.kind === "page" || pagination.kind === "offset")
    ? Number(value)
    : value;
}

function adjacentPagesOf(facts: PageFacts): AdjacentPages {
  const { pagination, request, rows, more, total, seal, list } = facts;
  const nothing: AdjacentPages = { next: null, previous: null, first: null, last: null };
  if (pagination.kind === "none") return nothing;
  if (pagination.kind === "page" || pagination.kind === "offset") {
    const isPage = pagination.kind === "page";
    const parameter = isPage ? pagination.page : pagination.offset;
    const at = (offset: number) => ({
      parameter,
      value: String((isPage ? Math.floor(offset / request.limit) : offset) + pagination.from),
    });
    const lastOffset =
      total === null ? null : Math.max(0, Math.ceil(total / request.limit) - 1) * request.limit;
    return {
      next: more ? at(request.offset + request.limit) : null,
      previous: request.offset > 0 ? at(Math.max(0, request.offset - request.limit)) : null,
      first: at(0),
      last: lastOffset === null ? null : at(lastOffset),
    };
  }
  const backwards = request.seek === "before";
  const hasNext = backwards || more;
  const hasPrevious = backwards ? more : request.seek === "after";
  const first = rows[0];
  const last = rows.at(-1);
  const cursorOf = (direction: "after" | "before", row: PageRow) => {
    const parameter =
      (pagination.kind === "cursor" ? (pagination.at ?? pagination[direction]) : pagination[direction]) ?? "";
    const value =
      pagination.kind === "cursor" ? seal.seal(list, [direction, ...(row.cursor ?? [])]) : row.identifier;
    return parameter === "" ? null : { parameter, value };
  };
  return {
    next: hasNext && last ? cursorOf("after", last) : null,
    previous: hasPrevious && first ? cursorOf("before", first) : null,
    first: { parameter: "", value: "" },
    last: null,
  };
}

/** Path and query; the request line may contain an absolute URL. */
function targetOf(request: RequestContext): string {
  return request.request.target.replace(/^https?:\/\/[^/?]*/i, "");
}
