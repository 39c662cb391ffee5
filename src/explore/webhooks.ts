/**
 * Webhooks after a request: those that arrive from the service are compared with those that the reference records.
 * Receivers of a story have addresses of a receiver in this process.
 */
import { isSigned } from "../engine/deliveries/is-signed.ts";
import type { Model } from "../model/model.ts";
import { machine } from "../support/machine.ts";
import type { Json } from "../support/json.ts";
import {
  type ArrivedWebhook,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../verify/webhook-receiver.ts";
import { type Difference, isList, isMap } from "./compare-responses.ts";
import type { Reference, ReferenceWebhook } from "./implementation.ts";
import { jsonOf } from "./story.ts";
import type { ReceivedResponse } from "../verify/scenario-failure.ts";

export interface WebhookInboxOptions {
  /** The URL at which the service reaches it; that of this machine without one. */
  readonly url?: string;
  readonly port?: number;
  /** How long an expected webhook is waited for, in milliseconds. */
  readonly waitMs?: number;
}

const waitMsByDefault = 5_000;
/** So many are waited for before the first one arrives: then the service can't reach the receiver. */
const missedMax = 3;

/** Bodies of responses that are kept to find secrets. */
const bodiesMax = 500;

/** Where the webhooks of the verified service arrive. */
export class WebhookInbox {
  /** Ends with a slash. */
  readonly url: string;
  readonly waitMs: number;
  /** The events of webhooks that were compared. */
  readonly compared = new Set<string>();
  readonly #receiver: WebhookReceiver;
  readonly #arrived: ArrivedWebhook[];
  readonly #listeners: Set<() => void>;
  #isReached = false;
  #missed = 0;

  private constructor(
    receiver: WebhookReceiver,
    arrived: ArrivedWebhook[],
    listeners: Set<() => void>,
    url: string,
    waitMs: number,
  ) {
    this.#receiver = receiver;
    this.#arrived = arrived;
    this.#listeners = listeners;
    this.waitMs = waitMs;
    this.url = url.endsWith("/") ? url : `${url}/`;
  }

  /** @throws what the system says of the port */
  static async open({
    url,
    port,
    waitMs = waitMsByDefault,
  }: WebhookInboxOptions = {}): Promise<WebhookInbox> {
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
      waitMs,
    );
  }

  /** Whether any webhook has arrived: without one, none of them can be observed. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** Takes those that have arrived, once there are `count`. Without them, those that arrived in time. */
  async take(count: number): Promise<readonly ArrivedWebhook[]> {
    if (count > 0 && (this.#isReached || this.#missed < missedMax)) await this.#wait(count);
    const taken = this.#arrived.splice(0);
    if (taken.length > 0) this.#isReached = true;
    else if (count > 0) this.#missed += 1;
    return taken;
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }

  #wait(count: number): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        takeBack();
        this.#listeners.delete(look);
        resolve();
      };
      const look = (): void => {
        if (this.#arrived.length >= count) end();
      };
      const takeBack = machine.after(this.waitMs, end);
      this.#listeners.add(look);
      look();
    });
  }
}

/** A webhook of the service, and what the reference and its other run record in its place. */
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
 * Matches by address and event; in the order of arrival if the document says `in order`.
 * @param expected of both runs of the reference, as many in each
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
    const path = new URL(first.url).pathname;
    const at = left.findIndex((webhook) => webhook.path === path && isOfEvent(webhook, first));
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
  return { pairs, differences };
}

/** Whether a webhook may be of this event: it names the event where the reference names it. */
function isOfEvent(
  { text, headers }: ArrivedWebhook,
  { event, body, headers: ofReference }: ReferenceWebhook,
): boolean {
  const isNamed = (content: string, all: readonly unknown[]): boolean =>
    content.includes(event) || all.includes(event);
  return !isNamed(body, Object.values(ofReference)) || isNamed(text, Object.values(headers));
}

/** A webhook as a response, to compare it as one. */
export function asResponse(headers: Readonly<Record<string, unknown>>, body: string): ReceivedResponse {
  const pairs = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === "string" ? [[name, value] as const] : [],
  );
  return { status: 200, headers: pairs, body };
}

/** Takes the webhooks after each step from the service and both runs of the reference, and matches them. */
export class WebhookComparison {
  readonly #inbox: WebhookInbox;
  readonly #first: Reference;
  readonly #second: Reference;
  /** Bodies of responses: a secret of the service stands where that of the reference stands. */
  readonly #bodies: { readonly first: string; readonly observed: string }[] = [];

  constructor(inbox: WebhookInbox, first: Reference, second: Reference) {
    this.#inbox = inbox;
    this.#first = first;
    this.#second = second;
  }

  note(first: ReceivedResponse, observed: ReceivedResponse | undefined): void {
    if (!observed || first.status >= 400) return;
    this.#bodies.push({ first: first.body, observed: observed.body });
    if (this.#bodies.length > bodiesMax) this.#bodies.shift();
  }

  /** Undefined if they can't be compared: none arrived so far, or the runs of the reference differ. */
  async next(): Promise<MatchedWebhooks | undefined> {
    const isObserved = ({ url }: ReferenceWebhook): boolean => url.startsWith(this.#inbox.url);
    const firsts = (await this.#first.newWebhooks()).filter(isObserved);
    const seconds = (await this.#second.newWebhooks()).filter(isObserved);
    const arrived = await this.#inbox.take(firsts.length);
    if (!this.#inbox.isReached || firsts.length !== seconds.length) return undefined;
    const expected = firsts.map((first, at) => [first, seconds[at] ?? first] as const);
    const { pairs, differences } = matchWebhooks(expected, arrived, this.#inbox.waitMs);
    for (const { first } of pairs) this.#inbox.compared.add(first.event);
    return {
      pairs,
      differences: [...differences, ...pairs.flatMap((pair) => this.#signatureDifference(pair))],
    };
  }

  #signatureDifference({ first, second, observed }: WebhookPair): readonly Difference[] {
    if (first.secrets.length === 0) return [];
    const header = (name: string): string | null => {
      const value = observed.headers[name];
      return typeof value === "string" ? value : null;
    };
    const known = first.secrets.flatMap((secret) => this.#secretOf(secret, second.secrets) ?? []);
    const isPresent = header("webhook-signature") !== null;
    // A secret that no response shows can't be verified with.
    if (known.length === 0 && isPresent) return [];
    if (known.some((secret) => isSigned(secret, header, observed.text, machine.now()))) return [];
    const actual = isPresent ? "another signature" : "no signature";
    return [
      { what: `webhook ${first.event} signature`, expected: "signed with the receiver's secret", actual },
    ];
  }

  /** The service's own secret for one of the reference. */
  #secretOf(secret: string, ofSecond: readonly string[]): string | undefined {
    for (const { first, observed } of this.#bodies.toReversed()) {
      const path = pathTo(jsonOf(first), secret);
      const value = path && textAt(jsonOf(observed), path);
      if (value !== undefined) return value;
    }
    // The client chose it, so it is the same in all runs.
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

/** Fields that hold the address of a receiver, by resource. */
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
