/**
 * Stream hub: sends what topics push to the readers of `GET /api/stream`. It watches each topic of
 * each data space once for all readers. It batches the pushed rows: one frame per interval, with a
 * limited number of rows and the number of omitted ones. So the cost doesn't grow with the load of
 * the service. A reader that reconnects resumes at its position. The hub disconnects a reader that
 * is too far behind. When the watched service is replaced (a data space is reset, restored or
 * removed), its streams end. Their readers then reconnect and reload their data.
 */
import { randomUUID } from "node:crypto";
import type { Log } from "../../../engine/ports.ts";
import type { AdminContext, AdminSpace, Hub, Topic } from "../../context.ts";
import { OperationRefusal } from "../routing/refusal.ts";
import { every, machine } from "../../../support/machine.ts";

export const hubLimits = {
  /** The interval between two frames, in milliseconds. */
  frameMs: 100,
  /** The maximum number of rows of a topic in one frame. The latest rows are sent. */
  rowsMax: 50,
  /** The maximum number of concurrent streams. A browser needs one for all its tabs. */
  streamsMax: 8,
  /** The maximum backlog of a reader, in characters. */
  behindMax: 1024 * 1024,
  /**
   * The maximum number of frames, and of their characters, that a topic keeps for reconnecting
   * readers.
   */
  retainedFramesMax: 100,
  retainedCharactersMax: 256 * 1024,
  /**
   * How long a topic stays watched without readers, so that they can reconnect, in milliseconds.
   */
  lingerMs: 30_000,
  /** The interval of heartbeats, in milliseconds. Proxies close idle connections. */
  heartbeatMs: 15_000,
} as const;

interface Frame {
  readonly number: number;
  readonly text: string;
}

/** One topic of one data space, while it is watched. */
interface Channel {
  readonly topic: Topic;
  readonly readers: Set<Reader>;
  readonly retained: Frame[];
  retainedCharacters: number;
  /**
   * The number of the newest dropped frame; if none was dropped, the number before the first frame.
   */
  lostUpTo: number;
  pending: unknown[];
  leftOut: number;
  stopLingering: (() => void) | undefined;
  stop(): void;
}

/** The watched channels of one data space, by topic name. */
interface Watched {
  readonly channels: Map<string, Channel>;
  stop(): void;
}

interface Reader {
  take(text: string): void;
  end(): void;
}

export class StreamHub implements Hub {
  readonly #log: Log;
  readonly #epoch = randomUUID().slice(0, 8);
  readonly #spaces = new Map<AdminSpace, Watched>();
  readonly #waiting = new Set<Channel>();
  readonly #readers = new Set<Reader>();
  #number = 0;
  #flushedAt = 0;
  #flushing: (() => void) | undefined;
  #heartbeat: (() => void) | undefined;
  #isClosed = false;

  constructor(log: Log) {
    this.#log = log;
  }

  open({
    topics,
    space,
    admin,
    lastId,
    signal,
  }: {
    readonly topics: readonly Topic[];
    readonly space: AdminSpace;
    readonly admin: AdminContext;
    readonly lastId: string | undefined;
    readonly signal: AbortSignal;
  }): AsyncIterable<string> {
    if (this.#isClosed) throw new OperationRefusal(503, "Closing", "The service is stopping.");
    if (this.#readers.size >= hubLimits.streamsMax)
      throw new OperationRefusal(
        503,
        "Too many streams",
        `${hubLimits.streamsMax} streams are open already. Close one. All tabs of a browser can share one stream.`,
        { headers: [["Retry-After", "5"]] },
      );
    const read = topics.map((topic) => this.#channelOf(topic, space, admin));
    const { reader, text } = createReader(signal, () => this.#leave(reader, read));
    const lastNumber = lastId === undefined ? undefined : numberIn(lastId, this.#epoch);
    const missedChanges = lastNumber === undefined ? undefined : missedSince(read, lastNumber);
    reader.take(beginFrame(space, topics, missedChanges !== undefined));
    const initialFrames =
      missedChanges ?? read.flatMap(({ topic, retained }) => (topic.delivers === "latest" ? retained : []));
    for (const frame of initialFrames) reader.take(frame.text);
    this.#readers.add(reader);
    for (const channel of read) {
      channel.stopLingering?.();
      channel.stopLingering = undefined;
      channel.readers.add(reader);
    }
    this.#heartbeat ??= every(hubLimits.heartbeatMs, () => {
      for (const reader of this.#readers) reader.take(":\n\n");
    });
    return text;
  }

  close(): void {
    this.#isClosed = true;
    this.#flushing?.();
    for (const reader of [...this.#readers]) reader.end();
    for (const watched of [...this.#spaces.values()]) this.#end(watched);
  }

  #flush(): void {
    this.#flushing = undefined;
    this.#flushedAt = machine.elapsed();
    for (const channel of this.#waiting) {
      const text = frameText(channel, this.#log);
      this.#number += 1;
      const frame = { number: this.#number, text: `id: ${this.#epoch}.${this.#number}\n${text}` };
      retain(channel, frame);
      for (const reader of channel.readers) reader.take(frame.text);
    }
    this.#waiting.clear();
  }

  #push(channel: Channel, pushed: unknown): void {
    const { pending } = channel;
    if (channel.topic.delivers === "latest") pending.length = 0;
    pending.push(pushed);
    if (pending.length > hubLimits.rowsMax) {
      pending.shift();
      channel.leftOut += 1;
    }
    this.#waiting.add(channel);
    this.#flushing ??= machine.after(
      Math.max(0, this.#flushedAt + hubLimits.frameMs - machine.elapsed()),
      () => this.#flush(),
      true,
    );
  }

  #end({ channels }: Watched): void {
    // The end counts as a frame, so that a reader that had the last frame doesn't resume.
    this.#number += 1;
    for (const channel of [...channels.values()]) {
      for (const reader of [...channel.readers]) reader.end();
      channel.stop();
    }
  }

  #watchedOf(space: AdminSpace): Watched {
    const known = this.#spaces.get(space);
    if (known) return known;
    const stopListening = space.onReplaced(() => this.#end(watched));
    const watched: Watched = {
      channels: new Map(),
      stop: () => {
        stopListening();
        this.#spaces.delete(space);
      },
    };
    this.#spaces.set(space, watched);
    return watched;
  }

  #channelOf(topic: Topic, space: AdminSpace, admin: AdminContext): Channel {
    const watched = this.#watchedOf(space);
    const { channels } = watched;
    const known = channels.get(topic.name);
    if (known) return known;
    let stopTopic: (() => void) | undefined;
    const channel: Channel = {
      topic,
      readers: new Set(),
      retained: [],
      retainedCharacters: 0,
      lostUpTo: this.#number,
      pending: [],
      leftOut: 0,
      stopLingering: undefined,
      stop: () => {
        channel.stopLingering?.();
        this.#waiting.delete(channel);
        channels.delete(topic.name);
        if (channels.size === 0) watched.stop();
        stopTopic?.();
      },
    };
    channels.set(topic.name, channel);
    try {
      stopTopic = topic.start(space, (pushed) => this.#push(channel, pushed), admin);
    } catch (error) {
      channel.stop();
      throw error;
    }
    return channel;
  }

  #leave(reader: Reader, read: readonly Channel[]): void {
    this.#readers.delete(reader);
    for (const channel of read) {
      channel.readers.delete(reader);
      if (channel.readers.size > 0) continue;
      channel.stopLingering?.();
      if (this.#isClosed) channel.stop();
      else channel.stopLingering = machine.after(hubLimits.lingerMs, () => channel.stop(), true);
    }
    if (this.#readers.size > 0) return;
    this.#heartbeat?.();
    this.#heartbeat = undefined;
  }
}

/** The first frame of a stream. If the stream isn't resumed, its reader reloads its data. */
function beginFrame(space: AdminSpace, topics: readonly Topic[], isResumed: boolean): string {
  const payload = { space: space.name, topics: topics.map(({ name }) => name), resumed: isResumed };
  return `event: begin\ndata: ${JSON.stringify(payload)}\n\n`;
}

function frameText(channel: Channel, log: Log): string {
  const { topic, pending, leftOut } = channel;
  channel.pending = [];
  channel.leftOut = 0;
  let rows: readonly unknown[] = [];
  try {
    rows = pending.map((pushed) => topic.serialize(pushed));
  } catch (error) {
    log.error({ topic: topic.name, error: String(error) }, "a fault");
  }
  const payload = topic.delivers === "latest" ? { value: rows[0] ?? null } : { rows, left_out: leftOut };
  return `event: ${topic.name}\ndata: ${JSON.stringify(payload)}\n\n`;
}

function retain(channel: Channel, frame: Frame): void {
  const { retained, topic } = channel;
  if (topic.delivers === "latest") retained.length = 0;
  retained.push(frame);
  channel.retainedCharacters += frame.text.length;
  while (
    retained.length > hubLimits.retainedFramesMax ||
    (channel.retainedCharacters > hubLimits.retainedCharactersMax && retained.length > 1)
  ) {
    const dropped = retained.shift() as Frame;
    channel.retainedCharacters -= dropped.text.length;
    channel.lostUpTo = dropped.number;
  }
}

/** Parses the frame number of an id. Undefined if another hub sent the id. */
function numberIn(id: string, epoch: string): number | undefined {
  const [own, number] = id.split(".");
  return own === epoch && number !== undefined && /^\d{1,15}$/.test(number) ? Number(number) : undefined;
}

/** The frames after a number, in order; undefined if some were dropped. */
function missedSince(read: readonly Channel[], lastNumber: number): readonly Frame[] | undefined {
  if (read.some(({ topic, lostUpTo }) => topic.delivers === "rows" && lostUpTo > lastNumber))
    return undefined;
  return read
    .flatMap(({ retained }) => retained.filter((frame) => frame.number > lastNumber))
    .toSorted((a, b) => a.number - b.number);
}

/** Creates a text queue. The writer of the response reads all queued text in one piece. */
function createReader(
  signal: AbortSignal,
  left: () => void,
): { readonly reader: Reader; readonly text: AsyncIterable<string> } {
  let queue: string[] = [];
  let behind = 0;
  let isFinished = false;
  let resume: (() => void) | undefined;
  const reader: Reader = {
    take(text) {
      if (isFinished) return;
      queue.push(text);
      behind += text.length;
      if (behind > hubLimits.behindMax) reader.end();
      resume?.();
    },
    end() {
      if (isFinished) return;
      isFinished = true;
      signal.removeEventListener("abort", reader.end);
      left();
      resume?.();
    },
  };
  signal.addEventListener("abort", reader.end);
  return { reader, text: pieces() };

  async function* pieces(): AsyncGenerator<string> {
    try {
      for (;;) {
        if (queue.length > 0) {
          const piece = queue.join("");
          queue = [];
          behind = 0;
          yield piece;
        } else if (isFinished) return;
        else
          await new Promise<void>((resolve) => {
            resume = resolve;
          });
      }
    } finally {
      reader.end();
    }
  }
}
