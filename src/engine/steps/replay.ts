/**
 * Idempotency (part 4, decision "Idempotency"): stores the response to a key with its change, and
 * returns it to repeated requests. Writes run one after another, so a second request with the same
 * key waits. It is rejected if part 7 has a row for *idempotency in progress*. Requests that change
 * nothing run outside of that queue: the second waits for the key. A separate write stores the
 * response before it is sent. Claimed keys are in memory, or in the state that instances share,
 * which a waiting instance polls.
 */
import { createHash } from "node:crypto";
import { readsName } from "../../expressions/analysis/reads.ts";
import type { Node } from "../../expressions/node.ts";
import type { Value } from "../../expressions/value.ts";
import type { Endpoint, Idempotency } from "../../model/model.ts";
import type { SharedKeys } from "../../store/shared.ts";
import type { KeptAnswer } from "../../store/store.ts";
import { engineDefaults, operatorCeilings } from "../defaults.ts";
import type { Awaitable } from "../../support/awaitable.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import type { HeaderLine } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import type { Clock } from "../ports.ts";
import { Problem } from "../problem.ts";
import { hasRowFor } from "../../model/errors/error-rows.ts";
import { isRecord, transactionOf } from "../evaluation/context.ts";
import type { SealedAnswers } from "../secrets/sealed-answers.ts";
import { recordKey } from "../records/caller.ts";
import { addressKey } from "./limit.ts";
import { planAnswerHeaders, setHeader } from "./answer-headers.ts";

export interface Replay {
  /** Finds the stored response of the request's key; null if the key is new or absent. */
  find(request: RequestContext): Awaitable<Answer | null>;
  /** Stores the response. Must be called in the transaction of the change. */
  storeAnswer(request: RequestContext, answer: Answer): Awaitable<void>;
  /** Stores a response that was computed without a transaction, in a separate write. */
  storeAnswerAlone(request: RequestContext, answer: Answer): Promise<void>;
  carriesKey(request: RequestContext): boolean;
  /**
   * Claims the request's key until `end` is called. Must be called after authentication. A second
   * request waits here, because the response of the first may be held (`Waits`) or computed without
   * a transaction. Absent if no endpoint does either: the second request then waits for the
   * transaction of the first.
   * @throws Problem *idempotency in progress*
   */
  readonly claim?: (request: RequestContext) => Promise<KeyClaim>;
}

/** A claim on a request's key. */
export interface KeyClaim {
  /** Ends the claim after the response. Never rejects. */
  end(): Awaitable<void>;
  /**
   * How long the request has waited for another request's response, in milliseconds; its time-out
   * excludes that time.
   */
  readonly waitedMs: number;
}

const noKey: KeyClaim = { end: () => {}, waitedMs: 0 };

/**
 * Claimed keys, with a hash of their requests. Endpoints that share stored responses share the
 * keys.
 */
export interface InFlightKeys {
  readonly own: Map<string, { readonly requestHash: string; readonly answered: Promise<void> }>;
  /** The claims of all instances, if there are several. */
  readonly shared: SharedKeys | undefined;
}

export interface ReplayParts {
  readonly inFlightKeys: InFlightKeys;
  readonly sealed: SealedAnswers;
}

/** Polling interval for a key that another instance has claimed, in milliseconds. */
const pollMs = 50;

const noReplay: Replay = {
  find: () => null,
  storeAnswer: () => {},
  storeAnswerAlone: async () => {},
  carriesKey: () => false,
};

/**
 * @param inLine whether all requests that can have a key run in a transaction, one after another
 */
export function planReplay(
  context: PlanContext,
  endpoint: Endpoint,
  parts: ReplayParts,
  inLine: boolean,
): Replay {
  const { idempotency } = endpoint;
  return idempotency ? new PlannedReplay(context, endpoint, idempotency, parts, inLine) : noReplay;
}

class PlannedReplay implements Replay {
  readonly #context: PlanContext;
  readonly #endpoint: Endpoint;
  readonly #idempotency: Idempotency;
  readonly #parts: ReplayParts;
  readonly #keyOf: ReturnType<typeof planKey>;
  readonly #scopeOf: ReturnType<typeof planScope>;
  readonly #refreshed: ReturnType<typeof planRefreshed>;
  /** Whether a second request is rejected rather than held. */
  readonly #refuses: boolean;
  readonly claim?: (request: RequestContext) => Promise<KeyClaim>;

  constructor(
    context: PlanContext,
    endpoint: Endpoint,
    idempotency: Idempotency,
    parts: ReplayParts,
    inLine: boolean,
  ) {
    this.#context = context;
    this.#endpoint = endpoint;
    this.#idempotency = idempotency;
    this.#parts = parts;
    this.#keyOf = planKey(idempotency);
    this.#scopeOf = planScope(context, idempotency);
    this.#refreshed = planRefreshed(context, endpoint);
    this.#refuses = hasRowFor(context.model, "idempotency in progress");
    if (this.#refuses || !inLine) this.claim = (request) => this.#claim(request);
  }

  carriesKey(request: RequestContext): boolean {
    return this.#keyOf(request) !== undefined;
  }

  async find(request: RequestContext): Promise<Answer | null> {
    const stored = await this.#storedFor(request);
    if (stored) request.because = this.#idempotency.position;
    return stored && this.#refreshed(request, answerOf(this.#parts.sealed.open(stored)));
  }

  async storeAnswer(request: RequestContext, answer: Answer): Promise<void> {
    const key = this.#keyOf(request);
    if (key === undefined) return;
    const retentionMs = this.#idempotency.milliseconds ?? engineDefaults.idempotencyMs;
    const stored: KeptAnswer = {
      method: request.request.method,
      path: this.#parts.sealed.path(this.#endpoint, request.request.target),
      bodyHash: contentHash(request),
      status: answer.status,
      ...storedAnswerOf(this.#parts.sealed, request, answer),
      until: this.#context.ports.clock.now() + retentionMs,
    };
    await transactionOf(request.evaluation).system.keepAnswer(await this.#scopeOf(request), key, stored);
  }

  storeAnswerAlone({ evaluation, ...exchange }: RequestContext, answer: Answer): Promise<void> {
    return this.#context.store.write((transaction) =>
      this.storeAnswer(
        { ...exchange, evaluation: { ...evaluation, work: { ...evaluation.work, transaction } } },
        answer,
      ),
    );
  }

  #requestOf(request: RequestContext): string {
    const { method, target } = request.request;
    return requestHashOf(method, this.#parts.sealed.path(this.#endpoint, target), contentHash(request));
  }

  /**
   * Finds the stored response of the request's key.
   * @throws Problem *idempotency conflict* if the key belongs to a different request
   */
  async #storedFor(request: RequestContext): Promise<KeptAnswer | null> {
    const key = this.#keyOf(request);
    if (key === undefined) return null;
    const { system } = request.evaluation.work.transaction ?? this.#context.store.session;
    const stored = await system.idempotent(
      await this.#scopeOf(request),
      key,
      this.#context.ports.clock.now(),
    );
    if (!stored) return null;
    const requestHash = requestHashOf(stored.method, stored.path, stored.bodyHash);
    // An older engine stored the request in plain text, and without its version.
    if (requestHash === plainRequestOf(request)) return stored;
    if (requestHash !== this.#requestOf(request)) throw conflict(this.#idempotency, key);
    return stored;
  }

  async #claim(request: RequestContext): Promise<KeyClaim> {
    const key = this.#keyOf(request);
    if (key === undefined) return noKey;
    const { own, shared } = this.#parts.inFlightKeys;
    const { clock, machine = clock } = this.#context.ports;
    const ownKey = `${await this.#scopeOf(request)} ${key}`;
    const requestHash = this.#requestOf(request);
    const startedMs = clock.now();
    // A waiting request compares itself with the stored response later. A held response (`Waits`) is
    // stored already.
    const refuse = async (otherHash: string) => {
      // Whether the key will belong to the other request is unknown until that request finishes,
      // because rejections are not stored.
      if (this.#refuses) throw inProgress(this.#idempotency, key);
      if (otherHash !== requestHash) await this.#storedFor(request);
    };
    for (let running = own.get(ownKey); running; running = own.get(ownKey)) {
      await refuse(running.requestHash);
      await running.answered;
    }
    const { promise: answered, resolve: isAnswered } = Promise.withResolvers<void>();
    own.set(ownKey, { requestHash, answered });
    const end = () => {
      own.delete(ownKey);
      isAnswered();
    };
    try {
      if (shared) await claimShared(shared, ownKey, requestHash, refuse, machine);
    } catch (error) {
      end();
      throw error;
    }
    const waitedMs = clock.now() - startedMs;
    return { waitedMs, end: shared ? () => shared.end(ownKey).then(end) : end };
  }
}

/**
 * Resolves when no other instance claims the key.
 * @param refuse throws if a second request must not wait
 */
async function claimShared(
  shared: SharedKeys,
  key: string,
  requestHash: string,
  refuse: (otherHash: string) => Promise<void>,
  clock: Clock,
): Promise<void> {
  for (;;) {
    const storedHash = await shared.begin(key, requestHash);
    if (storedHash === null) return;
    await refuse(storedHash);
    await new Promise<void>((resolve) => clock.at(clock.now() + pollMs, resolve));
  }
}

/** Returns the key of a request; undefined if it has none and needs none. */
function planKey(idempotency: Idempotency): (request: RequestContext) => string | undefined {
  const header = idempotency.name.toLowerCase();
  const path = idempotency.name.split(".");
  const detail = { field: idempotency.name };
  const because = { because: idempotency.position };
  return (request) => {
    // Two keys would identify the request with two other requests.
    if (idempotency.in === "header" && linesOf(request, header) > 1) {
      const problem = `the header ${idempotency.name} occurs twice`;
      throw new Problem({ condition: "malformed request", ...detail, problem }, because);
    }
    // The draft's syntax is a quoted string; many clients send it unquoted.
    const key =
      idempotency.in === "body"
        ? keyInBody(request, path)
        : request.headers[header]?.replace(/^"([^"]*)"$/, "$1");
    if (key === undefined || key === "") {
      if (!idempotency.required) return undefined;
      throw new Problem({ condition: "missing field", ...detail, problem: "is required" }, because);
    }
    if (key.length > operatorCeilings.idempotencyKeyMax) {
      const problem = `must have at most ${operatorCeilings.idempotencyKeyMax} characters`;
      throw new Problem({ condition: "invalid field", ...detail, problem }, because);
    }
    return key;
  };
}

/** Returns how often a header occurs in a request. */
function linesOf({ request }: RequestContext, name: string): number {
  return request.rawHeaders.filter((rawHeader, at) => at % 2 === 0 && rawHeader.toLowerCase() === name)
    .length;
}

/** Ignores a key that is not a string; input validation reports it. */
function keyInBody({ inputs }: RequestContext, path: readonly string[]): string | undefined {
  let value: unknown = inputs.body;
  for (const name of path)
    value = typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
  return typeof value === "string" ? value : undefined;
}

/** Returns the owner of a key: the `per` expression, else the caller, else the address. */
function planScope(
  context: PlanContext,
  idempotency: Idempotency,
): (request: RequestContext) => Promise<string> {
  const per = idempotency.per && evaluateOf(context, idempotency.per);
  return async (request) => {
    const { frame } = request.evaluation;
    const owner: Value = per ? await per(request.evaluation) : frame.caller;
    if (isRecord(owner)) return `row ${recordKey(owner, idempotency.per?.node.type)}`;
    return owner === null
      ? `address ${addressKey(request.request.remoteAddress)}`
      : `value ${JSON.stringify(owner)}`;
  };
}

/** Returns the stored response; headers that read `request.replayed` are evaluated again. */
function planRefreshed(
  context: PlanContext,
  endpoint: Endpoint,
): (request: RequestContext, stored: Answer) => Promise<Answer> {
  const isAffected = (node: Node) =>
    readsName(node, { name: "request", member: "replayed" }, context.meaning);
  const setHeaders = planAnswerHeaders(context, endpoint, isAffected);
  const names = new Set(
    endpoint.headers.filter(({ value }) => isAffected(value.node)).map(({ name }) => name.toLowerCase()),
  );
  return async ({ evaluation }, stored) => {
    evaluation.frame.request = { ...requestValue(evaluation), replayed: true };
    const lines: HeaderLine[] = stored.headers.filter(([name]) => !names.has(name.toLowerCase()));
    setHeader(lines, "Idempotent-Replayed", "true");
    await setHeaders?.(evaluation, lines);
    return { ...stored, headers: lines };
  };
}

function conflict(idempotency: Idempotency, key: string): Problem {
  return new Problem(
    {
      condition: "idempotency conflict",
      field: idempotency.name,
      value: key,
      problem: "was sent with another request",
    },
    { because: idempotency.position },
  );
}

function inProgress(idempotency: Idempotency, key: string): Problem {
  return new Problem(
    {
      condition: "idempotency in progress",
      field: idempotency.name,
      value: key,
      problem: "belongs to a request that is in progress",
      retryAfterSeconds: 1,
    },
    { because: idempotency.position },
  );
}

function plainRequestOf(request: RequestContext): string {
  return requestHashOf(request.request.method, request.request.target, hashOf(request.bodyBytes));
}

function requestHashOf(method: string, path: string, bodyHash: string): string {
  return `${method} ${path} ${bodyHash}`;
}

function hashOf(body: Uint8Array): string {
  return createHash("sha256").update(body).digest("base64url");
}

/** The `request` of expressions. */
function requestValue({ frame }: RequestContext["evaluation"]): Readonly<Record<string, Value>> {
  return frame.request as Readonly<Record<string, Value>>;
}

/** The body's hash; with the version, if there are several: each has responses of its own. */
function contentHash({ bodyBytes, evaluation }: RequestContext): string {
  const { version } = requestValue(evaluation);
  return typeof version === "string" ? `${hashOf(bodyBytes)} ${version}` : hashOf(bodyBytes);
}

/** Marks binary content, which is stored in base64. The name is not a valid header. */
const bytesLine: HeaderLine = ["#bytes", "base64"];

function storedAnswerOf(
  sealed: SealedAnswers,
  { endpoint, evaluation }: RequestContext,
  { headers, body, bytes }: Answer,
): Pick<KeptAnswer, "headers" | "body"> {
  const onceValues = [...evaluation.work.onceValues.values()];
  if (!bytes) return sealed.seal(endpoint, { headers, body }, onceValues);
  const text = Buffer.from(bytes).toString("base64");
  const answer = { headers: [...headers, bytesLine], body: text };
  // The position of a secret within binary content is unknown.
  return sealed.seal(endpoint, answer, onceValues.length > 0 ? [...onceValues, text] : onceValues);
}

function answerOf({ status, headers, body }: KeptAnswer): Answer {
  const own = headers.filter(([name]) => name !== bytesLine[0]);
  if (own.length === headers.length) return { status, headers, body };
  return { status, headers: own, body: "", bytes: Buffer.from(body, "base64") };
}
