/**
 * Webhook receiver for tests: an address of this process that records deliveries, answers as
 * configured, and verifies signatures.
 */
import { isSigned } from "../engine/deliveries/is-signed.ts";
import type { Json } from "../support/json.ts";
import { machine } from "../support/machine.ts";
import { type ArrivedWebhook, startWebhookReceiver } from "../verify/webhook-receiver.ts";

export interface ReceiverOptions {
  /** What webhooks are signed with, in the manner of Standard Webhooks: then `isSigned` is looked at. */
  readonly secret?: string;
}

/** A webhook that has come. */
export interface Received {
  /** `webhook-id`, which is the same for every attempt; null of one without. */
  readonly id: string | null;
  /** The `type` of its body; null of one without. */
  readonly type: string | null;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body; null of one that is no JSON. */
  readonly json: Json;
  /** Whether a library of Standard Webhooks would accept it: its headers, its time, its bytes. Null where no secret was given. */
  readonly isSigned: boolean | null;
  /** What it was answered. */
  readonly status: number;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** All that has come, oldest first. */
  readonly received: readonly Received[];
  /** Answers the next ones so, one each; then 204 again. */
  answer(...statuses: readonly number[]): void;
  /** The first that no call has given yet, of this type; waits for it. Rejects after so long, 5 s without more. */
  next(type?: string, timeoutMs?: number): Promise<Received>;
  close(): Promise<void>;
}

const waitMs = 5000;

export async function startReceiver({ secret }: ReceiverOptions = {}): Promise<Receiver> {
  const received: Received[] = [];
  const given = new Set<Received>();
  const waiting = new Set<() => void>();
  const { port, answer, close } = await startWebhookReceiver({
    onArrived(webhook) {
      received.push(receivedOf(webhook, secret));
      for (const look of [...waiting]) look();
    },
  });
  const take = (type: string | undefined): Received | undefined => {
    const found = received.find(
      (candidate) => !given.has(candidate) && (type === undefined || candidate.type === type),
    );
    if (found) given.add(found);
    return found;
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    answer,
    next: (type, timeoutMs = waitMs) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const found = take(type);
          if (!found) return;
          over();
          resolve(found);
        };
        const takeBack = machine.after(timeoutMs, () => {
          over();
          const come = received.map((item) => item.type ?? "one without a type").join(", ") || "nothing";
          reject(
            new Error(
              `No webhook${type === undefined ? "" : ` ${type}`} has come in ${timeoutMs} ms, but ${come}.`,
            ),
          );
        });
        const over = () => {
          takeBack();
          waiting.delete(look);
        };
        waiting.add(look);
        look();
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function receivedOf({ headers, text, status }: ArrivedWebhook, secret: string | undefined): Received {
  const json = parsed(text);
  const type =
    typeof json === "object" && json !== null && !Array.isArray(json) ? (json as { type?: Json }).type : null;
  const header = (name: string) => (typeof headers[name] === "string" ? (headers[name] as string) : null);
  return {
    id: header("webhook-id"),
    type: typeof type === "string" ? type : null,
    headers,
    text,
    json,
    isSigned: secret === undefined ? null : isSigned(secret, header, text, machine.now()),
    status,
  };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}
