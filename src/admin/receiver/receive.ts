/**
 * Built-in receiver: accepts POST requests to an address that the service itself has created
 * (`engine/deliveries/built-in-receiver.ts`). It verifies the signature, stores the request for
 * inspection, and answers as the operator configured. A request to any other address learns
 * nothing.
 */
import type { ServiceRequest, ServiceResponse } from "../../engine/http/message.ts";
import type { ParsedHead } from "../../engine/http/strict-request.ts";
import { webhookMethods } from "../../model/parts/events.ts";
import type { AdminContext, AdminSpace } from "../context.ts";
import { receivedBy, receiverLimits, type ReceiverBehavior } from "./received-log.ts";
import { machine } from "../../support/machine.ts";

export type Receive = (request: ServiceRequest, head: ParsedHead) => Promise<ServiceResponse>;

const answers: Readonly<Record<ReceiverBehavior, Pick<ServiceResponse, "status" | "headers" | "body">>> = {
  ok: plain(200, "received\n"),
  fails: plain(500, "configured to fail\n"),
  gone: plain(410, "configured to answer 410\n"),
  overloaded: plain(429, "configured to answer 429\n", [["Retry-After", "10"]]),
  slow: plain(200, "received, late\n"),
};

export function createReceiver(admin: AdminContext): Receive {
  let slow = 0;
  const untilAborted = async (signal: AbortSignal) => {
    if (slow >= receiverLimits.slowMax) return;
    slow += 1;
    await new Promise<void>((resolve) => {
      const takeBack = machine.after(receiverLimits.slowMs, resolve, true);
      const give = () => {
        takeBack();
        resolve();
      };
      signal.addEventListener("abort", give, { once: true });
    });
    slow -= 1;
  };
  return async (request, head) => {
    const space = await spaceOf(admin, head.segments[1]);
    const { service } = space ?? {};
    const name = service?.deliveries.builtIn.nameAt(head.path);
    if (!space || !service || name === undefined || !isSent(request.method)) return plain(403, "");
    const body = await request.body(receiverLimits.bodyBytesMax);
    const log = receivedBy(service);
    const manner = log.behaviorOf(name);
    const answer = answers[manner];
    const verdict = await service.deliveries.judge({ path: head.path, headers: head.headers, body });
    log.note({
      name,
      timeMs: space.clock.now(),
      headers: pairsOf(request.rawHeaders).map(([header, value]) => [header, verdict.mask(value)]),
      // The copy releases the larger buffer that the body may be a part of.
      body: Uint8Array.from(body.subarray(0, receiverLimits.storedBodyBytesMax)),
      bodyBytes: body.byteLength,
      status: answer.status,
      behavior: manner,
      verdict,
    });
    if (manner === "slow") await untilAborted(request.signal);
    return answer;
  };
}

function isSent(method: string): boolean {
  return webhookMethods.some((sent) => sent === method);
}

/** Finds a space that is already open. A request to the receiver never creates one. */
async function spaceOf(admin: AdminContext, name: string | undefined): Promise<AdminSpace | undefined> {
  if (name === undefined) return undefined;
  const { spaces } = admin;
  const isOpen = spaces ? (await spaces.all()).some((space) => space.name === name) : true;
  return isOpen ? admin.space(name).catch(() => undefined) : undefined;
}

function pairsOf(rawHeaders: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    pairs.push([rawHeaders[at] as string, rawHeaders[at + 1] as string]);
  return pairs;
}

function plain(status: number, body: string, headers: ServiceResponse["headers"] = []): ServiceResponse {
  return {
    status,
    headers: [...(body === "" ? [] : [["Content-Type", "text/plain; charset=utf-8"] as const]), ...headers],
    body,
  };
}
