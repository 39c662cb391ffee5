/**
 * Page request: the size and the start of the requested page, from the parameters of each kind of
 * pagination (part 4).
 */
import type { Value } from "../../expressions/value.ts";
import { closestRow } from "../../model/limits/applies.ts";
import type { Endpoint, LimitsPart, Pagination } from "../../model/model.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";
import { Problem } from "../problem.ts";
import type { CursorSeal } from "./cursor.ts";

export interface PageRequest {
  readonly limit: number;
  readonly offset: number;
  /** The page number, in the document's numbering. */
  readonly number: number;
  readonly seek?: "after" | "before";
  /** The values of an opaque cursor. An identifier is resolved later. */
  readonly cursor?: readonly Value[];
  readonly identifier?: string;
}

export interface PageBounds {
  readonly default: number;
  readonly maximum: number;
  readonly over: "clamped" | "refused";
}

/**
 * The page bounds of an endpoint (part 8, `page`). A list without pagination is one page of the
 * largest size that the operator allows.
 */
export function pageBounds(limits: LimitsPart, endpoint: Endpoint, { kind }: Pagination): PageBounds {
  const ceiling = operatorCeilings.pageSizeMax;
  if (kind === "none") return { default: ceiling, maximum: ceiling, over: "refused" };
  const row = closestRow(limits.pages, endpoint);
  const maximum = Math.min(row?.maximum ?? Math.max(engineDefaults.pageSizeMax, row?.default ?? 0), ceiling);
  return {
    default: Math.min(row?.default ?? engineDefaults.pageSize, maximum),
    maximum,
    over: row?.over ?? "refused",
  };
}

/**
 * @param sent the query texts by name; undefined if not sent, null if not a single text
 * @throws Problem *invalid field*, with all invalid parameters
 */
export function readPageRequest(
  pagination: Pagination,
  bounds: PageBounds,
  sent: (name: string) => string | null | undefined,
  seal: CursorSeal,
  list: string,
): PageRequest {
  if (pagination.kind === "none") return { limit: bounds.maximum, offset: 0, number: 1 };
  const wrong: Wrong = [];
  const query = (name: string): string | undefined => {
    const text = sent(name);
    if (text === null)
      wrong.push({ field: name, value: "", problem: "must be sent only once", type: "string" });
    return text ?? undefined;
  };
  const size = readSize(pagination.size, bounds, query, wrong);
  const request = {
    limit: size,
    offset: 0,
    number: 1,
    ...position(pagination, size, query, seal, list, wrong),
  };
  const [first, ...rest] = wrong.map((item) => ({ condition: "invalid field" as const, ...item }));
  if (first) throw new Problem([first, ...rest], { because: pagination.position });
  return request;
}

type Wrong = { field: string; value: string; problem: string; type: "integer" | "string" }[];

function readSize(
  name: string | undefined,
  bounds: PageBounds,
  query: (name: string) => string | undefined,
  wrong: Wrong,
): number {
  const text = name === undefined ? undefined : query(name);
  if (name === undefined || text === undefined || text === "") return bounds.default;
  const number = readInteger(text);
  if (number === undefined)
    wrong.push({ field: name, value: text, problem: "must be a whole number", type: "integer" });
  else if (number < 1)
    wrong.push({ field: name, value: text, problem: "must be at least 1", type: "integer" });
  else if (number > bounds.maximum) {
    if (bounds.over === "clamped") return bounds.maximum;
    wrong.push({ field: name, value: text, problem: `must be at most ${bounds.maximum}`, type: "integer" });
  } else return number;
  return bounds.default;
}

function position(
  pagination: Exclude<Pagination, { kind: "none" }>,
  size: number,
  query: (name: string) => string | undefined,
  seal: CursorSeal,
  list: string,
  wrong: Wrong,
): Partial<PageRequest> {
  switch (pagination.kind) {
    case "offset":
    case "page": {
      const name = pagination.kind === "offset" ? pagination.offset : pagination.page;
      const first = pagination.from;
      const text = query(name);
      const number = text === undefined || text === "" ? first : readInteger(text);
      if (number === undefined || number < first) {
        wrong.push({
          field: name,
          value: text ?? "",
          problem: number === undefined ? "must be a whole number" : `must be at least ${first}`,
          type: "integer",
        });
        return {};
      }
      return pagination.kind === "offset"
        ? { offset: number - first, number: Math.floor((number - first) / size) }
        : { offset: (number - first) * size, number };
    }
    default:
      return seekPosition(pagination, query, seal, list, wrong);
  }
}

function seekPosition(
  pagination: Extract<Pagination, { kind: "cursor" | "identifier" }>,
  query: (name: string) => string | undefined,
  seal: CursorSeal,
  list: string,
  wrong: Wrong,
): Partial<PageRequest> {
  const at = pagination.kind === "cursor" ? pagination.at : undefined;
  const sent = [
    ["after", pagination.after],
    ["before", pagination.before],
    ["at", at],
  ].flatMap(([role, name]) => {
    const text = name === undefined ? undefined : query(name);
    return text === undefined || text === "" ? [] : [{ role: role as string, name: name as string, text }];
  });
  const [first, second] = sent;
  if (!first) return {};
  if (second) {
    wrong.push({
      field: second.name,
      value: second.text,
      problem: `can't be combined with ${first.name}`,
      type: "string",
    });
    return {};
  }
  if (pagination.kind === "identifier")
    return { seek: first.role === "before" ? "before" : "after", identifier: first.text };
  const values = seal.open(list, first.text);
  // A bidirectional cursor contains its direction.
  const [direction, ...keys] =
    first.role === "at" ? (values ?? []) : [first.role, ...(values ?? []).slice(1)];
  if (!values || (direction !== "after" && direction !== "before")) {
    wrong.push({
      field: first.name,
      value: first.text,
      problem: "is not a cursor of this list",
      type: "string",
    });
    return {};
  }
  return { seek: direction, cursor: keys };
}

function readInteger(text: string): number | undefined {
  return /^-?\d{1,15}$/.test(text) ? Number(text) : undefined;
}
