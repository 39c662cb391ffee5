/**
 * Stream plan (`Does: stream`, part 4): server-sent events from the log. It decides what an
 * endpoint sends to each reader (`Sends`), from which position (`Starts`) and until when (`Ends`).
 * `event-stream.ts` reads the log for one stream.
 */
import type { Expression } from "../../expressions/node.ts";
import { readsName, readsResource } from "../../expressions/analysis/reads.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Endpoint, EventRow, StreamItems } from "../../model/model.ts";
import { pathGuards } from "../../model/endpoints/path-guards.ts";
import type { LoggedEvent } from "../../store/store.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import type { HeaderLine, StreamedBody } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createJsonWriter } from "../evaluation/json-writer.ts";
import { planRecordByRow } from "../records/record-by-row.ts";
import {
  createEvaluationContext,
  type Evaluate,
  type EvaluationContext,
  setRecord,
  tagRecords,
} from "../evaluation/context.ts";
import { planAnswerHeaders, setHeader, type SetHeaders } from "../steps/answer-headers.ts";
import { EventStream, type StreamReader } from "./event-stream.ts";
import {
  type ReadFields,
  planDecidingFields,
  planReadFields,
  readSnapshot,
} from "../events/record-snapshot.ts";
import { type StreamPosition, positionOf, startPosition } from "./stream-position.ts";
import { callerResources, type Reads, readsOf, watchedRows } from "./reads.ts";
import type { Streams } from "./streams.ts";

/**
 * Repeats all checks of the request on the present data.
 * @throws Problem
 */
export type RepeatRead = (request: RequestContext) => Promise<RequestContext>;

/** Opens the stream of a request after all its checks, and after its changes are committed. */
export type OpenStream = (request: RequestContext) => Promise<Answer>;

interface Send {
  readonly events: ReadonlySet<string>;
  readonly when?: Evaluate;
  readonly as?: (evaluation: EvaluationContext) => string | Promise<string>;
  /**
   * Whether the event's records belong to several resources, and each record names its resource.
   */
  readonly distinguishes: boolean;
  readonly readsPayload: boolean;
}

/**
 * @param standard the version of payloads, which is that of `Default` (decision "The version of
 * events"), whatever version the reader uses
 */
export function planStream(
  context: PlanContext,
  standard: PlanContext,
  endpoint: Endpoint,
  streams: Streams,
  again: RepeatRead,
): OpenStream {
  const items = endpoint.stream as StreamItems;
  const sendEvent = planSend(standard, items.sends);
  const { starts } = items;
  const start = typeof starts === "object" ? evaluateOf(context, starts) : undefined;
  const setHeaders = planAnswerHeaders(context, endpoint);
  const open = planOpen(context, endpoint, items, streams, { again, send: sendEvent });
  return async (request) => {
    const { evaluation } = request;
    const startValue = start ? await start(evaluation) : starts === "beginning" ? 0 : null;
    const lines = await linesOf(setHeaders, evaluation);
    if (request.request.method === "HEAD") return { status: 200, headers: lines, body: "", stream: nothing };
    const sources = { log: context.store.session.system, ids: streams.ids };
    const place = await positionOf(request.headers["last-event-id"] || undefined, startValue, sources);
    const { stream, isFinished, hasReceivedLast } = await open(request, place, () =>
      startPosition(startValue, sources),
    );
    if (hasReceivedLast) stream.close();
    if (!isFinished) return { status: 200, headers: lines, body: "", stream: bodyOf(stream, request) };
    // The stream is finished already. The reader receives the events that it missed. If it missed
    // none, a 204 stops it from reconnecting.
    stream.endsNow();
    const first = await stream.next();
    if (first === null) return { status: 204, headers: [], body: "" };
    return { status: 200, headers: lines, body: "", stream: bodyOf(stream, request, first) };
  };
}

/** Returns the content of an event for a reader; null if the reader does not receive it. */
type SendEvent = (event: LoggedEvent, evaluation: EvaluationContext) => Promise<string | null>;

function planSend(context: PlanContext, items: StreamItems["sends"]): SendEvent {
  const sends = items.map(({ events, when, as, isText }): Send => {
    const nodes = [when?.node, as?.node].filter((node) => node !== undefined);
    return {
      events: new Set(events),
      ...(when ? { when: evaluateOf(context, when) } : {}),
      ...(as ? { as: isText ? createTextWriter(context, as) : createJsonWriter(context, as.node) } : {}),
      distinguishes: nodes.some((node) => readsResource(node, context.meaning)),
      readsPayload: nodes.some((node) =>
        readsName(node, { name: "event", member: "payload" }, context.meaning),
      ),
    };
  });
  const visibles = new Map<string, Evaluate>(
    context.model.resources.flatMap(({ name, visible }) =>
      visible ? [[name, evaluateOf(context, visible)] as const] : [],
    ),
  );
  const requested = planReadFields(context);
  const subjectOf = planSubject(context, requested, planDecidingFields(context, items));
  const rows = new Map<string, EventRow>(context.model.events.events.map((row) => [row.name, row]));
  return async (event, evaluation) => {
    const fitting = sends.filter((sentEvent) => sentEvent.events.has(event.type));
    if (fitting.length === 0 || !rows.has(event.type)) return null;
    const record = await subjectOf(event, evaluation);
    if (record === undefined) return null;
    const inner = createEvaluationContext(evaluation.work, { ...evaluation.frame, old: null, locals: [] });
    setRecord(inner, "this", event.resource, record);
    // Part 2, Visible: a reader must not learn of a record that it may not see.
    const visible = visibles.get(event.resource);
    if (visible && (await visible(inner)) !== true) return null;
    for (const send of fitting) {
      if (send.distinguishes) tagRecords(inner);
      inner.frame.event = eventValue(event, send.readsPayload);
      if (send.when && (await send.when(inner)) !== true) continue;
      return send.as ? send.as(inner) : event.payload;
    }
    return null;
  };
}

/**
 * Creates a writer for `as text`, which sends the text unchanged, such as the word with which a
 * service ends its streams.
 */
function createTextWriter(
  context: PlanContext,
  reports: Expression,
): (evaluation: EvaluationContext) => Promise<string> {
  const evaluate = evaluateOf(context, reports);
  return async (evaluation) => String((await evaluate(evaluation)) ?? "");
}

/**
 * Returns the record in the state after the event. Undefined if the document no longer has its
 * resource, or if a condition reads a value that is unknown. A stored change makes values unknown,
 * and so does a record that was deleted before the document read the field.
 */
function planSubject(
  context: PlanContext,
  requested: ReadFields,
  deciding: ReadFields,
): (event: LoggedEvent, evaluation: EvaluationContext) => Promise<RecordValue | null | undefined> {
  const byRow = planRecordByRow(context);
  const resources = new Set(context.model.resources.map((resource) => resource.name));
  return async ({ type, resource, row, record }, evaluation) => {
    // A `send` effect without a current record has no resource.
    if (resource === "") return null;
    if (!resources.has(resource)) return undefined;
    const fields = requested(type, resource);
    if (fields.size === 0) return null;
    const kept = readSnapshot(record, row, fields);
    if (kept.isWhole) return kept.record;
    const read = deciding(type, resource);
    if (kept.unknown.some((name) => read.has(name))) return undefined;
    // The document read fewer fields when the log was written. A missing field has its present
    // value.
    const now = await byRow(resource, row, evaluation.work.session, evaluation.frame);
    if (!now && [...read].some((name) => !(name in kept.record))) return undefined;
    // Of a deleted record, the snapshot is all that is left.
    const rest =
      now ?? (kept.unknown.length > 0 ? Object.fromEntries([...fields].map((name) => [name, null])) : null);
    return rest && Object.assign(Object.create(null), rest, kept.record);
  };
}

function eventValue(
  { id, type, time, subject, sequence, payload }: LoggedEvent,
  withPayload: boolean,
): Value {
  return {
    id,
    type,
    time,
    subject,
    sequence,
    payload: withPayload ? (JSON.parse(payload) as Value) : null,
  };
}

interface Opened {
  readonly stream: EventStream;
  /**
   * Whether the reader has received the event that ended its stream. It receives no later event.
   */
  readonly hasReceivedLast: boolean;
  readonly isFinished: boolean;
}

function planOpen(
  context: PlanContext,
  endpoint: Endpoint,
  items: StreamItems,
  streams: Streams,
  { again, send: sendEvent }: { readonly again: RepeatRead; readonly send: SendEvent },
): (request: RequestContext, place: StreamPosition, start: () => Promise<StreamPosition>) => Promise<Opened> {
  const { ports, model, store } = context;
  const afters = new Set(items.ends.flatMap((end) => ("after" in end ? [end.after] : [])));
  const whens = items.ends.flatMap((end) => ("when" in end ? [end.when] : []));
  const conditions = whens.map((when) => evaluateOf(context, when));
  const checkReads = readsOfChecks(context, endpoint);
  const overReads = readsOf(
    whens.map((when) => when.node),
    context.meaning,
  );
  const callers = callerResources(model);
  const isTrue = async (evaluation: EvaluationContext) => {
    for (const condition of conditions) if ((await condition(evaluation)) === true) return true;
    return false;
  };
  return async (request, place, start) => {
    let { evaluation } = request;
    const onChange = () => stream.wakeUp();
    const checked = streams.changes.watch(watchedRows(checkReads, evaluation, callers), () => {});
    const over =
      conditions.length === 0
        ? undefined
        : streams.changes.watch(watchedRows(overReads, evaluation, callers), onChange);
    const reader: StreamReader = {
      serialize: (event) => sendEvent(event, evaluation),
      ends: (event) => afters.has(event.type),
      async check() {
        checked.markRead();
        try {
          evaluation = (await again(request)).evaluation;
        } catch (error) {
          ports.log.info(
            { request: request.id, error: String(error) },
            "a stream ended: its request would be rejected now",
          );
          return false;
        }
        checked.become(watchedRows(checkReads, evaluation, callers));
        over?.become(watchedRows(overReads, evaluation, callers));
        return true;
      },
      checked,
      isFinished: () => isTrue(evaluation),
      ...(over ? { over } : {}),
      start,
    };
    let stream: EventStream;
    try {
      stream = new EventStream(reader, { streams, system: store.session.system, log: ports.log, place });
    } catch (error) {
      checked.stop();
      over?.stop();
      throw error;
    }
    const { seen } = place;
    const hasReceivedLast =
      seen !== undefined && afters.has(seen.type) && (await sendEvent(seen, evaluation)) !== null;
    return {
      stream,
      hasReceivedLast,
      isFinished: hasReceivedLast || (await isTrue(evaluation)),
    };
  };
}

/**
 * Returns the reads that decide whether the request is still allowed: the caller, the records of
 * the path, and their conditions.
 */
function readsOfChecks({ meaning, model }: PlanContext, endpoint: Endpoint): Reads {
  const nodes = [
    ...endpoint.records.flatMap(({ resource, where, allowed, fails }) => [
      ...where.map((expression) => expression.node),
      ...conditionsOf(allowed),
      ...fails.map((failRule) => failRule.when.node),
      ...model.resources.flatMap((item) =>
        item.name === resource && item.visible ? [item.visible.node] : [],
      ),
    ]),
    ...conditionsOf(endpoint.allowed),
    ...pathGuards(endpoint).flatMap(({ fails }) => fails.map((failRule) => failRule.when.node)),
    ...model.authentication.schemes.flatMap((scheme) => (scheme.caller ? [scheme.caller.node] : [])),
  ];
  const { names, resources } = readsOf(nodes, meaning);
  const atHand = endpoint.records.map((record) => record.name);
  return { names: new Set([...names, "caller", "credential", ...atHand]), resources };
}

function conditionsOf(allowed: Endpoint["allowed"]) {
  return allowed.flatMap((rule) => (rule.kind === "condition" ? [rule.condition.node] : []));
}

async function linesOf(
  setHeaders: SetHeaders | undefined,
  evaluation: EvaluationContext,
): Promise<HeaderLine[]> {
  const lines: HeaderLine[] = [
    ["Cache-Control", "no-store"],
    // A buffering proxy would delay events until its buffer is full.
    ["X-Accel-Buffering", "no"],
  ];
  await setHeaders?.(evaluation, lines);
  setHeader(lines, "Content-Type", "text/event-stream");
  return lines;
}

const nothing: StreamedBody = {
  closed: Promise.resolve(),
  async *[Symbol.asyncIterator]() {},
};

function bodyOf(stream: EventStream, { request }: RequestContext, first?: string): StreamedBody {
  let pendingChunk = first;
  if (request.signal.aborted) stream.close();
  else request.signal.addEventListener("abort", () => stream.close(), { once: true });
  return {
    closed: stream.closed,
    [Symbol.asyncIterator]: () => ({
      async next() {
        const value = pendingChunk ?? (await stream.next());
        pendingChunk = undefined;
        return value === null ? { done: true, value: undefined } : { done: false, value };
      },
      async return() {
        stream.close();
        return { done: true, value: undefined };
      },
    }),
  };
}
