/** Event stream: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { CommittedSystem, LoggedEvent } from "../../store/store.ts";
import { silentLog } from "../ports.ts";
import { EventStream, type StreamReader } from "./event-stream.ts";
import type { StreamIds } from "./stream-ids.ts";
import { streamLimits } from "./stream-limits.ts";
import type { Streams } from "./streams.ts";
import { TaskQueue } from "./task-queue.ts";

const event = (sequence: number, type = "note.made"): LoggedEvent => ({
  id: `ev_${sequence}`,
  sequence,
  type,
  time: "2026-11-20T12:00:00.000Z",
  resource: "Note",
  row: sequence,
  subject: `${sequence}`,
  payload: "{}",
  record: null,
});

/**
 * Opens a stream of a log in memory, whose reader receives the number of each event except `quiet`
 * events. The stream has sent its opening text.
 */
async function serve(events: LoggedEvent[] = [], more: Partial<StreamReader> = {}) {
  const failures: string[] = [];
  const found = {
    after: async (sequence: number) => events.slice(sequence, sequence + streamLimits.batchMax),
  };
  const ids = {
    ofEvent: (loggedEvent: LoggedEvent) => loggedEvent.id,
    ofPosition: () => "place",
  } as unknown as StreamIds;
  const streams = {
    ids,
    log: { isThere: true, join: () => () => {}, after: (sequence: number) => found.after(sequence) },
    tasks: new TaskQueue(1),
    enter: () => () => {},
  } as unknown as Streams;
  const checked = { isStale: false, markRead() {}, become() {}, stop() {} };
  const place = { sequence: 0, tail: null, isResumed: false };
  const reader: StreamReader = {
    serialize: async ({ type, sequence }) => (type === "quiet" ? null : `${sequence}`),
    ends: ({ type }) => type === "last",
    check: async () => true,
    checked,
    isFinished: async () => false,
    start: async () => place,
    ...more,
  };
  const log = { ...silentLog, error: (_: object, words: string) => void failures.push(words) };
  const system = { eventsAfter: async () => [] } as unknown as CommittedSystem;
  const stream = new EventStream(reader, { streams, system, log, place });
  assert.match(String(await stream.next()), /^retry: /);
  return { stream, found, failures };
}

const sent = async (stream: EventStream) =>
  [...String(await stream.next()).matchAll(/data: (\d+)/g)].map(([, data]) => Number(data));

test("the existing events are sent in one chunk, up to the event that ends the stream", async () => {
  const { stream } = await serve([event(1), event(2, "quiet"), event(3), event(4, "last"), event(5)]);
  assert.deepEqual(await sent(stream), [1, 3, 4]);
  assert.equal(await stream.next(), null);
});

test("a stream does not wait for an event that arrived during a read", async () => {
  const events: LoggedEvent[] = [];
  const { stream, found } = await serve(events);
  const { after } = found;
  found.after = async (sequence) => {
    const nothing = await after(sequence);
    found.after = after;
    events.push(event(1));
    stream.wakeUp();
    return nothing;
  };
  assert.deepEqual(await sent(stream), [1]);
});

test("a stream without new events waits until it is woken or closed", async () => {
  const events: LoggedEvent[] = [];
  const { stream } = await serve(events);
  for (const sequence of [1, 2]) {
    const next = sent(stream);
    await new Promise((resolve) => setImmediate(resolve));
    events.push(event(sequence));
    stream.wakeUp();
    assert.deepEqual(await next, [sequence]);
  }
  const next = stream.next();
  await new Promise((resolve) => setImmediate(resolve));
  stream.close();
  assert.equal(await next, null);
  await stream.closed;
});

test("a log that fails ends the stream and is reported, unless the stream is closed", async () => {
  for (const isClosed of [false, true]) {
    const { stream, found, failures } = await serve();
    found.after = async () => {
      if (isClosed) stream.close();
      throw new Error("no");
    };
    assert.equal(await stream.next(), null);
    await stream.closed;
    assert.deepEqual(failures, isClosed ? [] : ["a stream of events failed"]);
  }
});

test("other tasks run while a stream reads a long log without an event for its reader", async () => {
  const batches = 20;
  const count = batches * streamLimits.batchMax;
  const { stream } = await serve(
    Array.from({ length: count }, (_, at) => event(at + 1, at + 1 === count ? "last" : "quiet")),
  );
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  assert.deepEqual(await sent(stream), [count]);
  isOver = true;
  assert.ok(turns >= batches - 2, `${turns} turns`);
});

test("a stream whose request would be rejected now ends before it reads anything more", async () => {
  let isStale = true;
  const over = {
    get isStale() {
      return isStale;
    },
    markRead() {
      isStale = false;
    },
    become() {},
    stop() {},
  };
  const { stream } = await serve([], { check: async () => false, over });
  assert.equal(await stream.next(), null);
  const beating = await serve([], { check: async () => false });
  beating.stream.heartbeat();
  assert.equal(await beating.stream.next(), null);
});
