/**
 * Request journal: the last requests of a service, or of one data space of a sandbox. Each entry
 * has the request, its response, its changes, and the line of the document that decided it. An
 * entry costs little, because it only refers to existing data, within bounds. The journal never
 * shows secrets (`secrets/masking.ts`). It stores requests as received, so that they can be
 * repeated. It stores no value of a response that is shown once.
 */
import { createCodeReader, createRowChooser, type RowChooser } from "../../model/errors/error-rows.ts";
import type { Value } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { HeaderLine, StreamedBody } from "../http/message.ts";
import { createDecisionFinder, type FindDecisionPosition } from "../problems/decision-position.ts";
import { Problem, type NotShown, type ProblemDetail } from "../problem.ts";
import type { AnsweredRequest } from "./answered-request.ts";
import { createJournalBudget, type JournalBudget } from "./journal-budget.ts";
import { type Mask, planMasking } from "../secrets/masking.ts";
import { maskTexts } from "../secrets/mask-text.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";
import type { JournalEntry, DroppableTexts, Reason, StoredBody } from "./journal-entry.ts";

const { credentialMax } = operatorCeilings;

export const journalLimits = {
  /** Largest number of requests in a journal. */
  requestsMax: 1000,
  /**
   * Largest stored part of a body, in bytes. The rest is cut off, and the entry marks the body as
   * truncated.
   */
  bodyBytesMax: 16 * 1024,
  /** Largest number of changed records of one request. */
  changesMax: 50,
  /** Largest number of records of one request whose earlier state is stored. */
  beforeMax: 5,
  /** Largest number of events of one request. */
  eventsMax: 50,
  /** Largest number of reasons for one rejection. */
  reasonsMax: 50,
  /** Longest cause of a failure, in characters. */
  causeMax: 4000,
  /**
   * Longest request target, in characters. The service rejects a longer one, unless the document
   * accepts it.
   */
  targetMax: engineDefaults.urlBytesMax,
} as const;

export class RequestJournal {
  readonly #budget: JournalBudget;
  readonly #rowOf: RowChooser;
  readonly #codeOf: ReturnType<typeof createCodeReader>;
  readonly #positionOf: FindDecisionPosition;
  readonly #watchers = new Set<(request: JournalEntry) => void>();
  #requests: JournalEntry[] = [];
  #count = 0;
  /** Returns the mask of an endpoint; null selects the mask for requests without an endpoint. */
  readonly mask: (endpoint: Endpoint | null) => Mask;

  constructor(model: Model, budget: JournalBudget = createJournalBudget()) {
    this.#budget = budget;
    this.#rowOf = createRowChooser(model);
    this.#codeOf = createCodeReader(model);
    this.#positionOf = createDecisionFinder(model);
    this.mask = planMasking(model).of;
  }

  note(answered: AnsweredRequest): void {
    this.#count += 1;
    const { request, response, stopped } = answered;
    const isStream = typeof response.body !== "string" && !(response.body instanceof Uint8Array);
    const changeCount = answered.changeCount;
    const texts = this.#keepTexts(answered);
    const noted: JournalEntry = {
      number: this.#count,
      id: answered.id,
      timeMs: answered.timeMs,
      tookMs: answered.tookMs,
      method: request?.method ?? "",
      target: (request?.target ?? "").slice(0, journalLimits.targetMax),
      remoteAddress: request?.remoteAddress ?? "",
      status: response.status,
      endpoint: answered.endpoint,
      parameters: answered.parameters,
      version: answered.version,
      caller: answered.caller,
      reasons: stopped === null ? nothing : this.#reasonsOf(stopped, answered),
      code: stopped instanceof Problem ? this.#codeOf(this.#rowOf(stopped.details[0])) : null,
      because: answered.because,
      cause: answered.cause && {
        ...answered.cause,
        text: answered.cause.text.slice(0, journalLimits.causeMax),
      },
      decided: answered.decided,
      changeCount,
      changes: changeCount === 0 ? nothing : answered.changes(journalLimits.changesMax),
      eventCount: answered.events.length,
      events: answered.events.slice(0, journalLimits.eventsMax),
      stream: isStream ? "open" : null,
      texts,
      keptBytes: 0,
    };
    this.#requests.push(noted);
    this.#budget.take(noted, sizeOf(noted.target, texts));
    // The array is shortened from time to time, because removing its first element with each
    // request would move all others.
    if (this.#requests.length >= 2 * journalLimits.requestsMax) this.#forget(journalLimits.requestsMax);
    if (isStream)
      void (response.body as StreamedBody).closed?.then(() => {
        noted.stream = "ended";
        this.#publish(noted);
      });
    this.#publish(noted);
  }

  /** Returns the requests, oldest first. */
  all(): readonly JournalEntry[] {
    return this.#requests.slice(-journalLimits.requestsMax);
  }

  /** Returns the request with this number or this request id. */
  find(key: string): JournalEntry | undefined {
    return this.#requests
      .slice(-journalLimits.requestsMax)
      .find(({ id, number }) => id === key || String(number) === key);
  }

  /**
   * Calls the listener for each recorded request, and again when its stream closes. The returned
   * function unsubscribes.
   */
  watch(noted: (request: JournalEntry) => void): () => void {
    this.#watchers.add(noted);
    return () => this.#watchers.delete(noted);
  }

  clear(): void {
    this.#forget(this.#requests.length);
  }

  /** Closes the journal and returns its share of the budget. */
  close(): void {
    this.#forget(this.#requests.length);
    this.#watchers.clear();
  }

  #publish(request: JournalEntry): void {
    for (const watcher of this.#watchers) watcher(request);
  }

  #forget(upTo: number): void {
    for (const request of this.#requests.slice(0, upTo)) this.#budget.release(request);
    this.#requests = this.#requests.slice(upTo);
  }

  #keepTexts(answered: AnsweredRequest): DroppableTexts {
    const { body } = answered.response;
    return {
      rawHeaders: answered.request?.rawHeaders ?? [],
      body: answered.body && keptBytes(answered.body),
      answerHeaders: withoutShown(answered.response.headers, answered),
      answerBody:
        typeof body === "string"
          ? secretless(body, answered, this.mask(answered.endpoint))
          : body instanceof Uint8Array
            ? keptBytes(body)
            : null,
      before: answered.changeCount === 0 ? nothing : answered.before(journalLimits.beforeMax),
    };
  }

  /**
   * Returns the texts of an error rather than the error itself, whose stack would retain the whole
   * request with its bodies.
   */
  #reasonsOf(stopped: Problem | NotShown, { endpoint }: AnsweredRequest): readonly Reason[] {
    if (!(stopped instanceof Problem)) return [reasonOfGap(stopped)];
    const mask = this.mask(endpoint);
    return stopped.details.slice(0, journalLimits.reasonsMax).map((detail) => {
      const { condition, field, problem, transition, resource, retryAfterSeconds } = detail;
      const isHidden = condition === "not found" && stopped.hiddenBecause !== undefined;
      return {
        condition,
        field,
        problem: isHidden ? "exists, and a condition hides it" : problem,
        transition,
        resource,
        value: sentText(detail, mask),
        allowed: detail.allowed ?? detail.methods ?? detail.accepts?.mediaTypes,
        retryAfterSeconds,
        line: this.#positionOf(stopped, endpoint ?? undefined, detail)?.start.line,
      };
    });
  }
}

const nothing: readonly never[] = [];

/** Describes what the document does not show, or an export that the handler module lacks. */
function reasonOfGap({ subject, ofModule, position }: NotShown): Reason {
  return {
    condition: null,
    field: undefined,
    problem: ofModule
      ? `there is no module that exports ${subject}`
      : `the document does not show ${subject}`,
    isGap: ofModule === undefined,
    line: position.start.line,
  };
}

/** Longest stored part of a rejected value, in characters. */
const valueMax = 80;

function sentText({ field, parameter, value }: ProblemDetail, mask: Mask): string | undefined {
  if (value === undefined || value === null) return undefined;
  const shown = mask.repeated({
    value,
    ...(field === undefined ? {} : { field }),
    ...(parameter === undefined ? {} : { parameter }),
  });
  if (shown === null) return undefined;
  const text = JSON.stringify(shown);
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}

/** Returns the body of a response without its secrets, which no output needs afterwards. */
function secretless(body: string, answered: AnsweredRequest, answerMask: Mask): StoredBody {
  const isCut = body.length > journalLimits.bodyBytesMax;
  // The body is masked before it is cut, because a cut secret could be recognized in part.
  let kept = isCut ? body.slice(0, journalLimits.bodyBytesMax + credentialMax) : body;
  if (answerMask.places.hasSecretAnswer && answered.response.status < 400) kept = answerMask.answerBody(kept);
  if (answered.shownOnce.size > 0) kept = maskTexts(kept, answered.shownOnce.values());
  // A substring retains the whole text.
  return { content: isCut ? Buffer.from(kept.slice(0, journalLimits.bodyBytesMax)) : kept, isCut };
}

function withoutShown(headers: readonly HeaderLine[], { shownOnce }: AnsweredRequest): readonly HeaderLine[] {
  if (shownOnce.size === 0) return headers;
  return headers.map(([name, value]) => [name, maskTexts(value, shownOnce.values())]);
}

/** Copies the bytes, because bytes from a socket are part of a larger buffer. */
function keptBytes(bytes: Uint8Array): StoredBody {
  const isCut = bytes.byteLength > journalLimits.bodyBytesMax;
  return { content: Buffer.from(isCut ? bytes.subarray(0, journalLimits.bodyBytesMax) : bytes), isCut };
}

/** Returns the approximate size of an entry in memory, rounded up, in bytes. */
function sizeOf(
  target: string,
  { rawHeaders, body, answerHeaders, answerBody, before }: DroppableTexts,
): number {
  let characters = target.length;
  for (const text of rawHeaders) characters += text.length + 16;
  for (const [name, value] of answerHeaders) characters += name.length + value.length + 32;
  for (const record of before) for (const name in record) characters += sizeOfValue(record[name] as Value);
  return fixedBytes + characters + lengthOf(body) + lengthOf(answerBody);
}

/**
 * Returns the approximate size of a value. Texts count by their length. A composite value, which
 * few records have, is serialized to measure it.
 */
function sizeOfValue(value: Value): number {
  if (typeof value === "string") return 2 * value.length;
  return typeof value === "object" && value !== null ? 4 * JSON.stringify(value).length : 16;
}

/** The approximate size of an entry without its texts, in bytes. */
const fixedBytes = 1024;

function lengthOf(body: StoredBody | null): number {
  if (!body) return 0;
  return typeof body.content === "string" ? 2 * body.content.length : body.content.byteLength;
}
