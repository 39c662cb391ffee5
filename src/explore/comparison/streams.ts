/**
 * Stream verification: reads streams of the service and of both runs of the reference while a story
 * goes on, and compares the events that followed. Then it continues each stream after one of its
 * events, as a client whose connection was cut.
 */
import { readBlocks, type StreamBlock } from "../../verify/event-stream.ts";
import type { ReceivedResponse, SentRequest } from "../../verify/scenario-failure.ts";
import { machine } from "../../support/machine.ts";
import type { Difference } from "./compare-responses.ts";
import type { Implementation, OpenedStream } from "./implementation.ts";

/** The time in which the events of the service must arrive, in milliseconds. */
const arrivalMsMax = 5_000;
/** The time without an event after which the reference has sent all, in milliseconds. */
const quietMs = 40;
/** The time in which a stream shows its first position, in milliseconds. */
const positionMsMax = 1_000;
const textBytesMax = 4 * 1024 * 1024;

/** What was read of one stream. */
export interface StreamContent {
  readonly status: number;
  readonly headers: ReceivedResponse["headers"];
  /** The body so far. */
  readonly text: string;
  readonly blocks: readonly StreamBlock[];
  readonly isEnded: boolean;
}

/** Reads one stream until it is closed. */
class StreamReading {
  readonly #opened: OpenedStream;
  readonly #listeners = new Set<() => void>();
  #text = "";
  #isEnded = false;

  constructor(opened: OpenedStream) {
    this.#opened = opened;
    void this.#read();
  }

  get content(): StreamContent {
    const { status, headers } = this.#opened;
    const blocks = readBlocks(wholeBlocks(this.#text));
    return { status, headers, text: this.#text, blocks, isEnded: this.#isEnded };
  }

  /** Waits until enough arrived, for at most this time. */
  until(isEnough: (content: StreamContent) => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#listeners.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isEnough(this.content)) end();
      };
      const cancel = machine.after(withinMs, end);
      this.#listeners.add(look);
      look();
    });
  }

  /** Waits until nothing arrived for a while. */
  async quiet(): Promise<void> {
    for (let length = -1; length !== this.#text.length; ) {
      length = this.#text.length;
      await this.until(() => this.#text.length > length, quietMs);
    }
  }

  close(): void {
    this.#opened.close();
  }

  async #read(): Promise<void> {
    try {
      const decoder = new TextDecoder();
      for await (const piece of this.#opened.pieces) {
        this.#text += typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
        for (const listener of this.#listeners) listener();
        if (this.#text.length > textBytesMax) this.close();
      }
    } catch {
      // The connection was closed, by this reader or by the service.
    }
    this.#isEnded = true;
    for (const listener of this.#listeners) listener();
  }
}

/** The text without an incomplete block at its end. */
function wholeBlocks(text: string): string {
  const plain = text.replaceAll(/\r\n?/g, "\n");
  return plain.slice(0, plain.lastIndexOf("\n\n") + 2);
}

/** Blocks with an event, without those that only have a position. */
export function eventsOf({ blocks }: StreamContent): readonly StreamBlock[] {
  return blocks.filter(({ data }) => data !== undefined);
}

/** The position before the event with this index, to continue there. */
function positionBefore({ blocks }: StreamContent, index: number): string | undefined {
  let events = 0;
  let position: string | undefined;
  for (const { id, data } of blocks) {
    if (events === index && data !== undefined) break;
    if (id !== undefined) position = id;
    if (data !== undefined) events += 1;
  }
  return position;
}

/** Something of each implementation: of both runs of the reference, and of the service. */
export interface Triple<T> {
  readonly first: T;
  readonly second: T;
  readonly observed: T;
}

/** What was read of the three streams, and of those that continue after one of the events. */
export interface ObservedStreams {
  readonly whole: Triple<StreamContent>;
  /** Whether it was read before time passed, so later events don't count. */
  readonly isCut: boolean;
  /** Undefined if no event has a position before it. */
  readonly continued: Triple<StreamContent> | undefined;
}

type Implementations = Triple<Pick<Implementation, "open">>;

/** The streams of one endpoint, opened at each implementation with the same request. */
export class OpenStreams {
  readonly #implementations: Implementations;
  readonly #requests: Triple<SentRequest>;
  readonly #readings: Triple<StreamReading>;
  #cut: Triple<StreamContent> | undefined;
  #isLeft = false;

  private constructor(
    implementations: Implementations,
    requests: Triple<SentRequest>,
    readings: Triple<StreamReading>,
  ) {
    this.#implementations = implementations;
    this.#requests = requests;
    this.#readings = readings;
  }

  /** @throws ServiceFailed if the service doesn't answer */
  static async open(implementations: Implementations, requests: Triple<SentRequest>): Promise<OpenStreams> {
    const first = new StreamReading(await implementations.first.open(requests.first));
    const second = new StreamReading(await implementations.second.open(requests.second));
    const observed = new StreamReading(await implementations.observed.open(requests.observed));
    const streams = new OpenStreams(implementations, requests, { first, second, observed });
    // The reference shows the position at which a stream starts, before its first event.
    const hasPosition = ({ blocks, isEnded }: StreamContent) => isEnded || blocks.length > 0;
    for (const reading of [first, second]) await reading.until(hasPosition, positionMsMax);
    const { blocks, isEnded } = first.content;
    // A rejection ends at once.
    if (isEnded) await observed.until((content) => content.isEnded, arrivalMsMax);
    else if (blocks.length > 0) await observed.until(hasPosition, positionMsMax);
    return streams;
  }

  get opened(): Triple<StreamContent> {
    const { first, second, observed } = this.#readings;
    return { first: first.content, second: second.content, observed: observed.content };
  }

  /** Reads the events so far. Later ones don't count. */
  async cut(): Promise<void> {
    this.#cut ??= await readAll(this.#readings);
  }

  /** Compares nothing of these streams. */
  leave(): void {
    this.#isLeft = true;
  }

  /**
   * Waits for the events of the story, and continues after one of them. Undefined if nothing is
   * compared.
   */
  async read(): Promise<ObservedStreams | undefined> {
    if (this.#isLeft) return undefined;
    if (this.#cut) return { whole: this.#cut, isCut: true, continued: undefined };
    const whole = await readAll(this.#readings);
    const events = eventsOf(whole.first).length;
    const after = Math.floor(events / 2);
    const positions = {
      first: positionBefore(whole.first, after),
      second: positionBefore(whole.second, after),
      observed: positionBefore(whole.observed, after),
    };
    const { first, second, observed } = positions;
    if (events === 0 || first === undefined || second === undefined || observed === undefined)
      return { whole, isCut: false, continued: undefined };
    const requests = {
      first: continuing(this.#requests.first, first),
      second: continuing(this.#requests.second, second),
      observed: continuing(this.#requests.observed, observed),
    };
    const again = await OpenStreams.open(this.#implementations, requests);
    try {
      return { whole, isCut: false, continued: await readAll(again.#readings) };
    } finally {
      again.close();
    }
  }

  close(): void {
    for (const reading of Object.values(this.#readings)) reading.close();
  }
}

function continuing(request: SentRequest, position: string): SentRequest {
  return { ...request, headers: [...request.headers, ["Last-Event-ID", position]] };
}

/**
 * Waits until the reference has sent all, and the service as many events. If the service has sent
 * more, the reference gets the same time to send them.
 */
async function readAll(readings: Triple<StreamReading>): Promise<Triple<StreamContent>> {
  const { first, second, observed } = readings;
  const count = (reading: StreamReading) => eventsOf(reading.content).length;
  await Promise.all([first.quiet(), second.quiet()]);
  await observed.until(
    (content) => eventsOf(content).length >= count(first) && content.isEnded === first.content.isEnded,
    arrivalMsMax,
  );
  await observed.quiet();
  if (count(observed) > count(first) || count(first) !== count(second)) {
    const wanted = Math.max(count(observed), count(first), count(second));
    for (const reading of [first, second])
      await reading.until((content) => eventsOf(content).length >= wanted, arrivalMsMax);
  }
  return { first: first.content, second: second.content, observed: observed.content };
}

/**
 * The events of a stream as responses, so that they can be compared one by one.
 * @param isCut whether the service may have sent more since
 */
export function comparedEvents(
  { first, second, observed }: Triple<StreamContent>,
  isCut: boolean,
  compare: (events: Triple<StreamBlock>) => readonly Difference[],
): readonly Difference[] {
  const all = { first: eventsOf(first), second: eventsOf(second), observed: eventsOf(observed) };
  const found: Difference[] = [];
  for (const [at, event] of all.first.entries()) {
    const [secondEvent, actual] = [all.second[at], all.observed[at]];
    if (!actual) {
      found.push({
        what: `event ${at + 1}`,
        expected: textOf(event),
        actual: `no further event within ${arrivalMsMax / 1000} s`,
      });
      return found;
    }
    if ((actual.event ?? "message") !== (event.event ?? "message"))
      found.push({ what: `event ${at + 1}`, expected: textOf(event), actual: textOf(actual) });
    else if (secondEvent)
      found.push(
        ...compare({ first: event, second: secondEvent, observed: actual }).map((difference) => ({
          ...difference,
          what: `event ${at + 1} ${difference.what}`,
        })),
      );
    if (event.id !== undefined && actual.id === undefined)
      found.push({ what: `event ${at + 1} id`, expected: "an id", actual: "no id" });
    if (found.length > 0) return found;
  }
  if (isCut) return found;
  const extra = all.observed[all.first.length];
  if (extra) found.push({ what: `event ${all.first.length + 1}`, expected: "none", actual: textOf(extra) });
  else if (first.isEnded && second.isEnded && !observed.isEnded)
    found.push({ what: "end of the stream", expected: "after its last event", actual: "still open" });
  else if (!first.isEnded && !second.isEnded && observed.isEnded)
    found.push({ what: "end of the stream", expected: "none", actual: "the stream ended" });
  return found;
}

function textOf({ event, data = "" }: StreamBlock): string {
  return `${event ?? "message"} ${data}`.slice(0, 200);
}
