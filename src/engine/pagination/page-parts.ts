/**
 * Page parts: all parts of `page` except its items (part 4, "Names"), such as counts and the
 * adjacent pages.
 */
import type { Value } from "../../expressions/value.ts";
import type { Pagination } from "../../model/model.ts";
import { originOf } from "../evaluation/context.ts";
import type { RequestContext } from "../request-context.ts";
import type { CursorSeal } from "./cursor.ts";
import { type AdjacentPages, pageAddresses } from "./page-links.ts";
import type { PageRequest } from "./page-request.ts";

/** The parts of a record that a page needs. */
export interface PageRow {
  /** The record's sort key values. */
  readonly cursor?: readonly Value[] | undefined;
  /** The identifier as text, for pagination by identifiers. */
  readonly identifier: string;
}

export interface PageFacts {
  readonly exchange: RequestContext;
  readonly pagination: Pagination;
  readonly request: PageRequest;
  readonly rows: readonly PageRow[];
  /** Whether there are more records in the requested direction. */
  readonly more: boolean;
  /** The number of records on all pages; null if it is not counted. */
  readonly total: number | null;
  readonly seal: CursorSeal;
  /** The list that cursors belong to. */
  readonly list: string;
  /** Whether a response of the endpoint contains the URL of this page or of an adjacent page. */
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
    // The number in the parameter's own counting.
    offset: request.offset + (pagination.kind === "offset" ? pagination.from : 0),
    ...(facts.addressed
      ? pageAddresses(originOf(exchange.evaluation), targetOf(exchange), pagination, adjacent)
      : undefined),
  };
}

/** Converts page numbers and offsets to numbers for a response; cursors stay strings. */
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

/** Returns the path and query. The request line may contain an absolute URL. */
function targetOf(request: RequestContext): string {
  return request.request.target.replace(/^https?:\/\/[^/?]*/i, "");
}
