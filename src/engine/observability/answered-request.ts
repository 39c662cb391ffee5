/**
 * Answered requests: the data that an observer receives for each request after its response. The
 * object only refers to existing data. The observer creates a log line or a journal entry from it,
 * if needed. Observers can't change a response, and delay it only by their own work.
 */
import { signsIn } from "../../model/endpoints/does.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { PlannedRequest } from "../plan/planned-request.ts";
import type { RequestContext } from "../request-context.ts";
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { type NotShown, Problem } from "../problem.ts";
import { isRecord } from "../evaluation/context.ts";
import { mask } from "../secrets/mask-text.ts";
import { planMasking } from "../secrets/masking.ts";
import { secretFieldsOf } from "../secrets/secret-fields.ts";
import type { Journal, TouchedRecord } from "../evaluation/journal.ts";
import { changedRecords, type ChangedRecord, recordChanges } from "./changed-record.ts";
import { type DecidedCondition, decidedCondition } from "./deciding-values.ts";

export type RequestObserver = (answered: AnsweredRequest) => void;

/** The caller of the request. */
export interface KnownCaller {
  /**
   * The caller's resource; null, like the row, if the caller is the value of a claim or an
   * expression.
   */
  readonly resource: string | null;
  readonly row: number | null;
  /** The caller's identifier, as text. */
  readonly id: string;
  /** The scheme (part 5) of the credential; null if the caller signed in with this request. */
  readonly scheme: string | null;
  /** The row of the record with the credential, in the scheme's resource. */
  readonly credentialRow: number | null;
}

/** The facts that the service has after the response. */
export interface AnsweredFacts {
  readonly id: string;
  /** The data space of a sandbox; null in a service without data spaces. */
  readonly space: string | null;
  /** Null if the request could not be parsed. */
  readonly request: ServiceRequest | null;
  readonly response: ServiceResponse;
  /** When the request arrived, by the service's clock, in milliseconds since 1970. */
  readonly timeMs: number;
  /** The time until the response, or until the start of a stream, in fractional milliseconds. */
  readonly tookMs: number;
  /** Null if no endpoint matches the path and the method. */
  readonly endpoint: Endpoint | null;
  /**
   * The version of the response; null if the document has no versions, or the request was rejected
   * before negotiation.
   */
  readonly version: string | null;
  /** The reason for a rejection: a problem of part 7, or a gap; null for any other response. */
  readonly stopped: Problem | NotShown | null;
  /**
   * The position in the document that decided the response; null if only the engine decided. See
   * `decision-position.ts`.
   */
  readonly because: Position | null;
  /** Null if the response is no failure of the service. */
  readonly cause: Cause | null;
}

/**
 * Why the response is a failure of the service rather than a rejection: a fault with its stack, a
 * gap of the document, or an injected fault. It contains no secrets.
 */
export interface Cause {
  readonly kind: "fault" | "gap" | "on demand";
  readonly text: string;
}

/**
 * An answered request. It is a class because each request creates one: the prototype shares the
 * computed members.
 */
export class AnsweredRequest implements AnsweredFacts {
  readonly id: string;
  readonly space: string | null;
  readonly request: ServiceRequest | null;
  readonly response: ServiceResponse;
  readonly timeMs: number;
  readonly tookMs: number;
  readonly endpoint: Endpoint | null;
  readonly version: string | null;
  readonly stopped: Problem | NotShown | null;
  readonly because: Position | null;
  readonly cause: Cause | null;
  readonly #turn: PlannedRequest | undefined;
  readonly #context: PlanContext;

  constructor(parts: AnsweredFacts, planned: PlannedRequest | undefined, context: PlanContext) {
    this.id = parts.id;
    this.space = parts.space;
    this.request = parts.request;
    this.response = parts.response;
    this.timeMs = parts.timeMs;
    this.tookMs = parts.tookMs;
    this.endpoint = parts.endpoint;
    this.version = parts.version;
    this.stopped = parts.stopped;
    this.because = parts.because;
    this.cause = parts.cause;
    this.#turn = planned;
    this.#context = context;
  }

  /**
   * The part of the request body that the service read; null if there was no body, or the request
   * was rejected earlier.
   */
  get body(): Uint8Array | null {
    const bytes = this.#turn?.parsed.bodyBytes;
    return bytes === undefined || bytes.byteLength === 0 ? null : bytes;
  }

  /**
   * The condition that rejected the request, with the values that decided; null if no condition
   * did.
   */
  get decided(): DecidedCondition | null {
    const decision = this.stopped instanceof Problem ? this.stopped.decision : undefined;
    return decision
      ? decidedCondition(this.#context, decision, planMasking(this.#context.model).of(this.endpoint))
      : null;
  }

  get caller(): KnownCaller | null {
    const request = this.#turn?.lastAttempt;
    return request ? callerOf(request, this.#context) : null;
  }

  /**
   * The path and query of the request without secrets; empty if the request could not be parsed.
   */
  get target(): string {
    return planMasking(this.#context.model)
      .of(this.endpoint)
      .target(this.request?.target ?? "");
  }

  /** The path parameters by name. */
  get parameters(): Readonly<Record<string, string>> {
    return this.#turn?.parsed.parameters ?? noParameters;
  }

  /**
   * The records that the request changed, in their earlier state; null for a record that it
   * created.
   * @param max the largest number of records
   */
  before(max: number): readonly (RecordValue | null)[] {
    return this.#changed.slice(0, max).map(({ before }) => before);
  }

  /** The number of records that the request changed. */
  get changeCount(): number {
    return this.#changed.length;
  }

  /**
   * The records that the request changed, in the order of the changes.
   * @param max the largest number of records
   */
  changes(max: number): readonly ChangedRecord[] {
    const journal = this.#journal;
    if (!journal) return [];
    return recordChanges(this.#context, journal, max);
  }

  /** The sequence numbers of the request's events, in order. */
  get events(): readonly number[] {
    return this.#journal?.events ?? [];
  }

  /** The `shown once` values of the response, by their path. */
  get shownOnce(): ReadonlyMap<string, string> {
    return this.#turn?.lastAttempt?.evaluation.work.onceValues ?? nothingShown;
  }

  get #changed(): readonly TouchedRecord[] {
    return this.#journal ? changedRecords(this.#journal) : [];
  }

  /** The journal of the committed attempt; undefined if no attempt committed. */
  get #journal(): Journal | undefined {
    return this.#turn?.isCommitted ? this.#turn.lastAttempt?.evaluation.work.journal : undefined;
  }
}

/** Returns the caller that an attempt authenticated; null if there is none. */
export function callerOf(request: RequestContext, context: PlanContext): KnownCaller | null {
  const { caller, credential } = request.evaluation.frame;
  if ((caller ?? null) === null) return null;
  const scheme = request.evaluation.scheme?.name ?? null;
  const credentialRow = isRecord(credential) ? credential["#row"] : null;
  const resource = isRecord(caller) ? resourceOfCaller(caller, request, context.model) : undefined;
  if (!isRecord(caller) || resource === undefined)
    return { resource: null, row: null, id: textOf(caller as Value), scheme, credentialRow };
  const id = isFoundById(context.model, resource) ? mask : context.resource(resource).nameOf(caller);
  return { resource, row: caller["#row"], id, scheme, credentialRow };
}

const noParameters: Readonly<Record<string, string>> = {};
const nothingShown: ReadonlyMap<string, string> = new Map();

/**
 * Returns the resource of the caller. If callers belong to several resources, the value names its
 * own; otherwise the scheme or the sign-in endpoint determines it.
 */
function resourceOfCaller(
  caller: RecordValue,
  { endpoint, evaluation }: RequestContext,
  model: Model,
): string | undefined {
  const own = caller["#resource"];
  if (typeof own === "string") return own;
  const signedIn = endpoint.does.some(signsIn);
  if (!evaluation.scheme && signedIn) return endpoint.resource;
  const type = evaluation.scheme?.callerType ?? model.authentication.caller;
  return type.kind === "record" ? type.resource : undefined;
}

/** Whether the identifier of a session is the value of its cookie. */
function isFoundById(model: Model, resource: string): boolean {
  const identifier = model.resources.find(({ name }) => name === resource)?.identifier;
  if (identifier === undefined || !("field" in identifier)) return false;
  return secretFieldsOf(model).has(resource, identifier.field);
}

function textOf(value: Value): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
