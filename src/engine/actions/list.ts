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
import type { ResourcePlan } from "../records/resource-plan.ts";
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
import { type ListFingerprint, planListFingerprint } from "../pagination/list-fingerprint.ts";
import { Problem } from "../problem.ts";
import { targetConditions } from "../records/path-conditions.ts";
import { type Filters, planFilters } from "./filters.ts";
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
  return new PlannedList(context, endpoint, seal);
}

class PlannedList implements ListPlan {
  readonly #context: PlanContext;
  readonly #endpoint: Endpoint;
  readonly #seal: CursorSeal;
  readonly #plan: ResourcePlan;
  readonly #filters: Filters;
  readonly #conditions: readonly Node[];
  readonly #fingerprint: ListFingerprint;
  readonly #orders: ReturnType<typeof planOrders>;
  readonly #pagination: Pagination;
  readonly #bounds: ReturnType<typeof pageBounds>;
  readonly #identifier: ReturnType<typeof cursorField>;
  readonly #readCursor: ReturnType<typeof planIdentifierCursor>;
  readonly #namesAddresses: boolean;
  readonly #shapedQueries = new Map<string, Query<ShapedRow>>();
  readonly #recordQueries = new Map<string, Query<RecordValue>>();
  readonly #counts = new Map<string, Query<number>>();

  constructor(context: PlanContext, endpoint: Endpoint, seal: CursorSeal) {
    const { position } = endpoint;
    this.#context = context;
    this.#endpoint = endpoint;
    this.#seal = seal;
    this.#plan = context.resource(endpoint.resource as string);
    this.#filters = planFilters(context, endpoint);
    this.#conditions = targetConditions(context, endpoint, this.#plan);
    this.#fingerprint = planListFingerprint(context, endpoint, this.#conditions);
    this.#orders = planOrders(context, endpoint);
    this.#pagination = endpoint.pagination ?? { kind: "none", links: false, position };
    this.#bounds = pageBounds(context.model.limits, endpoint, this.#pagination);
    this.#identifier = cursorField(endpoint, this.#plan);
    this.#readCursor = planIdentifierCursor(context, endpoint, this.#pagination);
    this.#namesAddresses = namesAddresses(context, endpoint);
    this.#prepare();
  }

  wrongPage(request: RequestContext): ReturnType<ListPlan["wrongPage"]> {
    // Invalid inputs do not determine the order or the filters, nor do those that compose them.
    // Then a cursor of any order of this list is accepted.
    const orders = orderNames(this.#orders);
    const isUnclear = !orders || this.#filters.isComposed || request.inputs.inputProblems.length > 0;
    const ofAnyOrder: CursorSeal = {
      seal: () => "",
      open: (_list, text) => {
        if (isUnclear) return ["after"];
        for (const order of orders) {
          const values = this.#seal.open(this.#fingerprint(request, order), text);
          if (values) return values;
        }
        return undefined;
      },
    };
    try {
      readPageRequest(this.#pagination, this.#bounds, pageTexts(this.#endpoint, request), ofAnyOrder, "");
      return [];
    } catch (error) {
      if (error instanceof Problem) return error.details;
      throw error;
    }
  }

  async list(request: RequestContext, item: Node, needsTotal: boolean): ReturnType<ListPlan["list"]> {
    const { store, wire } = this.#context;
    const isByIdentifier = this.#pagination.kind === "identifier";
    const naming = this.#identifier;
    const key = isByIdentifier && naming ? identifierKey(this.#context, naming, item) : undefined;
    // If the shape does not contain the identifier, it is selected too, because the next page
    // continues after it.
    const addsIdentifier = isByIdentifier && key === undefined;
    const shape = addsIdentifier && naming ? withIdentifierOf(this.#plan, naming, item) : item;
    const listRequest = await this.#requestOf(request);
    const query = this.#filters.prepared(this.#shapedQueries, `${listRequest.name}|${itemName(item)}`, () =>
      store.prepareShaped({ ...listRequest.query, withCursor: this.#isPaged }, shape, wire),
    );
    const found = listRequest.page([...(await this.#readerOf(request).shaped(query, listRequest.frame))]);
    const rows = found.map((row) => (addsIdentifier ? withoutIdentifier(row) : new SerializedRow(row, key)));
    const total = await this.#countOf(request, listRequest, needsTotal);
    return { items: rows.map((row) => row.json), parts: pageParts({ ...listRequest.facts, rows, total }) };
  }

  async records(request: RequestContext, needsTotal: boolean): ReturnType<ListPlan["records"]> {
    const listRequest = await this.#requestOf(request);
    const { query: recordsQuery, frame } = listRequest;
    const query = this.#filters.prepared(this.#recordQueries, listRequest.name, () =>
      this.#context.store.prepareRecords(recordsQuery),
    );
    const items = listRequest.page([...(await this.#readerOf(request).records(query, frame))]);
    const naming = this.#identifier;
    const rows: PageRow[] = [];
    for (const record of this.#isPaged ? items : [])
      rows.push({
        cursor: await keysOf(this.#context, recordsQuery.order, record, request.evaluation),
        identifier: String((naming && record[naming.name]) ?? ""),
      });
    const total = await this.#countOf(request, listRequest, needsTotal);
    return { items, parts: pageParts({ ...listRequest.facts, rows, total }) };
  }

  get #isPaged(): boolean {
    return this.#pagination.kind !== "none";
  }

  get #includesDeleted(): Pick<RecordsQuery, "includesDeleted"> {
    return this.#endpoint.finds ? { includesDeleted: true } : {};
  }

  /**
   * Prepares a query of each order. A query that the store does not support is reported when the
   * service starts; the others are prepared when a request first needs them.
   */
  #prepare(): void {
    const where = [...this.#conditions, ...this.#filters.ofInputs];
    const orders = this.#orders.length > 0 ? this.#orders : [{ keys: [] }];
    for (const order of orders)
      this.#context.store.prepareRecords({ resource: this.#plan.name, where, order: possibleKeys(order) });
    this.#filters.prepareConditions();
  }

  /**
   * A stale page decides nothing, so a page may be read from a standby if the operator allows that.
   */
  #readerOf({ evaluation: { work } }: RequestContext): Session {
    const mayBeStale = work.transaction === null && !this.#endpoint.waits;
    return mayBeStale ? (this.#context.store.lagging ?? work.session) : work.session;
  }

  /** Binds the request's filters, order and cursor in a frame of its queries. */
  async #requestOf(exchange: RequestContext): Promise<ListRequest> {
    const { evaluation } = exchange;
    const pagination = this.#pagination;
    const bounds = this.#bounds;
    const seal = this.#seal;
    const requested = await this.#filters.requested(exchange);
    const order = await chosenOrder(this.#orders, evaluation);
    const list = this.#fingerprint(exchange, `${order.name}${requested.composed}`);
    const read = readPageRequest(pagination, bounds, pageTexts(this.#endpoint, exchange), seal, list);
    const request = await this.#readCursor(read, order.keys, evaluation);
    const frame = bind(evaluation.frame, requested.parameters);
    frame.page = { limit: request.limit + 1, offset: request.offset };
    frame.cursor = request.cursor ?? [];
    const addressed = this.#namesAddresses;
    const facts = { exchange, pagination, request, seal, list, addressed, more: false };
    return {
      name: `${requested.name}|${order.name}|${request.seek ?? ""}`,
      filterNames: requested.name,
      frame,
      query: {
        resource: this.#plan.name,
        where: [...this.#conditions, ...requested.nodes],
        order: order.keys,
        limited: true,
        // One row more than the page size shows whether there is a next page.
        limitMax: bounds.maximum + 1,
        skips: pagination.kind === "page" || pagination.kind === "offset",
        ...(requested.composed !== "" || order.isComposed ? { isComposed: true } : {}),
        ...(request.seek ? { seek: request.seek } : {}),
        ...this.#includesDeleted,
      },
      facts,
      page: (found) => {
        facts.more = found.length > request.limit;
        // An unpaginated list is never truncated: a partial list would look complete.
        if (facts.more && !this.#isPaged) throw tooLong(this.#endpoint, request.limit);
        const page = facts.more ? found.slice(0, request.limit) : found;
        return request.seek === "before" ? page.reverse() : page;
      },
    };
  }

  async #countOf(
    request: RequestContext,
    { query: { where, isComposed = false }, filterNames, frame }: ListRequest,
    isNeeded: boolean,
  ): Promise<number | null> {
    if (!isNeeded) return null;
    const query = this.#filters.prepared(this.#counts, filterNames, () =>
      this.#context.store.prepareCount({
        resource: this.#plan.name,
        where,
        isComposed,
        ...this.#includesDeleted,
      }),
    );
    return this.#readerOf(request).count(query, frame);
  }
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
