/**
 * Record lists: `Does: list` returns the records that filters, `Where`, the path and `Visible`
 * select, a page at a time, sorted and shaped. It runs one statement for the records (prepared once
 * for each set of filters), and a second if the total is requested.
 */
import type { Node } from "../../expressions/node.ts";
import { type NameRead, pieceReads } from "../../expressions/analysis/reads.ts";
import type { RecordValue, Value, Frame } from "../../expressions/value.ts";
import type { Endpoint, Pagination } from "../../model/model.ts";
import type { Query, RecordsQuery, Session, ShapedRow } from "../../store/store.ts";
import type { RequestContext } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { CursorSeal } from "../pagination/cursor.ts";
import { pageTexts } from "../pagination/page-inputs.ts";
import {
  identifierKey,
  keysOf,
  cursorField,
  planIdentifierCursor,
  withIdentifierOf,
  withoutIdentifier,
} from "../pagination/identifier-cursor.ts";
import { type PageFacts, pageParts, type PageRow } from "../pagination/page-parts.ts";
import { pageBounds, readPageRequest } from "../pagination/page-request.ts";
import { planListFingerprint } from "../pagination/list-fingerprint.ts";
import { Problem } from "../problem.ts";
import { targetConditions } from "../records/path-conditions.ts";
import { planFilters } from "./filters.ts";
import { chosenOrder, orderNames, planOrders, possibleKeys } from "./list-order.ts";
import type { ListPlan } from "../pagination/list-plan.ts";
import { bind } from "../../expressions/parameters.ts";

interface ListRequest {
  /** Identifies the query: the filters that were sent, the order and the direction. */
  readonly name: string;
  readonly filterNames: string;
  /** The frame with its filters, page and cursor. */
  readonly frame: Frame;
  readonly query: RecordsQuery;
  readonly facts: Omit<PageFacts, "rows" | "total">;
  /** Returns the records of the page, in its order, out of the rows found. */
  page<T>(found: T[]): T[];
}

export function planList(context: PlanContext, endpoint: Endpoint, seal: CursorSeal): ListPlan {
  const plan = context.resource(endpoint.resource as string);
  const filters = planFilters(context, endpoint);
  const conditions = targetConditions(context, endpoint, plan);
  const whichList = planListFingerprint(context, endpoint, conditions);
  const orders = planOrders(context, endpoint);
  const possible = orderNames(orders);
  const pagination: Pagination = endpoint.pagination ?? {
    kind: "none",
    links: false,
    position: endpoint.position,
  };
  const bounds = pageBounds(context.model.limits, endpoint, pagination);
  const naming = cursorField(endpoint, plan);
  const readCursor = planIdentifierCursor(context, endpoint, pagination);
  const shaped = new Map<string, Query<ShapedRow>>();
  const counts = new Map<string, Query<number>>();

  // One row more than the page size shows whether there is a next page.
  const limitMax = bounds.maximum + 1;
  const recordQueries = new Map<string, Query<RecordValue>>();
  const paged = pagination.kind !== "none";
  const skips = pagination.kind === "page" || pagination.kind === "offset";
  const addressed = namesAddresses(context, endpoint);
  const includesDeleted = endpoint.finds ? { includesDeleted: true } : {};

  // Statements are prepared when a request first needs them. A query that the store does not
  // support is reported when the service starts.
  const where = [...conditions, ...filters.ofInputs];
  for (const order of orders.length > 0 ? orders : [{ keys: [] }])
    context.store.prepareRecords({ resource: plan.name, where, order: possibleKeys(order) });
  filters.prepareConditions();

  /**
   * A stale page decides nothing, so a page may be read from a standby if the operator allows that.
   */
  const readerOf = ({ evaluation: { work } }: RequestContext): Session =>
    work.transaction === null && !endpoint.waits ? (context.store.lagging ?? work.session) : work.session;

  /** Binds the request's filters, order and cursor in a frame of its queries. */
  const requestOf = async (context: RequestContext): Promise<ListRequest> => {
    const { evaluation } = context;
    const requested = await filters.requested(context);
    const order = await chosenOrder(orders, evaluation);
    const list = whichList(context, `${order.name}${requested.composed}`);
    const read = readPageRequest(pagination, bounds, pageTexts(endpoint, context), seal, list);
    const request = await readCursor(read, order.keys, evaluation);
    const frame = bind(evaluation.frame, requested.parameters);
    frame.page = { limit: request.limit + 1, offset: request.offset };
    frame.cursor = request.cursor ?? [];
    const filterNames = requested.name;
    const where = [...conditions, ...requested.nodes];
    const isComposed = requested.composed !== "" || order.isComposed ? { isComposed: true } : {};
    const seek = request.seek ? { seek: request.seek } : {};
    const facts = { exchange: context, pagination, request, seal, list, addressed, more: false };
    return {
      name: `${filterNames}|${order.name}|${request.seek ?? ""}`,
      filterNames,
      frame,
      query: {
        resource: plan.name,
        where,
        order: order.keys,
        limited: true,
        limitMax,
        skips,
        ...isComposed,
        ...seek,
        ...includesDeleted,
      },
      facts,
      page(found) {
        const more = found.length > request.limit;
        // An unpaginated list is never truncated: a partial list would look complete.
        if (more && !paged) throw tooLong(endpoint, request.limit);
        facts.more = more;
        const page = facts.more ? found.slice(0, request.limit) : found;
        return request.seek === "before" ? page.reverse() : page;
      },
    };
  };

  const countOf = async (
    request: RequestContext,
    listRequest: ListRequest,
    needed: boolean,
  ): Promise<number | null> => {
    if (!needed) return null;
    const { where, isComposed = false } = listRequest.query;
    const query = filters.prepared(counts, listRequest.filterNames, () =>
      context.store.prepareCount({ resource: plan.name, where, isComposed, ...includesDeleted }),
    );
    return readerOf(request).count(query, listRequest.frame);
  };

  return {
    wrongPage(request) {
      // Invalid inputs do not determine the order or the filters, nor do those that compose them.
      // Then a cursor of any order of this list is accepted.
      const isUnclear = !possible || filters.isComposed || request.inputs.inputProblems.length > 0;
      const ofAnyOrder: CursorSeal = {
        seal: () => "",
        open(_list, text) {
          if (isUnclear) return ["after"];
          for (const order of possible) {
            const values = seal.open(whichList(request, order), text);
            if (values) return values;
          }
          return undefined;
        },
      };
      try {
        readPageRequest(pagination, bounds, pageTexts(endpoint, request), ofAnyOrder, "");
        return [];
      } catch (error) {
        if (error instanceof Problem) return error.details;
        throw error;
      }
    },
    async list(request, item, needsTotal) {
      const key =
        pagination.kind === "identifier" && naming ? identifierKey(context, naming, item) : undefined;
      // If the shape does not contain the identifier, it is selected too, because the next page
      // continues after it.
      const credentials = pagination.kind === "identifier" && key === undefined;
      const shape = credentials && naming ? withIdentifierOf(plan, naming, item) : item;
      const listRequest = await requestOf(request);
      const query = filters.prepared(shaped, `${listRequest.name}|${itemName(item)}`, () =>
        context.store.prepareShaped({ ...listRequest.query, withCursor: paged }, shape, context.wire),
      );
      const found = listRequest.page([...(await readerOf(request).shaped(query, listRequest.frame))]);
      const rows = found.map((row) => (credentials ? withoutIdentifier(row) : new SerializedRow(row, key)));
      const parts = pageParts({
        ...listRequest.facts,
        rows,
        total: await countOf(request, listRequest, needsTotal),
      });
      return { items: rows.map((row) => row.json), parts };
    },
    async records(request, needsTotal) {
      const { evaluation } = request;
      const listRequest = await requestOf(request);
      const query = filters.prepared(recordQueries, listRequest.name, () =>
        context.store.prepareRecords(listRequest.query),
      );
      const items = listRequest.page([...(await readerOf(request).records(query, listRequest.frame))]);
      const rows: PageRow[] = [];
      for (const record of paged ? items : [])
        rows.push({
          cursor: await keysOf(context, listRequest.query.order, record, evaluation),
          identifier: String((naming && record[naming.name]) ?? ""),
        });
      const parts = pageParts({
        ...listRequest.facts,
        rows,
        total: await countOf(request, listRequest, needsTotal),
      });
      return { items, parts };
    },
  };
}

// ── Pages ───────────────────────────────────────────────────────────────────────────────────────

function tooLong(endpoint: Endpoint, max: number): Problem {
  const problem = `has more than ${max} records, the operator's ceiling, and the document gives this list no pages`;
  return new Problem(
    {
      condition: "internal",
      ...(endpoint.resource === undefined ? {} : { resource: endpoint.resource }),
      problem,
    },
    { because: endpoint.position },
  );
}

/**
 * Whether a response, a header or a shape reads `page.url`, `page.next_uri` and similar names, or
 * link headers are sent.
 */
function namesAddresses({ meaning }: PlanContext, endpoint: Endpoint): boolean {
  const listRequest: NameRead = { name: "page", member: (name) => /^(?:\w+_)?ur[li]$/.test(name) };
  return (
    endpoint.pagination?.links === true ||
    pieceReads([endpoint.returns, endpoint.headers, endpoint.headerMaps], listRequest, meaning)
  );
}

/**
 * A row whose identifier and cursor are computed only if the page continues after it. It is a class
 * because V8 gives each object with its own getter a hidden class, which took a third of a page's
 * time.
 */
class SerializedRow implements PageRow {
  readonly json: string;
  readonly #row: ShapedRow;
  readonly #key: string | undefined;

  constructor(row: ShapedRow, key: string | undefined) {
    this.json = row.json;
    this.#row = row;
    this.#key = key;
  }

  get cursor(): readonly Value[] | undefined {
    return this.#row.cursor;
  }

  get identifier(): string {
    if (this.#key === undefined) return "";
    return String((JSON.parse(this.json) as Record<string, unknown>)[this.#key] ?? "");
  }
}

const itemNames = new WeakMap<Node, number>();
let itemCount = 0;

function itemName(item: Node): number {
  const known = itemNames.get(item);
  if (known !== undefined) return known;
  itemCount += 1;
  itemNames.set(item, itemCount);
  return itemCount;
}
