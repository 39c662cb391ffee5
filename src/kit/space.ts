/** One data space of a sandbox, as a test has it: the service, what is in it, and its clock. */
import { createClient } from "../cli/operations/client.ts";
import { tokenVariable } from "../cli/operations/token.ts";
import type { Json } from "../support/json.ts";
import { type SandboxAddress, spaceHeader } from "./sandbox-address.ts";

export type JsonObject = { readonly [name: string]: Json };

export interface Space extends AsyncDisposable {
  readonly name: string;
  /** What names it in a request: `{"Ninefold-Space": "t-…"}`. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The service in this data space, for clients that take a base address:
   * `http://127.0.0.1:40123/~t-…`. Links, redirects and cookies stay in it.
   */
  readonly url: string;
  /**
   * The same by a host of its own, `http://t-….localhost:40123`, for browsers, and for clients whose
   * signatures cover the path. Browsers and curl resolve it; Node does where the system does.
   */
  readonly hostUrl: string;
  /** Sends a request to the service: `space.fetch("/v1/parcels")`. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Makes records as `- Given:` lines do, `Shop with name = "Ada" as ada`, all or none; answers them, without secrets. */
  add(...given: readonly string[]): Promise<readonly JsonObject[]>;
  /** Its records, of which `where` is true: `status = delivered`. */
  records(resource: string, where?: string): Promise<readonly JsonObject[]>;
  /** What has happened, oldest first. */
  events(type?: string): Promise<readonly JsonObject[]>;
  /** What is sent of it, newest first: those that are `open`, `done` or `dead`. */
  deliveries(state?: "open" | "done" | "dead"): Promise<readonly JsonObject[]>;
  readonly clock: SpaceClock;
  snapshot(name: string): Promise<void>;
  restore(name: string): Promise<void>;
  /** Empties it, and begins with the seed and the machine's time. */
  reset(): Promise<void>;
  /** Takes it away. */
  close(): Promise<void>;
}

export interface SpaceClock {
  now(): Promise<Date>;
  /** On by "14 days"; all that is due on the way happens first, deliveries are attempted. */
  advance(by: string): Promise<Date>;
  set(to: Date | string): Promise<Date>;
  /** It stands still until it is moved. */
  stop(): Promise<Date>;
}

/** Most rows that one request for a list answers. */
const pageSize = 100;

/** Makes it where it isn't there. */
export async function createSpace({ url, operations, token }: SandboxAddress, name: string): Promise<Space> {
  const client = createClient(operations, name, { [tokenVariable]: token });
  const request = async <T>(method: "GET" | "POST" | "DELETE", path: string, more: Parts = {}): Promise<T> =>
    (await client.send({ method, path, ...more })) as T;
  const clock = async (body: NonNullable<Parts["body"]>) =>
    new Date((await request<{ readonly now: string }>("POST", "/api/clock", { body })).now);
  const now = async () => new Date((await request<{ readonly now: string }>("GET", "/api/clock")).now);
  const close = async () => {
    await request("DELETE", `/api/spaces/${encodeURIComponent(name)}`, { isOfOneSpace: false });
  };
  // Its first request makes it.
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
    async add(...given) {
      const { records } = await request<{ readonly records: readonly { readonly record: JsonObject }[] }>(
        "POST",
        "/api/records",
        { body: { given } },
      );
      return records.map(({ record }) => record);
    },
    async records(resource, where) {
      const path = `/api/records/${encodeURIComponent(resource)}`;
      const all: JsonObject[] = [];
      for (let cursor: string | undefined; ; ) {
        const page: RecordsPage = await request("GET", path, {
          query: { filter: where, limit: String(pageSize), cursor },
        });
        all.push(...page.records.map(({ fields }) => fields));
        cursor = page.next;
        if (cursor === undefined) return all;
      }
    },
    async events(type) {
      const all: JsonObject[] = [];
      for (let after = "0"; ; ) {
        const { events } = await request<{
          readonly events: readonly (JsonObject & { readonly sequence: number })[];
        }>("GET", "/api/events", { query: { type, after, limit: String(pageSize) } });
        all.push(...events);
        if (events.length < pageSize) return all;
        after = String(events.at(-1)?.sequence);
      }
    },
    async deliveries(state) {
      const all: JsonObject[] = [];
      for (let before: string | undefined; ; ) {
        const { deliveries } = await request<{
          readonly deliveries: readonly (JsonObject & { readonly number: number })[];
        }>("GET", "/api/deliveries", { query: { state, before, limit: String(pageSize) } });
        all.push(...deliveries);
        if (deliveries.length < pageSize) return all;
        before = String(deliveries.at(-1)?.number);
      }
    },
    clock: {
      now,
      advance: (by) => clock({ advance: by }),
      set: (to) => clock({ now: typeof to === "string" ? to : to.toISOString() }),
      stop: () => clock({ stopped: true }),
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

function hostUrlOf(url: string, name: string): string {
  const own = new URL(url);
  own.hostname = `${name}.localhost`;
  return own.origin;
}

interface Parts {
  readonly query?: Readonly<Record<string, string | undefined>>;
  readonly body?: { readonly [field: string]: Json | undefined };
  readonly isOfOneSpace?: boolean;
}

interface RecordsPage {
  readonly records: readonly { readonly fields: JsonObject }[];
  readonly next?: string;
}
