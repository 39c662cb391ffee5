/** Data space of a sandbox for one test: the service, its records, and its clock. */
import { createClient } from "../cli/operations/client.ts";
import { tokenVariable } from "../cli/operations/token.ts";
import type { Json } from "../support/json.ts";
import { type SandboxAddress, spaceHeader } from "./sandbox-address.ts";

export type JsonObject = { readonly [name: string]: Json };

export interface Space extends AsyncDisposable {
  readonly name: string;
  /** The header that selects the data space: `{"Ninefold-Space": "t-…"}`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The service in this data space, for clients with a base URL: `http://127.0.0.1:40123/~t-…`.
   * Links, redirects and cookies keep this prefix.
   */
  readonly url: string;
  /**
   * The same with a host of its own, `http://t-….localhost:40123`, for browsers, and for clients
   * whose signatures cover the path. Browsers and curl resolve it; Node does if the system does.
   */
  readonly hostUrl: string;
  /** Sends a request to the service: `space.fetch("/v1/parcels")`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /**
   * Creates records as `- Given:` lines do, such as `Shop with name = "Ada" as ada`: all or none.
   * Returns them without secrets.
   */
  add(...given: readonly string[]): Promise<readonly JsonObject[]>;
  /** The records of a resource, or those for which `where` is true: `status = delivered`. */
  records(resource: string, where?: string): Promise<readonly JsonObject[]>;
  /** The events, oldest first. */
  events(type?: string): Promise<readonly JsonObject[]>;
  /** The deliveries, newest first, optionally in one state. */
  deliveries(state?: "open" | "done" | "dead"): Promise<readonly JsonObject[]>;
  /**
   * Makes the next requests or webhooks fail or be slow: `space.fault({ endpoint: "POST /parcels",
   * status: 503, times: 2 })`.
   */
  fault(order: FaultOrder): Promise<SpaceFault>;
  /** Removes all faults, and releases delayed requests. */
  clearFaults(): Promise<void>;
  /**
   * The requests that failed by a fault of the service or a gap of the document, oldest first.
   * Ordered failures are omitted.
   */
  failures(): Promise<readonly Failure[]>;
  readonly clock: SpaceClock;
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Restores the seed and the machine's time. */
  reset(): Promise<void>;
  /** Removes the data space. */
  close(): Promise<void>;
}

/** One injected fault, and the requests that it applies to. */
export interface FaultOrder {
  /** An endpoint as the document writes it: `POST /parcels`; by default all endpoints. */
  readonly endpoint?: string;
  /** The identifier of the caller; by default every caller. */
  readonly caller?: string;
  /** An event type, or `*`. The fault then applies to webhooks instead of requests. */
  readonly webhook?: string;
  /** The number of requests that the fault skips first. */
  readonly skip?: number;
  /** The number of requests that the fault applies to, by default 1; null: until it is removed. */
  readonly times?: number | null;
  /** The delay before the response: "2 seconds", or a distribution. */
  readonly delay?: string | { readonly median: string; readonly p99: string };
  /** Replaces the response of the service, or that of a webhook's receiver. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A text is sent unchanged, anything else as JSON. */
  readonly body?: Json;
  /** A condition or an error code of part 7: the document's own error. */
  readonly error?: string;
  readonly connection?: "reset" | "cut" | "hang";
  /** Whether the request is executed first, so that only its response is lost. */
  readonly afterWork?: boolean;
  /** Applies to webhooks only. */
  readonly deliver?: "twice" | "after the next";
}

export interface SpaceFault {
  readonly number: number;
  /** The number of requests or webhooks that the fault applied to so far. */
  hits(): Promise<number>;
  remove(): Promise<void>;
}

/** A request whose response is a failure of the service. */
export interface Failure {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The fault with its stack, or the undecided item of the document. */
  readonly cause: string;
}

export interface SpaceClock {
  now(): Promise<Date>;
  /**
   * Advances by a duration such as "14 days". Due work on the way runs first, and deliveries are
   * attempted.
   */
  advance(by: string): Promise<Date>;
  set(to: Date | string): Promise<Date>;
  /** Stops the clock until it is moved. */
  stop(): Promise<Date>;
}

/** The maximum number of items in one response of a list. */
const pageSize = 100;

/** The maximum number of reported failures. */
const failuresMax = 1000;

/**
 * Opens a data space, and creates it if needed.
 * @param isStrict whether `close` rejects if requests have failed
 */
export async function createSpace(
  { url, operations, token }: SandboxAddress,
  name: string,
  isStrict: boolean,
): Promise<Space> {
  const client = createClient(operations, name, { [tokenVariable]: token });
  const request: Send = async <T>(method: Method, path: string, more: Parts = {}) =>
    (await client.send({ method, path, ...more })) as T;
  const moved = async (body: NonNullable<Parts["body"]>) =>
    new Date((await request<{ readonly now: string }>("POST", "/api/clock", { body })).now);
  const now = async () => new Date((await request<{ readonly now: string }>("GET", "/api/clock")).now);
  const failures = () => failuresIn(request);
  const close = async () => {
    const failed = isStrict ? await failures() : [];
    await request("DELETE", `/api/spaces/${encodeURIComponent(name)}`, { isOfOneSpace: false });
    if (failed.length > 0) throw new Error(failureText(name, failed));
  };
  // The first request creates the data space.
  await now();
  return {
    name,
    headers: { [spaceHeader]: name },
    url: `${url}/~${name}`,
    hostUrl: hostUrlOf(url, name),
    fetch(path, init = {}) {
      const headers = new Headers(init.headers);
      headers.set(spaceHeader, name);
      return fetch(new URL(path, url), { ...init, headers });
    },
    ...contentOf(request),
    fault: (order) => orderFault(request, order),
    async clearFaults() {
      await request("DELETE", "/api/faults");
    },
    failures,
    clock: {
      now,
      advance: (by) => moved({ advance: by }),
      set: (to) => moved({ now: typeof to === "string" ? to : to.toISOString() }),
      stop: () => moved({ stopped: true }),
    },
    async snapshot(snapshot) {
      await request("POST", "/api/snapshots", { body: { name: snapshot } });
    },
    async restore(snapshot) {
      await request("POST", `/api/snapshots/${encodeURIComponent(snapshot)}/restore`);
    },
    async reset() {
      await request("POST", "/api/reset");
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

/** What the data space has stored. */
function contentOf(request: Send): Pick<Space, "add" | "records" | "events" | "deliveries"> {
  return {
    async add(...given) {
      const { records } = await request<{ readonly records: readonly { readonly record: JsonObject }[] }>(
        "POST",
        "/api/records",
        { body: { given } },
      );
      return records.map(({ record }) => record);
    },
    records: (resource, where) =>
      allPages(async (cursor) => {
        const path = `/api/records/${encodeURIComponent(resource)}`;
        const query = { filter: where, limit: String(pageSize), cursor };
        const page: RecordsPage = await request("GET", path, { query });
        return { rows: page.records.map(({ fields }) => fields), next: page.next };
      }),
    events: (type) =>
      allPages(async (after = "0") => {
        const query = { type, after, limit: String(pageSize) };
        const { events }: EventsPage = await request("GET", "/api/events", { query });
        return { rows: events, next: fullPageEnd(events)?.sequence.toString() };
      }),
    deliveries: (state) =>
      allPages(async (before) => {
        const query = { state, before, limit: String(pageSize) };
        const { deliveries }: DeliveriesPage = await request("GET", "/api/deliveries", { query });
        return { rows: deliveries, next: fullPageEnd(deliveries)?.number.toString() };
      }),
  };
}

async function allPages<Row>(
  page: (
    cursor: string | undefined,
  ) => Promise<{ readonly rows: readonly Row[]; readonly next: string | undefined }>,
): Promise<readonly Row[]> {
  const all: Row[] = [];
  for (let cursor: string | undefined; ; ) {
    const { rows, next } = await page(cursor);
    all.push(...rows);
    if (next === undefined) return all;
    cursor = next;
  }
}

/** The last row, if there may be another page. */
function fullPageEnd<Row>(rows: readonly Row[]): Row | undefined {
  return rows.length < pageSize ? undefined : rows.at(-1);
}

async function orderFault(request: Send, { afterWork, ...order }: FaultOrder): Promise<SpaceFault> {
  const { number } = await request<{ readonly number: number }>("POST", "/api/faults", {
    body: { ...order, after_work: afterWork } as NonNullable<Parts["body"]>,
  });
  return {
    number,
    async hits() {
      const { faults } = await request<{
        readonly faults: readonly { readonly number: number; readonly hits: number }[];
      }>("GET", "/api/faults");
      return faults.find((fault) => fault.number === number)?.hits ?? 0;
    },
    async remove() {
      await request("DELETE", `/api/faults/${number}`);
    },
  };
}

async function failuresIn(request: Send): Promise<readonly Failure[]> {
  const { requests } = await request<{ readonly requests: readonly RequestRow[] }>("GET", "/api/requests", {
    query: { status: "5xx", limit: String(failuresMax) },
  });
  return requests.toReversed().flatMap(toFailure);
}

interface RequestRow extends Omit<Failure, "cause"> {
  readonly cause: { readonly kind: string; readonly text: string } | null;
}

function toFailure({ id, method, path, status, cause }: RequestRow): readonly Failure[] {
  return cause === null || cause.kind === "on demand"
    ? []
    : [{ id, method, path, status, cause: cause.text }];
}

function failureText(space: string, failures: readonly Failure[]): string {
  const lines = failures.map(({ method, path, status, cause }) => `${method} ${path}: ${status}, ${cause}`);
  const what = lines.length === 1 ? "A request" : `${lines.length} requests`;
  return `${what} to the data space ${space} failed.\n${lines.join("\n")}`;
}

function hostUrlOf(url: string, name: string): string {
  const own = new URL(url);
  own.hostname = `${name}.localhost`;
  return own.origin;
}

type Method = "GET" | "POST" | "DELETE";
type Send = <T>(method: Method, path: string, more?: Parts) => Promise<T>;

interface Parts {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: { readonly [field: string]: Json | undefined };
  readonly isOfOneSpace?: boolean;
}

interface RecordsPage {
  readonly records: readonly { readonly fields: JsonObject }[];
  readonly next?: string;
}

interface EventsPage {
  readonly events: readonly (JsonObject & { readonly sequence: number })[];
}

interface DeliveriesPage {
  readonly deliveries: readonly (JsonObject & { readonly number: number })[];
}
