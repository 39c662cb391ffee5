/**
 * A single record for operators: all its fields in full, its scheduled transitions, and its
 * history.
 */
import type { Value } from "../../expressions/value.ts";
import type { LogEntry } from "../../store/store.ts";
import type { Json } from "../../support/json.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { retentionTimer } from "../../store/timer-setting.ts";
import type { Service } from "../service.ts";
import { readIdentifier } from "./identifier.ts";
import { frameOf, preparedQuery } from "./prepared-queries.ts";
import { NoSuchRecord } from "./refusals.ts";
import {
  type OperatorRecord,
  operatorFieldsNode,
  operatorForm,
  operatorNode,
  toOperatorRecord,
} from "./operator-record.ts";

/**
 * Returns the key that a text identifies.
 * @throws NoSuchRecord
 */
export function parseKey({ internals: { context } }: Service, plan: ResourcePlan, identifier: string): Value {
  const key = readIdentifier(context, plan, identifier);
  if (key === undefined) throw noSuchRecord(plan, identifier);
  return key;
}

export function noSuchRecord({ name }: ResourcePlan, identifier: string): NoSuchRecord {
  return new NoSuchRecord(`There is no ${name} ${identifier.slice(0, 200)}.`);
}

/**
 * Reads the record with this key, deleted or not, without truncation; undefined if there is none.
 */
export async function findOperatorRecord(
  service: Service,
  plan: ResourcePlan,
  key: Value,
): Promise<OperatorRecord | undefined> {
  const { context } = service.internals;
  const query = preparedQuery(service, `one ${plan.name}`, () =>
    context.store.prepareShaped(
      { resource: plan.name, where: [plan.identifierEquals()], order: [], includesDeleted: true },
      operatorNode(context, plan),
      operatorForm,
    ),
  );
  const [row] = await context.store.session.shaped(query, frameOf(service, { identifier: key }));
  return row && toOperatorRecord(plan, row);
}

/**
 * Reads a record for an operator.
 * @throws NoSuchRecord
 */
export async function readOperatorRecord(
  service: Service,
  resource: string,
  identifier: string,
): Promise<OperatorRecord> {
  const plan = service.internals.context.resource(resource);
  const seen = await findOperatorRecord(service, plan, parseKey(service, plan, identifier));
  if (!seen) throw noSuchRecord(plan, identifier);
  return seen;
}

/** Returns the same fields in the format of the document's responses: its timestamps, its nulls. */
export async function readRepresentation(
  service: Service,
  resource: string,
  identifier: string,
): Promise<Json> {
  const { context } = service.internals;
  const plan = context.resource(resource);
  const query = preparedQuery(service, `shown ${resource}`, () =>
    context.store.prepareShaped(
      { resource, where: [plan.identifierEquals()], order: [], includesDeleted: true },
      operatorFieldsNode(plan),
      context.wire,
    ),
  );
  const frame = frameOf(service, { identifier: parseKey(service, plan, identifier) });
  const [row] = await context.store.session.shaped(query, frame);
  return row ? (JSON.parse(row.json) as Json) : null;
}

/** A scheduled change of a record. */
export interface DueTime {
  /** Null if the record is deleted at that time (`Kept`). */
  readonly transition: string | null;
  readonly at: string;
  /** The number of failed attempts. */
  readonly failures: number;
}

/**
 * Maximum number of timers read. A record has at most as many timers as its resource has timed
 * ends.
 */
const timersMax = 200;

export async function dueTimes(
  { internals }: Service,
  resource: string,
  row: number,
): Promise<readonly DueTime[]> {
  const { system } = internals.context.store.session;
  const timers = await system.dueTimers(Number.MAX_SAFE_INTEGER, timersMax, resource, row);
  return timers.map(({ transition, dueAt, failures }) => ({
    transition: transition === retentionTimer ? null : transition,
    at: new Date(dueAt).toISOString(),
    failures,
  }));
}

export interface History {
  /** Newest first, without payloads, which may contain more than the operator may see. */
  readonly events: readonly Pick<LogEntry, "sequence" | "id" | "type" | "time">[];
  /** The cursor: there may be further events before this sequence. */
  readonly before?: number;
}

const historyPage = 50;
/** Number of events read at once, about 5 ms; other requests run in between. */
const batchLength = 20_000;
/** Maximum time to search the log for one response, in milliseconds. */
const searchMs = 200;

/**
 * Returns the events of a record that the log still has. An index by record would raise the cost of
 * storing an event from 7 to 44 µs (measured). So this searches the log from the newest event for a
 * short time. The client requests more with `from`.
 */
export async function historyOf(
  { internals }: Service,
  resource: string,
  row: number,
  from?: number,
): Promise<History> {
  const { ports, store } = internals.context;
  const { system } = store.session;
  const clock = ports.machine ?? ports.clock;
  const { first, last } = await system.logSpan();
  if (first === null) return { events: [] };
  const startedAt = clock.now();
  const found: LogEntry[] = [];
  let before = Math.min(from ?? Number.POSITIVE_INFINITY, last + 1);
  while (before > first && found.length <= historyPage && clock.now() - startedAt < searchMs) {
    const after = before - batchLength - 1;
    const stretch = { after, before };
    found.push(...(await system.logOfRecord({ resource, row }, stretch, historyPage + 1 - found.length)));
    before = after + 1;
    await new Promise((resolve) => setImmediate(resolve));
  }
  const events = found
    .slice(0, historyPage)
    .map(({ sequence, id, type, time }) => ({ sequence, id, type, time }));
  if (found.length > historyPage)
    return { events, before: (events.at(-1) as (typeof events)[number]).sequence };
  return { events, ...(before > first ? { before } : {}) };
}
