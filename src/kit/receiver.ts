/**
 * Webhook receiver for tests: an address of this process that records deliveries, answers as
 * configured, and verifies signatures.
 */
import type { Json } from "../support/json.ts";
import { machine } from "../support/machine.ts";
import { type ArrivedWebhook, startWebhookReceiver } from "../verify/webhook-receiver.ts";
import { type IsSignatureValid, type SignatureScheme, type SignedWebhook, signatures } from "./signatures.ts";

export interface ReceiverOptions {
  /** The secret of the sender. With it, `isSigned` is determined. */
  readonly secret?: string;
  /** The signature scheme: `stripe`, `github` …, or a function. Standard Webhooks by default. */
  readonly signature?: SignatureScheme | IsSignatureValid;
}

/** A received webhook. */
export interface Received {
  /** The header `webhook-id`, which is the same for every attempt; null if missing. */
  readonly id: string | null;
  /** The `type` of the body; null if missing. */
  readonly type: string | null;
  readonly method: string;
  /** The path and the query of the request, after the receiver's own address. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
  /** The body as JSON; null if it isn't JSON. */
  readonly json: Json;
  /**
   * Whether the vendor's library would accept the headers, the time and the bytes. Null if no
   * secret was given.
   */
  readonly isSigned: boolean | null;
  /** The status of the response. */
  readonly status: number;
}

export interface Receiver extends AsyncDisposable {
  readonly url: string;
  /** All received webhooks, oldest first. */
  readonly received: readonly Received[];
  /** Sets the statuses of the next responses, one each; then 204 again. */
  answer(...statuses: readonly number[]): void;
  /**
   * The first webhook of this type, or for which this function is true, that no earlier call
   * returned. Waits for it, and rejects after the timeout, by default 5 s.
   */
  next(wanted?: string | ((webhook: Received) => boolean), timeoutMs?: number): Promise<Received>;
  close(): Promise<void>;
}

const waitMs = 5000;

export async function startReceiver({
  secret,
  signature = "standard",
}: ReceiverOptions = {}): Promise<Receiver> {
  const judge = typeof signature === "function" ? signature : signatures[signature];
  const received: Received[] = [];
  const given = new Set<Received>();
  const waiting = new Set<() => void>();
  const { port, answer, close } = await startWebhookReceiver({
    onArrived(webhook) {
      const url = `http://127.0.0.1:${port}${webhook.path}`;
      received.push(
        receivedOf(webhook, (signed) =>
          secret === undefined ? null : judge({ ...signed, url }, secret, machine.now()),
        ),
      );
      for (const look of [...waiting]) look();
    },
  });
  const takeReceived = (isWanted: (webhook: Received) => boolean): Received | undefined => {
    const found = received.find((candidate) => !given.has(candidate) && isWanted(candidate));
    if (found) given.add(found);
    return found;
  };
  return {
    url: `http://127.0.0.1:${port}/`,
    received,
    answer,
    next: (wanted, timeoutMs = waitMs) =>
      new Promise((resolve, reject) => {
        const isWanted =
          typeof wanted === "function" ? wanted : ({ type }: Received) => (wanted ?? type) === type;
        const look = () => {
          const found = takeReceived(isWanted);
          if (!found) return;
          over();
          resolve(found);
        };
        const takeBack = machine.after(timeoutMs, () => {
          over();
          const come = received.map((item) => item.type ?? "one without a type").join(", ") || "nothing";
          reject(new Error(`No webhook${nameOf(wanted)} has arrived within ${timeoutMs} ms, only ${come}.`));
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

function nameOf(wanted: Parameters<Receiver["next"]>[0]): string {
  if (typeof wanted === "function") return " that was looked for";
  return wanted === undefined ? "" : ` ${wanted}`;
}

function receivedOf(
  { method, path, headers, text, status }: ArrivedWebhook,
  judge: (signed: Pick<SignedWebhook, "header" | "text">) => boolean | null,
): Received {
  const json = parsed(text);
  const type =
    typeof json === "object" && json !== null && !Array.isArray(json) ? (json as { type?: Json }).type : null;
  const header = (name: string) => {
    const value = headers[name];
    return typeof value === "string" ? value : null;
  };
  return {
    id: header("webhook-id"),
    type: typeof type === "string" ? type : null,
    method,
    path,
    headers,
    text,
    json,
    isSigned: judge({ header, text }),
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
