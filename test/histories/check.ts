/**
 * Judges a history: what clients have seen must be what they would have seen if all requests had
 * run one after another, each at some moment between its beginning and its answer. The log says in
 * which order writes have run. That isn't believed but used. If the resulting state explains every
 * response, in an order that no two requests contradict, the history is correct.
 */
import { isDeepStrictEqual } from "node:util";
import { beginning, type Operation, outcomeOf, type State } from "./spec.ts";

/** One request of a client, or several under one key. */
export interface Done {
  /** Also the idempotency key. */
  readonly op: string;
  readonly operation: Operation;
  readonly client: number;
  /** The position among all starts and ends of operations. */
  readonly began: number;
  /** The responses to concurrent requests under the same key. */
  readonly twins: readonly unknown[];
  /** Undefined if the outcome is unknown. */
  readonly answer?: { readonly ended: number; readonly status: number; readonly body: unknown };
}

export interface LogLine {
  readonly sequence: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface History {
  readonly done: readonly Done[];
  readonly log: readonly LogLine[];
  /** The events that each log reader received during the run. */
  readonly followed: readonly (readonly LogLine[])[];
  /** The content of the tables at the end. */
  readonly end: State;
}

export interface Anomaly {
  readonly invariant: string;
  readonly message: string;
  /** The operations involved. */
  readonly about: readonly string[];
}

/** A write at its position in the log. */
interface Placed {
  readonly done: Done;
  readonly lines: readonly LogLine[];
}

const reading: ReadonlySet<string> = new Set(["read", "read cell"]);

/** The first anomaly of a history; undefined if there is none. */
export function anomalyOf(history: History): Anomaly | undefined {
  const broken = logAnomaly(history);
  if (broken) return broken;
  const placed = placedWrites(history);
  if (!Array.isArray(placed)) return placed as Anomaly;
  const writes = placed as readonly Placed[];
  return (
    acknowledgedAnomaly(history, writes) ??
    twinAnomaly(history) ??
    orderAnomaly(writes) ??
    stateAnomaly(history, writes) ??
    readAnomaly(history, writes)
  );
}

/** The log's numbers have no gaps, and every reader has received the log's events. */
function logAnomaly({ log, followed }: History): Anomaly | undefined {
  const gap = log.find(({ sequence }, at) => sequence !== at + 1);
  if (gap)
    return { invariant: "log", message: `the log has a gap before ${gap.sequence}`, about: [opOf(gap)] };
  for (const lines of followed) {
    const at = lines.findIndex((line, place) => !isDeepStrictEqual(line, log[place]));
    if (at >= 0)
      return {
        invariant: "log",
        message: `a reader of the log was given ${JSON.stringify(lines[at])} in place ${at + 1}`,
        about: [opOf(lines[at] as LogLine)],
      };
  }
  return undefined;
}

function opOf(line: LogLine): string {
  return String(line.payload["op"]);
}

/** The writes in the order of the log: the events of each write are adjacent, and each write was requested. */
function placedWrites({ done, log }: History): readonly Placed[] | Anomaly {
  const requested = new Map(done.map((entry) => [entry.op, entry]));
  const groups: { op: string; lines: LogLine[] }[] = [];
  for (const line of log) {
    const last = groups.at(-1);
    if (last?.op === opOf(line)) last.lines.push(line);
    else groups.push({ op: opOf(line), lines: [line] });
  }
  const seen = new Set<string>();
  for (const { op } of groups) {
    if (!requested.has(op)) return { invariant: "log", message: `no client requested ${op}`, about: [op] };
    if (seen.has(op))
      return { invariant: "once", message: `${op} was done twice, or in pieces`, about: [op] };
    seen.add(op);
  }
  return groups.map(({ op, lines }) => ({ done: requested.get(op) as Done, lines }));
}

/** Every successful write is in the log. */
function acknowledgedAnomaly({ done }: History, writes: readonly Placed[]): Anomaly | undefined {
  const there = new Set(writes.map((write) => write.done.op));
  const lost = done.find(
    ({ op, operation, answer }) =>
      answer && answer.status < 300 && !reading.has(operation.does) && !there.has(op),
  );
  return (
    lost && { invariant: "durable", message: `${lost.op} was acknowledged and is lost`, about: [lost.op] }
  );
}

/** A client that requests a change twice under one key at once receives the same answer twice. */
function twinAnomaly({ done }: History): Anomaly | undefined {
  const unlike = done.find(
    ({ operation, twins }) =>
      !reading.has(operation.does) && twins.some((twin) => !isDeepStrictEqual(twin, twins[0])),
  );
  return (
    unlike && {
      invariant: "once",
      message: `${unlike.op} was answered in two ways: ${reported(unlike.twins)}`,
      about: [unlike.op],
    }
  );
}

/** If a write was answered before another was requested, it precedes it in the log. */
function orderAnomaly(writes: readonly Placed[]): Anomaly | undefined {
  let latest: Done | undefined;
  for (const { done } of writes) {
    if (latest && done.answer && done.answer.ended < latest.began)
      return {
        invariant: "real time",
        message: `${done.op} had been answered when ${latest.op} was requested, and follows it in the log`,
        about: [done.op, latest.op],
      };
    if (!latest || done.began > latest.began) latest = done;
  }
  return undefined;
}

/**
 * Each write starts from the state that earlier writes left; its response and its events agree with
 * the result.
 */
function stateAnomaly({ end }: History, writes: readonly Placed[]): Anomaly | undefined {
  let state = beginning;
  const before: string[] = [];
  for (const { done, lines } of writes) {
    const { status, body, changed = [], state: next } = outcomeOf(done.operation, done.op, state);
    const about = [...before.slice(-3), done.op];
    const invariant = "one after another";
    if (!next)
      return {
        invariant,
        message: `${done.op} was stored where ${status} had to be answered: ${reported(state)}`,
        about,
      };
    if (!isDeepStrictEqual(changed.map(sorted), lines.map(({ payload }) => payload).map(sorted)))
      return {
        invariant,
        message: `the events of ${done.op} say ${reported(lines)} instead of ${reported(changed)}`,
        about,
      };
    if (done.answer && !answers(done, status, body))
      return {
        invariant,
        message: `${done.op} was answered ${reported(done.answer)} instead of ${reported({ status, body })}`,
        about,
      };
    before.push(done.op);
    state = next;
  }
  return isDeepStrictEqual(state, end)
    ? undefined
    : {
        invariant: "whole",
        message: `the tables have ${reported(end)} instead of ${reported(state)}`,
        about: before.slice(-5),
      };
}

/**
 * Each read and each rejection was true at some moment between its start and its end, and not
 * before a state that was observed earlier.
 */
function readAnomaly({ done }: History, writes: readonly Placed[]): Anomaly | undefined {
  const states = [beginning];
  for (const { done: write } of writes)
    states.push(outcomeOf(write.operation, write.op, states.at(-1) as State).state as State);
  const stored = new Set(writes.map((write) => write.done.op));
  const seen: { ended: number; place: number }[] = writes.flatMap(({ done: write }, at) =>
    write.answer ? [{ ended: write.answer.ended, place: at + 1 }] : [],
  );
  for (const read of done.toSorted((a, b) => a.began - b.began)) {
    if (!read.answer || stored.has(read.op)) continue;
    const { ended } = read.answer;
    const least = Math.max(0, ...seen.filter((other) => other.ended < read.began).map(({ place }) => place));
    const behind = writes.findIndex(({ done: write }) => write.began > ended);
    const most = behind < 0 ? writes.length : behind;
    const place = placeOf(read, states, least, most);
    if (place === undefined) return unexplained(read, states, least, most, writes);
    seen.push({ ended, place });
  }
  return undefined;
}

/** The first state between two positions that explains the response. */
function placeOf(entry: Done, states: readonly State[], least: number, most: number): number | undefined {
  for (let at = least; at <= most; at += 1) {
    const { status, body } = outcomeOf(entry.operation, entry.op, states[at] as State);
    if (answers(entry, status, body)) return at;
  }
  return undefined;
}

function unexplained(
  read: Done,
  states: readonly State[],
  least: number,
  most: number,
  writes: readonly Placed[],
): Anomaly {
  const elsewhere = placeOf(read, states, 0, states.length - 1);
  const when =
    elsewhere === undefined ? "was never true" : elsewhere < least ? "was no longer true" : "wasn't true yet";
  return {
    invariant: "reads",
    message: `what ${read.op} was answered ${when}: ${reported(read.answer)}, where at its time it was ${reported(outcomeOf(read.operation, read.op, states[least] as State).body)}`,
    about: [
      ...writes
        .slice(Math.max(0, (elsewhere ?? least) - 1), Math.max(most, elsewhere ?? 0))
        .map(({ done }) => done.op)
        .slice(0, 6),
      read.op,
    ],
  };
}

/** The body of a rejection doesn't describe records. */
function answers({ answer }: Done, status: number, body: unknown): boolean {
  if (answer?.status !== status) return false;
  return status >= 400 || isDeepStrictEqual(answer.body, body);
}

function sorted(record: object): unknown {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function reported(value: unknown): string {
  return JSON.stringify(value);
}
