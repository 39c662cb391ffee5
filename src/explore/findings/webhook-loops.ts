/**
 * Webhook loops: deliveries that lead to further webhooks, without end. What the document does after
 * a delivery may be the event again, and so may a request to an endpoint of the service itself,
 * whose URL a caller registers. The webhooks of a story are delivered to receivers in this process. A
 * loop is found if the service sends many more than the story caused.
 */
import { createRequest } from "../../engine/http/message.ts";
import type { Outbound, OutboundRequest } from "../../engine/outbound/outbound.ts";
import type { Service } from "../../engine/service.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { isInputOf, receiverAddresses } from "../comparison/webhooks.ts";
import { endpointName } from "../walk/walked-step.ts";

/** The maximum number of attempts for each webhook of a story, and of further ones. */
const attemptsEach = 4;
const attemptsMore = 100;
/** The number of last webhooks that name the event of a loop. */
const lastMax = 50;

/** How receivers respond: with a status, or as an endpoint of the service. */
export type LoopReceiver = { readonly status: number } | { readonly endpoint: Endpoint };

export interface WebhookLoop {
  /** The event type. */
  readonly event: string;
  readonly receiver: LoopReceiver;
}

/** The receivers with which a document may have a loop; none for most documents. */
export function loopReceivers(model: Model): readonly LoopReceiver[] {
  const addresses = receiverAddresses(model);
  const hasEffects = model.resources.some(({ name, states }) => name === "Delivery" && states !== undefined);
  const isChosen = model.endpoints.some(
    ({ resource = "", inputs, gap }) =>
      !gap && inputs.some((input) => isInputOf(input, addresses.get(resource))),
  );
  return addresses.size === 0
    ? []
    : [
        ...(hasEffects ? [{ status: 200 }, { status: 500 }] : []),
        ...(isChosen ? model.endpoints.filter(isOpen).map((endpoint) => ({ endpoint })) : []),
      ];
}

/** Whether a webhook can be a request to the endpoint: it has no credentials, and a fixed URL. */
function isOpen({ method, allowed, path, gap }: Endpoint): boolean {
  return (
    method === "POST" &&
    !gap &&
    allowed.length > 0 &&
    allowed.every(({ kind }) => kind === "anyone") &&
    path.segments.every(({ kind }) => kind !== "parameter")
  );
}

/** The receivers of all webhooks of one service. */
export class LoopReceivers implements Outbound {
  readonly receiver: LoopReceiver;
  readonly #basePath: string;
  #service: Pick<Service, "fetch"> | undefined;
  #left = Number.POSITIVE_INFINITY;
  #pause: () => void = () => {};

  constructor(receiver: LoopReceiver, { endpointsPart }: Pick<Model, "endpointsPart">) {
    this.receiver = receiver;
    this.#basePath = endpointsPart.basePath.text.replace(/\/$/, "");
  }

  async request({ headers, body }: OutboundRequest): ReturnType<Outbound["request"]> {
    this.#left -= 1;
    if (this.#left === 0) this.#pause();
    const { receiver } = this;
    const status =
      "status" in receiver ? receiver.status : await this.#call(receiver.endpoint, headers, body);
    return { status, headers: {}, body: new Uint8Array() };
  }

  async #call(
    { path }: Endpoint,
    headers: OutboundRequest["headers"],
    body: OutboundRequest["body"],
  ): Promise<number> {
    const answered = await this.#service?.fetch(
      createRequest({
        method: "POST",
        target: `${this.#basePath}${path.text}`,
        headers: Object.entries(headers ?? {}),
        ...(body === undefined ? {} : { body }),
      }),
    );
    return answered?.status ?? 500;
  }

  /** Delivers what a service has to send. Undefined if that has an end. */
  async deliver(service: Pick<Service, "deliveries" | "fetch">): Promise<WebhookLoop | undefined> {
    const { deliveries } = service;
    const waiting = await deliveries.count({ channel: "webhook" }, Number.MAX_SAFE_INTEGER);
    if (waiting === 0) return undefined;
    this.#service = service;
    this.#left = attemptsMore + attemptsEach * waiting;
    let paused: Promise<void> | undefined;
    this.#pause = () => (paused = deliveries.pause());
    deliveries.start();
    await deliveries.idle();
    if (!paused) return undefined;
    await paused;
    const counts = new Map<string, number>();
    for (const { eventType } of await deliveries.list({ channel: "webhook" }, lastMax))
      counts.set(eventType, (counts.get(eventType) ?? 0) + 1);
    const [most] = [...counts].toSorted(([, left], [, right]) => right - left);
    return most && { event: most[0], receiver: this.receiver };
  }
}

/** What a loop is, as a sentence. */
export function loopMessage({ event, receiver }: WebhookLoop): string {
  if ("endpoint" in receiver)
    return `Each webhook of ${event} leads to a further one if its URL is that of ${endpointName(receiver.endpoint)}, which anyone may call.`;
  const when = receiver.status < 400 ? "Each delivery" : "Each failed attempt";
  return `${when} of ${event} leads to a further webhook of it: what the document does after it is the event again.`;
}
