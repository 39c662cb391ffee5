/**
 * The event stream, shared by all tabs of a data space, because a browser limits its connections to
 * one origin. The tab that holds the lock reads the stream and forwards each frame to the others. A
 * hidden tab subscribes to nothing and never holds the lock, because browsers freeze it. When it is
 * visible again it resumes after its last frame, or receives `begin` and fetches anew.
 */
import { type Signal, state } from "../state.ts";
import { authorization, queryText } from "./call.ts";
import { createEventReader } from "./event-reader.ts";
import { space } from "./space.ts";
import { isTokenRejected, token } from "./token.ts";

/** What the listener of a topic receives. */
export type Frame =
  /** Sent first, and after missed frames: the listener fetches its data again. */
  | { readonly kind: "begin" }
  | { readonly kind: "rows"; readonly rows: readonly unknown[]; readonly leftOut: number }
  /** Replaces the previous value. */
  | { readonly kind: "value"; readonly value: unknown };

/** A message between tabs. */
type Note =
  | { readonly kind: "frame"; readonly topic: string; readonly frame: Frame; readonly id: string | undefined }
  | { readonly kind: "is"; readonly state: StreamState }
  /** The topics that a tab shows; empty when the tab is closed or hidden. */
  | { readonly kind: "wants"; readonly tab: string; readonly topics: readonly string[] }
  /** A new leader requests the topics of all tabs. */
  | { readonly kind: "who" };

export type StreamState = "paused" | "reconnecting" | "live";

/** The backoff between two attempts, in milliseconds, doubled up to the maximum. */
const waitMsMin = 500;
const waitMsMax = 15_000;
/** A stream sends something at least every 15 seconds; a silent one is lost. */
const silenceMsMax = 40_000;

const tab = crypto.randomUUID();
const listeners = new Map<string, Set<(frame: Frame) => void>>();
const currentState = state<StreamState>("paused");
/** For the chip: whether the page is current or may be behind. */
export const streamState: Signal<StreamState> = currentState;

const localTopics = state<readonly string[]>([]);
const isVisible = state(!document.hidden);
/** The last frame that this tab received. */
let lastId: string | undefined;
let lastIdOf: string | undefined;

document.addEventListener("visibilitychange", () => {
  isVisible.value = !document.hidden;
});

/** Listens to a topic; the returned function stops it. */
export function listen(topic: string, listener: (frame: Frame) => void): () => void {
  const topicListeners = listeners.get(topic) ?? new Set();
  listeners.set(topic, topicListeners);
  topicListeners.add(listener);
  reportTopics();
  return () => {
    topicListeners.delete(listener);
    if (topicListeners.size === 0) listeners.delete(topic);
    reportTopics();
  };
}

function reportTopics(): void {
  const topics = [...listeners.keys()].sort();
  if (topics.join() !== localTopics.value.join()) localTopics.value = topics;
}

function publish(topic: string, frame: Frame): void {
  for (const [name, topicListeners] of listeners) {
    if (topic !== name && topic !== "*") continue;
    for (const listener of [...topicListeners]) listener(frame);
  }
}

/** Joins the tabs of the selected data space, and follows its changes. Called once. */
export function startStream(): void {
  let joinedSession: string | undefined;
  let leave: (() => void) | undefined;
  const joinOrLeave = () => {
    const isActive = isVisible.value && token.value !== undefined && !isTokenRejected.value;
    const session = isActive ? JSON.stringify([token.value, space.value]) : undefined;
    if (session === joinedSession) return;
    joinedSession = session;
    leave?.();
    leave = isActive ? join(space.value) : undefined;
    if (!isActive) currentState.value = "paused";
  };
  for (const source of [space, isVisible, token, isTokenRejected]) source.subscribe(joinOrLeave);
  joinOrLeave();
}

function join(of: string | undefined): () => void {
  const name = `ninefold.stream ${of ?? ""}`;
  if (lastIdOf !== name) lastId = undefined;
  lastIdOf = name;
  const channel = new BroadcastChannel(name);
  const topicsByTab = new Map<string, readonly string[]>();
  const membership = new AbortController();
  const topics = state<readonly string[]>([]);
  currentState.value = "reconnecting";

  const post = (note: Note) => channel.postMessage(note);
  const mergeTopics = () => {
    const all = [...new Set([...topicsByTab.values()].flat())].sort();
    if (all.join() !== topics.value.join()) topics.value = all;
  };
  channel.onmessage = ({ data: note }: MessageEvent<Note>) => {
    if (note.kind === "frame") {
      if (note.id !== undefined) lastId = note.id;
      publish(note.topic, note.frame);
    } else if (note.kind === "is") currentState.value = note.state;
    else if (note.kind === "who") post({ kind: "wants", tab, topics: localTopics.value });
    else {
      topicsByTab.set(note.tab, note.topics);
      mergeTopics();
      // A tab that has just joined receives the stream's state at once.
      if (isLeading) post({ kind: "is", state: currentState.value });
    }
  };
  const reportOwnTopics = () => {
    topicsByTab.set(tab, localTopics.value);
    mergeTopics();
    post({ kind: "wants", tab, topics: localTopics.value });
  };
  const stopReporting = localTopics.subscribe(reportOwnTopics);
  reportOwnTopics();

  let isLeading = false;
  const lead = async () => {
    isLeading = true;
    post({ kind: "who" });
    const reportState = (now: StreamState) => {
      currentState.value = now;
      post({ kind: "is", state: now });
    };
    const share = (topic: string, frame: Frame, id: string | undefined) => {
      if (id !== undefined) lastId = id;
      publish(topic, frame);
      post({ kind: "frame", topic, frame, id });
    };
    await read(of, topics, membership.signal, reportState, share);
  };
  navigator.locks
    .request(name, { signal: membership.signal }, lead)
    // This tab has left, so it no longer waits for the lock.
    .catch((error: unknown) => {
      if (!membership.signal.aborted) throw error;
    });

  return () => {
    stopReporting();
    post({ kind: "wants", tab, topics: [] });
    membership.abort();
    channel.close();
  };
}

/**
 * Reads the stream of these topics until `stop` is aborted, and reopens it when the topics change
 * or the connection is lost.
 */
async function read(
  of: string | undefined,
  topics: Signal<readonly string[]>,
  stop: AbortSignal,
  say: (state: StreamState) => void,
  share: (topic: string, frame: Frame, id: string | undefined) => void,
): Promise<void> {
  let waitMs = waitMsMin;
  while (!stop.aborted) {
    const readTopics = topics.value;
    const restart = new AbortController();
    const unsubscribe = topics.subscribe(() => {
      if (topics.value !== readTopics) restart.abort();
    });
    const signals = AbortSignal.any([stop, restart.signal]);
    try {
      if (readTopics.length === 0) await pause(Number.POSITIVE_INFINITY, signals);
      else {
        await readOnce(of, readTopics, signals, share, () => {
          waitMs = waitMsMin;
          say("live");
        });
        // The server closed the stream.
        throw new Error("over");
      }
    } catch {
      if (stop.aborted) return;
      if (!restart.signal.aborted) {
        say("reconnecting");
        await pause(waitMs * (0.75 + Math.random() / 2), signals).catch(() => {});
        waitMs = Math.min(waitMsMax, waitMs * 2);
      }
    } finally {
      unsubscribe();
    }
  }
}

async function readOnce(
  of: string | undefined,
  topics: readonly string[],
  stop: AbortSignal,
  share: (topic: string, frame: Frame, id: string | undefined) => void,
  isOpen: () => void,
): Promise<void> {
  const silent = new AbortController();
  let alarm = setTimeout(() => silent.abort(), silenceMsMax);
  const response = await fetch(`/api/stream${queryText({ topics: topics.join(","), space: of })}`, {
    headers: { ...authorization(), ...(lastId === undefined ? {} : { "Last-Event-ID": lastId }) },
    signal: AbortSignal.any([stop, silent.signal]),
  });
  if (response.status === 401 || response.status === 403) isTokenRejected.value = true;
  if (!response.ok || !response.body) throw new Error(String(response.status));
  const readPiece = createEventReader(({ name, id, text }) => {
    const update = JSON.parse(text) as Update;
    if (name === "begin") {
      isOpen();
      if (update.resumed !== true) share("*", { kind: "begin" }, undefined);
    } else if (update.rows)
      share(name, { kind: "rows", rows: update.rows, leftOut: update.left_out ?? 0 }, id);
    else share(name, { kind: "value", value: update.value }, id);
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      clearTimeout(alarm);
      alarm = setTimeout(() => silent.abort(), silenceMsMax);
      readPiece(value);
    }
  } finally {
    clearTimeout(alarm);
  }
}

interface Update {
  readonly resumed?: boolean;
  readonly rows?: readonly unknown[];
  readonly left_out?: number;
  readonly value?: unknown;
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (stop.aborted) reject(stop.reason);
    stop.addEventListener("abort", () => reject(stop.reason), { once: true });
    if (ms !== Number.POSITIVE_INFINITY) setTimeout(resolve, ms);
  });
}
