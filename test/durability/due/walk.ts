/**
 * Random requests to two services of a document of `documents.ts` with a movable clock: one runs
 * all due work eagerly, one lazily.
 */
import { openModelStore, openService } from "../../../src/cli/open-service.ts";
import { createRequest } from "../../../src/engine/http/message.ts";
import { createMovableClock, type MovableClock, silentLog } from "../../../src/engine/ports.ts";
import type { Service } from "../../../src/engine/service.ts";
import type { Model } from "../../../src/model/model.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Draw } from "../../simulation/draw.ts";
import { type Name, pathOf, resourceNames, type TimedDocument } from "./documents.ts";
import { silentTerminal as terminal } from "../../terminal.ts";

export const minuteMs = 60_000;
const startMs = Date.parse("2026-11-20T12:00:00Z");

export interface Opened {
  readonly service: Service;
  readonly store: Store;
  readonly clock: MovableClock;
  close(): Promise<void>;
}

/** A service without wake-ups: due work runs only with requests, or when the test runs it. */
export async function openAsleep(model: Model): Promise<Opened> {
  const clock = createMovableClock(startMs);
  const store = await openModelStore(model, ":memory:", terminal);
  const ports = { clock: { ...clock, at: () => () => {} }, log: silentLog };
  const service = await openService(model, store, ports, { origin: () => "http://x" });
  return {
    service,
    store,
    clock,
    async close() {
      await service.close();
      await store.close();
    },
  };
}

export interface HttpRequest {
  readonly method: string;
  readonly target: string;
  readonly body?: unknown;
  /** The key of the caller. */
  readonly key?: string;
}

export interface Answer {
  readonly status: number;
  readonly reported: unknown;
}

/**
 * @param newest the last identifier of each path: requests concern newer records, because older
 * ones may be deleted
 * @param at the number of the request: the first ones create records
 */
export function drawRequest(
  draw: Draw,
  { model, plan }: TimedDocument,
  newest: ReadonlyMap<string, number>,
  nowMs: number,
  at: number,
): HttpRequest {
  const { below, oneOf } = draw;
  const name = at < 12 ? (resourceNames[at % 4] as Name) : oneOf(plan.requested);
  const path = pathOf(name);
  const idOf = (name: Name) => Math.max(1, (newest.get(pathOf(name)) ?? 1) - below(4));
  const to = (way: "one" | "two") => ({ [way]: idOf(plan.resources[name][way].to) });
  const id = idOf(name);
  const time = () => new Date(nowMs + (below(50) - 10) * minuteMs).toISOString();
  const reference = () => (below(3) === 0 ? {} : to("one"));
  const made = {
    n: below(4),
    ...(below(3) === 0 ? {} : { tag: `tag ${below(4)}` }),
    ...(below(3) === 0 ? {} : { due_at: time() }),
  };
  if (at === 12 && hasPath(model, "/hooks"))
    return { method: "POST", target: "/hooks", body: { url: "https://hooks.example/x", n: 2 } };
  if (at < 4) return { method: "POST", target: path, body: made };
  if (at < 12) return { method: "POST", target: path, body: { ...made, ...reference(), ...to("two") } };
  const requests: readonly HttpRequest[] = [
    { method: "POST", target: path, body: { ...made, ...reference() } },
    { method: "POST", target: path, body: { ...made, ...reference() } },
    { method: "GET", target: `${path}/${id}` },
    { method: "GET", target: `${path}/${id}` },
    { method: "PATCH", target: `${path}/${id}`, body: { n: below(4) } },
    { method: "PATCH", target: `${path}/${id}`, body: { tag: `tag ${below(4)}` } },
    {
      method: "PATCH",
      target: `${path}/${id}`,
      body: { due_at: below(4) === 0 ? null : time(), ...reference() },
    },
    { method: "PATCH", target: `${path}/${id}`, body: to("two") },
    { method: "POST", target: `${path}/${id}/back` },
    { method: "DELETE", target: `${path}/${id}` },
    { method: "GET", target: path },
    { method: "GET", target: "/numbers" },
    ...["/deliveries", "/notices"]
      .filter((target) => hasPath(model, target))
      .map((target) => ({ method: "GET", target })),
  ];
  // Lists run much due work, so most requests concern single records.
  return requests[below(below(4) === 0 ? requests.length : 9)] as HttpRequest;
}

function hasPath(model: Model, path: string): boolean {
  return model.endpoints.some((endpoint) => endpoint.path.text === path);
}

export function endpointOf(model: Model, { method, target }: HttpRequest) {
  const path = target.replace(/\d+/, "{id}");
  const found = model.endpoints.find((endpoint) => endpoint.method === method && endpoint.path.text === path);
  if (!found) throw new Error(`${method} ${path} is no endpoint`);
  return found;
}

export async function request(service: Service, { method, target, body, key }: HttpRequest): Promise<Answer> {
  const answer = await service.fetch(
    createRequest({
      method,
      target,
      headers: [
        ["Content-Type", "application/json"],
        ...(key === undefined ? [] : [["Authorization", `Bearer ${key}`] as const]),
      ],
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  const text = String(answer.body);
  const reported: unknown = text === "" ? null : JSON.parse(text);
  // Problems are compared without the request's own identifier.
  if (answer.status >= 400) delete (reported as { request_id?: string }).request_id;
  return { status: answer.status, reported };
}

/** Sends the request and returns the records whose due work then ran, as `Resource row`, in their order. */
export async function doneBy({ service, store, clock }: Opened, requested: HttpRequest) {
  const due = async () => {
    const all = await store.session.system.dueTimers(clock.now(), 1000);
    return new Set(all.map(({ resource, row }) => `${resource} ${row}`));
  };
  const before = await due();
  const answer = await request(service, requested);
  return { answer, done: [...before.difference(await due())].toSorted() };
}
