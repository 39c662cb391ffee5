/**
 * Webhook verification: compares the webhooks that arrive after a request with those that the
 * reference records. The receivers of a story have addresses of a server in this process.
 */
import { isSigned } from "../../engine/deliveries/standard-verification.ts";
import type { EventsPart, Input, Model } from "../../model/model.ts";
import { machine } from "../../support/machine.ts";
import type { Json } from "../../support/json.ts";
import {
  type ArrivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../../verify/webhook-receiver.ts";
import { type Difference, isList, isMap } from "./compare-responses.ts";
import type { Reference, ReferenceWebhook } from "./implementation.ts";
import type { Journal } from "./journal.ts";
import { jsonOf } from "../stories/story.ts";
import type { ReceivedResponse } from "../../verify/scenario-failure.ts";

export interface WebhookInboxOptions {
  /** The URL of the server as the service reaches it; an address of this machine by default. */
  readonly url?: string;
  readonly port?: number;
  /** The timeout for an expected webhook, in milliseconds. */
  readonly waitMs?: number;
  /** Whether the service's clock can be moved past the pause before a retry. */
  readonly hasClock?: boolean;
}

/** The observed retry of a rejected webhook. */
export interface ObservedRetry {
  readonly event: string;
  readonly isRepeated: boolean;
  readonly pauseMs: number;
}

const waitMsByDefault = 5_000;
/** The number of missing webhooks after which the service is assumed not to reach the receiver. */
const missedMax = 3;

/** A status after which a service must retry a webhook. */
const rejection = 500;
/** The number of compared webhooks before one is rejected. */
const comparedMin = 2;
/** The maximum number of clock moves past the pause before a retry. */
const clockMoves = 10;
/** The maximum pause to wait for without a movable clock, in milliseconds. */
const pauseMsMax = 15_000;

/** The maximum number of response bodies that are searched for secrets. */
const bodiesMax = 500;

/** Receives the webhooks of the verified service. */
export class WebhookInbox {
  /** Ends with a slash. */
  readonly url: string;
  readonly waitMs: number;
  /** The events of compared webhooks. */
  readonly compared = new Set<string>();
  readonly hasClock: boolean;
  /** Undefined until a webhook was rejected. */
  retry: ObservedRetry | undefined;
  readonly #receiver: WebhookReceiver;
  readonly #received: ArrivedWebhook[];
  readonly #listeners: Set<() => void>;
  #isReached = false;
  #missed = 0;
  #journal: Journal | undefined;

  private constructor(
    receiver: WebhookReceiver,
    arrived: ArrivedWebhook[],
    listeners: Set<() => void>,
    url: string,
    { waitMs = waitMsByDefault, hasClock = false }: WebhookInboxOptions,
  ) {
    this.#receiver = receiver;
    this.#received = arrived;
    this.#listeners = listeners;
    this.waitMs = waitMs;
    this.hasClock = hasClock;
    this.url = url.endsWith("/") ? url : `${url}/`;
  }

  /** @throws the system's error if the port isn't available */
  static async open(options: WebhookInboxOptions = {}): Promise<WebhookInbox> {
    const { url, port } = options;
    const arrived: ArrivedWebhook[] = [];
    const listeners = new Set<() => void>();
    const receiver = await startWebhookReceiver({
      onArrived(webhook) {
        arrived.push(webhook);
        for (const listener of listeners) listener();
      },
      ...(port === undefined ? {} : { port }),
      ...(url === undefined ? {} : { host: "0.0.0.0" }),
    });
    return new WebhookInbox(
      receiver,
      arrived,
      listeners,
      url ?? `http://127.0.0.1:${receiver.port}/`,
      options,
    );
  }

  /** Whether any webhook has arrived. Otherwise none can be observed. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Records what arrives, and repeats what an earlier run recorded. */
  recordIn(journal: Journal): void {
    this.#journal = journal;
  }

  /**
   * Waits for `count` webhooks and removes them from the inbox. After the timeout, returns those
   * that arrived.
   */
  async take(count: number): Promise<readonly ArrivedWebhook[]> {
    const arrive = () => this.#arrive(count);
    const received = await (this.#journal ? this.#journal.webhooks(arrive) : arrive());
    if (received.length > 0) this.#isReached = true;
    else if (count > 0) this.#missed += 1;
    return received;
  }

  /** Rejects the next webhook, once. */
  rejectNext(): void {
    if (!this.#journal?.isReplaying) this.#receiver.answer(rejection);
  }

  async #arrive(count: number): Promise<readonly ArrivedWebhook[]> {
    // Later webhooks may wait until a rejected one was sent again.
    const isEnough = () =>
      this.#received.length >= count || this.#received.some(({ status }) => status === rejection);
    if (count > 0 && (this.#isReached || this.#missed < missedMax)) await this.#wait(isEnough, this.waitMs);
    return this.#received.splice(0);
  }

  /** Whether the service repeats the rejected webhook, as `observe` sees it. */
  observeRetry(observe: () => Promise<boolean>): Promise<boolean> {
    return this.#journal ? this.#journal.retry(observe) : observe();
  }

  /** Whether a webhook arrives again within this time. Removes it from the inbox. */
  async takeRepeated(rejected: ArrivedWebhook, withinMs: number): Promise<boolean> {
    const isSame = ({ path, text }: ArrivedWebhook): boolean =>
      path === rejected.path && text === rejected.text;
    await this.#wait(() => this.#received.some(isSame), withinMs);
    const at = this.#received.findIndex(isSame);
    if (at >= 0) this.#received.splice(at, 1);
    return at >= 0;
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  #wait(isEnough: () => boolean, withinMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        takeBack();
        this.#listeners.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isEnough()) end();
      };
      const takeBack = machine.after(withinMs, end);
      this.#listeners.add(look);
      look();
    });
  }
}

/** A webhook of the service with the corresponding ones of both reference runs. */
export interface WebhookPair {
  readonly first: ReferenceWebhook;
  readonly second: ReferenceWebhook;
  readonly observed: ArrivedWebhook;
}

export interface MatchedWebhooks {
  readonly pairs: readonly WebhookPair[];
  readonly differences: readonly Difference[];
}

/**
 * Matches webhooks by address and event, each with the first that arrived.
 * @param expected of both runs of the reference, equally many
 */
function matchWebhooks(
  expected: readonly (readonly [first: ReferenceWebhook, second: ReferenceWebhook])[],
  arrived: readonly ArrivedWebhook[],
  waitMs: number,
): MatchedWebhooks {
  const left = [...arrived];
  const pairs: WebhookPair[] = [];
  const differences: Difference[] = [];
  for (const [first, second] of expected) {
    const at = left.findIndex((webhook) => mayBe(webhook, first));
    const [observed] = at < 0 ? [] : left.splice(at, 1);
    if (observed) pairs.push({ first, second, observed });
    else
      differences.push({
        what: `webhook ${first.event}`,
        expected: "sent once",
        actual: `not received within ${waitMs / 1000} s`,
      });
  }
  for (const { text } of left)
    differences.push({ what: "webhook", expected: "none", actual: text.slice(0, 200) });
  const ofRequests = pairs.flatMap(({ first, observed }) =>
    first.method === observed.method
      ? []
      : [{ what: `webhook ${first.event} method`, expected: first.method, actual: observed.method }],
  );
  return { pairs, differences: [...differences, ...ofRequests, ...orderDifferences(pairs, arrived)] };
}

/** Webhooks that overtook an earlier one of their queue. */
function orderDifferences(
  pairs: readonly WebhookPair[],
  arrived: readonly ArrivedWebhook[],
): readonly Difference[] {
  const queued = pairs.filter(({ first }) => first.queue !== null);
  const queues = Map.groupBy(queued, ({ first: { url, queue } }) => `${url} ${queue}`);
  // Two receivers with one address can't be distinguished.
  const isOfOne = (queue: typeof pairs) => new Set(queue.map(({ first }) => first.receiver)).size === 1;
  return [...queues.values()].filter(isOfOne).flatMap((queue) =>
    queue.flatMap(({ first, observed }, at): readonly Difference[] => {
      const next = queue[at + 1];
      if (!next || arrived.indexOf(observed) < arrived.indexOf(next.observed)) return [];
      const what = `webhook ${next.first.event} order`;
      return [{ what, expected: `after ${first.event}`, actual: `before ${first.event}` }];
    }),
  );
}

/** Whether an arrived webhook may be one of the reference, by its address and event. */
function mayBe(webhook: ArrivedWebhook, first: ReferenceWebhook): boolean {
  return webhook.path === new URL(first.url).pathname && isOfEvent(webhook, first);
}

/** Whether a webhook may be of an event. It must name the event where the reference does. */
function isOfEvent(
  { text, headers }: ArrivedWebhook,
  { event, body, headers: ofReference }: ReferenceWebhook,
): boolean {
  const isNamed = (content: string, all: readonly unknown[]): boolean =>
    content.includes(event) || all.includes(event);
  return !isNamed(body, Object.values(ofReference)) || isNamed(text, Object.values(headers));
}

/** A webhook as a response, so that it can be compared. */
export function asResponse(headers: Readonly<Record<string, unknown>>, body: string): ReceivedResponse {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return { status: 200, headers: pairs, body };
}

/** The pause before the first retry by event, without events that are not retried. */
function firstPauses({ events, retriesMs = [] }: EventsPart): ReadonlyMap<string, number> {
  return new Map(
    events.flatMap(({ name, retries }) => {
      const [pause] = retries?.pausesMs ?? retriesMs;
      return pause === undefined ? [] : [[name, pause] as const];
    }),
  );
}

/** Whether a retry of any event comes soon enough to wait for. */
function canSeeRetries(part: EventsPart, { hasClock }: { readonly hasClock: boolean }): boolean {
  const pauses = firstPauses(part);
  const isSoon = [...pauses.values()].every((pause) => hasClock || pause <= pauseMsMax);
  return part.events.length > 0 && pauses.size === part.events.length && isSoon;
}

/**
 * Takes the webhooks after each step from the service and both runs of the reference, and matches
 * them.
 */
export class WebhookComparison {
  readonly #inbox: WebhookInbox;
  readonly #first: Reference;
  readonly #second: Reference;
  /** Response bodies. The service's secret is at the position of the reference's secret. */
  readonly #bodies: { readonly first: string; readonly observed: string }[] = [];
  readonly #events: EventsPart;
  readonly #pass: (milliseconds: number) => Promise<void>;
  #compared = 0;
  #isRejecting = false;

  /** @param pass lets time pass for the service */
  constructor(
    { events }: Model,
    inbox: WebhookInbox,
    [first, second]: readonly [Reference, Reference],
    pass: (milliseconds: number) => Promise<void>,
  ) {
    this.#events = events;
    this.#pass = pass;
    this.#inbox = inbox;
    this.#first = first;
    this.#second = second;
  }

  note(first: ReceivedResponse, observed: ReceivedResponse | undefined): void {
    if (!observed || first.status >= 400) return;
    this.#bodies.push({ first: first.body, observed: observed.body });
    if (this.#bodies.length > bodiesMax) this.#bodies.shift();
  }

  /**
   * Undefined if webhooks can't be compared: none has arrived yet, or the runs of the reference
   * differ.
   */
  async next(): Promise<MatchedWebhooks | undefined> {
    const isObserved = ({ url }: ReferenceWebhook): boolean => url.startsWith(this.#inbox.url);
    const firsts = (await this.#first.newWebhooks()).filter(isObserved);
    const seconds = (await this.#second.newWebhooks()).filter(isObserved);
    const arrived = await this.#take(firsts);
    if (!this.#inbox.isReached || firsts.length !== seconds.length) return undefined;
    const expected = firsts.map((first, at) => [first, seconds[at] ?? first] as const);
    const { pairs, differences } = matchWebhooks(expected, arrived, this.#inbox.waitMs);
    for (const { first } of pairs) this.#inbox.compared.add(first.event);
    this.#compared += pairs.length;
    this.#rejectOne();
    return {
      pairs,
      differences: [...differences, ...pairs.flatMap((pair) => this.#signatureDifference(pair))],
    };
  }

  /** Takes the webhooks that arrive. A rejected one is observed until it is sent again. */
  async #take(firsts: readonly ReferenceWebhook[]): Promise<readonly ArrivedWebhook[]> {
    const arrived = await this.#inbox.take(firsts.length);
    const rejected = arrived.find(({ status }) => status === rejection);
    const first = rejected && firsts.find((webhook) => mayBe(rejected, webhook));
    if (!rejected || !first) return arrived;
    // Later webhooks of its queue wait until it was sent again.
    const isBlocked = ({ receiver, queue }: ReferenceWebhook, at: number): boolean =>
      queue !== null && queue === first.queue && receiver === first.receiver && at > firsts.indexOf(first);
    const blocked = firsts.filter(isBlocked).length;
    const others = await this.#takeMore(firsts.length - blocked - arrived.length);
    const { event } = first;
    const pauseMs = firstPauses(this.#events).get(event) ?? 0;
    const isRepeated = await this.#inbox.observeRetry(() => this.#isRepeated(rejected, pauseMs));
    this.#inbox.retry = { event, isRepeated, pauseMs };
    return [...arrived, ...others, ...(await this.#takeMore(blocked))];
  }

  async #takeMore(count: number): Promise<readonly ArrivedWebhook[]> {
    return count > 0 ? this.#inbox.take(count) : [];
  }

  /** Rejects one of the next webhooks, once some were compared. */
  #rejectOne(): void {
    if (this.#isRejecting || this.#compared < comparedMin || !canSeeRetries(this.#events, this.#inbox))
      return;
    this.#isRejecting = true;
    this.#inbox.rejectNext();
  }

  async #isRepeated(rejected: ArrivedWebhook, pauseMs: number): Promise<boolean> {
    const { hasClock, waitMs } = this.#inbox;
    if (!hasClock) return this.#inbox.takeRepeated(rejected, waitMs + 2 * pauseMs);
    // The clock moves several times, because the service may record the rejection after the first
    // move.
    for (let moved = 0; moved < clockMoves; moved += 1) {
      await this.#pass(pauseMs + 1_000);
      if (await this.#inbox.takeRepeated(rejected, waitMs / clockMoves)) return true;
    }
    return false;
  }

  #signatureDifference({ first, second, observed }: WebhookPair): readonly Difference[] {
    if (first.secrets.length === 0) return [];
    const header = (name: string): string | null => {
      const value = observed.headers[name];
      return typeof value === "string" ? value : null;
    };
    const known = first.secrets.flatMap((secret) => this.#secretOf(secret, second.secrets) ?? []);
    const isPresent = header("webhook-signature") !== null;
    // The signature can't be verified without the secret, which no response shows.
    if (known.length === 0 && isPresent) return [];
    if (known.some((secret) => isSigned(secret, header, observed.text, observed.atMs))) return [];
    const actual = isPresent ? "another signature" : "no signature";
    return [
      { what: `webhook ${first.event} signature`, expected: "signed with the receiver's secret", actual },
    ];
  }

  /** The service's secret that corresponds to one of the reference. */
  #secretOf(secret: string, ofSecond: readonly string[]): string | undefined {
    for (const { first, observed } of this.#bodies.toReversed()) {
      const path = pathTo(jsonOf(first), secret);
      const value = path && textAt(jsonOf(observed), path);
      if (value !== undefined) return value;
    }
    // The client chose the secret, so all runs have the same.
    return ofSecond.includes(secret) ? secret : undefined;
  }
}

function textAt(body: Json | undefined, path: readonly string[]): string | undefined {
  let value = body;
  for (const key of path) {
    if (value === undefined) return undefined;
    value = isList(value) ? value[Number(key)] : isMap(value) ? value[key] : undefined;
  }
  return typeof value === "string" ? value : undefined;
}

function pathTo(value: Json | undefined, text: string): readonly string[] | undefined {
  if (value === text) return [];
  if (value === undefined || value === null || typeof value !== "object") return undefined;
  const parts: readonly (readonly [string, Json])[] = isList(value)
    ? value.map((part, at) => [String(at), part])
    : Object.entries(value);
  for (const [key, part] of parts) {
    const rest = pathTo(part, text);
    if (rest) return [key, ...rest];
  }
  return undefined;
}

/** Whether an input has the address of a receiver, or a value with it as a part. */
export function isInputOf({ sets, name }: Input, addresses: ReadonlySet<string> | undefined): boolean {
  const field = sets ?? name.join(".");
  return [...(addresses ?? [])].some((address) => address === field || address.startsWith(`${field}.`));
}

/** Fields with the address of a receiver, by resource. */
export function receiverAddresses({ events }: Model): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  const targets = [events.webhooks, ...events.events.map(({ to }) => (to === "none" ? undefined : to))];
  for (const target of targets) {
    if (!target) continue;
    const fields = found.get(target.resource) ?? new Set();
    found.set(target.resource, fields.add(target.address));
  }
  return found;
}
