/**
 * Journal of a verification: records what a service answered, so that a stopped run can continue.
 *
 * A run is determined by its seed and the service's answers. A resumed run therefore repeats the
 * recorded part without the service: it draws the same requests, and takes their answers from the
 * journal. Then it sends the next request.
 */
import type { ArrivedWebhook } from "../../verify/webhook-receiver.ts";
import type { ReceivedResponse, SentRequest } from "../../verify/scenario-failure.ts";
import { ServiceFailed } from "../../verify/service-failed.ts";
import type { Implementation, OpenedStream } from "./implementation.ts";

export type JournalEntry =
  /** The service's time after a pause. */
  | { readonly kind: "time"; readonly nowMs: number }
  | {
      readonly kind: "response";
      /** The position of the request among all requests. Concurrent ones may end in another order. */
      readonly at: number;
      /** Method and path. */
      readonly request: string;
      readonly response?: ReceivedResponse;
      /** Why there is no complete response. */
      readonly failure?: string;
    }
  | { readonly kind: "webhooks"; readonly arrived: readonly ArrivedWebhook[] }
  | { readonly kind: "retry"; readonly isRepeated: boolean }
  | {
      readonly kind: "stream";
      /** The position of the stream among all streams. */
      readonly at: number;
      readonly status: number;
      readonly headers: ReceivedResponse["headers"];
      readonly text: string;
      /** Whether the service ended the stream. */
      readonly isEnded: boolean;
    }
  /**
   * The stories, or the cleaning up after them, ended before this request.
   * `isStopped`: by the user, so the last request may be incomplete.
   */
  | { readonly kind: "end"; readonly before: number; readonly isStopped: boolean };

/** The journal belongs to another run: another document, or another release. */
export class JournalMismatch extends Error {
  override name = "JournalMismatch";
}

export interface JournalOptions {
  /** The entries of earlier runs. */
  readonly recorded: readonly JournalEntry[];
  /** The time of the service when the first run started. */
  readonly startMs: number;
  append(entry: JournalEntry): void;
}

type EntryOf<Kind extends JournalEntry["kind"]> = Extract<JournalEntry, { readonly kind: Kind }>;

export class Journal {
  /** The number of recorded requests, which are not sent again. */
  readonly recordedRequests: number;
  /** Whether the recorded run was killed, so that its last request may have changed the service. */
  readonly isCut: boolean;
  readonly #append: JournalOptions["append"];
  readonly #responses: ReadonlyMap<number, EntryOf<"response">>;
  readonly #times: EntryOf<"time">[];
  readonly #webhooks: EntryOf<"webhooks">[];
  readonly #retries: EntryOf<"retry">[];
  readonly #streams: ReadonlyMap<number, EntryOf<"stream">>;
  readonly #ends: EntryOf<"end">[];
  #nowMs: number;
  #sent = 0;
  #opened = 0;
  /** Whether a request, or a pause before it, has reached the service in this run. */
  #isLive: boolean;

  constructor({ recorded, startMs, append }: JournalOptions) {
    const of = <Kind extends JournalEntry["kind"]>(kind: Kind) =>
      recorded.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
    this.#append = append;
    this.#nowMs = startMs;
    this.#isLive = recorded.length === 0;
    this.#responses = new Map(of("response").map((entry) => [entry.at, entry]));
    this.#times = of("time");
    this.#webhooks = of("webhooks");
    this.#retries = of("retry");
    this.#streams = new Map(of("stream").map((entry) => [entry.at, entry]));
    this.#ends = of("end");
    let requests = 0;
    while (this.#responses.has(requests)) requests += 1;
    this.recordedRequests = requests;
    // A run writes an end for its stories, and another one when it has cleaned up.
    this.isCut = recorded.length > 0 && recorded.at(-1)?.kind !== "end";
  }

  /** Whether recorded answers are left. */
  get isReplaying(): boolean {
    return this.#sent < this.recordedRequests || this.#ends.length > 0;
  }

  /** Whether the recorded run ended its stories, or its cleaning up, here. */
  get isAtEnd(): boolean {
    return this.#ends[0]?.before === this.#sent;
  }

  /** Whether the user stopped the recorded run here. */
  get isAtStop(): boolean {
    return this.isAtEnd && this.#ends[0]?.isStopped === true;
  }

  /**
   * Ends the stories or the cleaning up.
   * @param isStopped whether the user stopped the run
   * @returns whether the recorded run did so
   */
  end(isStopped: boolean): boolean {
    if (this.#ends.length > 0) {
      this.#ends.shift();
      return true;
    }
    this.#append({ kind: "end", before: this.#sent, isStopped });
    return false;
  }

  /** The service, with recorded answers as long as there are any. */
  recording(service: Implementation): Implementation {
    return {
      origin: service.origin,
      send: (request) => this.#send(service, request),
      open: (request) => this.#open(service, request),
      nowMs: () => (this.#isLive ? service.nowMs() : this.#nowMs),
      passTime: (milliseconds) => this.#passTime(service, milliseconds),
      close: () => service.close(),
    };
  }

  /** Recorded webhooks, or those that arrive now. */
  async webhooks(arrive: () => Promise<readonly ArrivedWebhook[]>): Promise<readonly ArrivedWebhook[]> {
    const known = this.#webhooks.shift();
    if (known) return known.arrived;
    const arrived = await arrive();
    this.#append({ kind: "webhooks", arrived });
    return arrived;
  }

  async retry(observe: () => Promise<boolean>): Promise<boolean> {
    const known = this.#retries.shift();
    if (known) return known.isRepeated;
    const isRepeated = await observe();
    this.#append({ kind: "retry", isRepeated });
    return isRepeated;
  }

  async #send(service: Implementation, request: SentRequest): Promise<ReceivedResponse> {
    const at = this.#sent;
    this.#sent += 1;
    const name = `${request.method} ${request.target.split("?")[0]}`;
    const known = at < this.recordedRequests ? this.#responses.get(at) : undefined;
    if (known) {
      if (known.request !== name)
        throw new JournalMismatch(`its request ${at + 1} is ${known.request}, and now it would be ${name}`);
      if (known.response) return known.response;
      throw new ServiceFailed(known.failure ?? "");
    }
    this.#isLive = true;
    try {
      const response = await service.send(request);
      this.#append({ kind: "response", at, request: name, response });
      return response;
    } catch (error) {
      if (error instanceof ServiceFailed)
        this.#append({ kind: "response", at, request: name, failure: error.message });
      throw error;
    }
  }

  async #open(service: Implementation, request: SentRequest): Promise<OpenedStream> {
    const at = this.#opened;
    this.#opened += 1;
    const known = this.#streams.get(at);
    if (known) return recordedStream(known);
    const { status, headers, pieces, close } = await service.open(request);
    let text = "";
    let isEnded = false;
    let isClosed = false;
    const read = async function* (): AsyncGenerator<string> {
      const decoder = new TextDecoder();
      for await (const piece of pieces) {
        const part = typeof piece === "string" ? piece : decoder.decode(piece, { stream: true });
        text += part;
        yield part;
      }
      isEnded = !isClosed;
    };
    return {
      status,
      headers,
      pieces: read(),
      close: () => {
        if (isClosed) return;
        isClosed = true;
        this.#append({ kind: "stream", at, status, headers, text, isEnded });
        close();
      },
    };
  }

  async #passTime(service: Implementation, milliseconds: number): Promise<void> {
    const known = this.#times.shift();
    if (known && this.isReplaying) {
      this.#nowMs = known.nowMs;
      return;
    }
    this.#isLive = true;
    await service.passTime(milliseconds);
    this.#append({ kind: "time", nowMs: service.nowMs() });
  }
}

/** A stream with all that it sent in the recorded run. */
function recordedStream({ status, headers, text, isEnded }: EntryOf<"stream">): OpenedStream {
  const { promise: closed, resolve: close } = Promise.withResolvers<void>();
  const read = async function* (): AsyncGenerator<string> {
    if (text !== "") yield text;
    if (!isEnded) await closed;
  };
  return { status, headers, pieces: read(), close };
}

/** A journal of a run that nothing will resume. */
export function unrecorded(startMs: number): Journal {
  return new Journal({ recorded: [], startMs, append() {} });
}
