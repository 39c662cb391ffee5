/**
 * Webhook receiver for tests: an address of this process that records deliveries, answers as
 * configured, and verifies signatures.
 */
import type { Json } from "../support/json.ts";
import { machine } from "../support/machine.ts";
import { type ArrivedWebhook, startWebhookReceiver } from "../verify/webhook-receiver.ts";
import { type JudgeSignature, type SignatureScheme, type SignedWebhook, signatures } from "./signatures.ts";

export interface ReceiverOptions {
  /** What webhooks are signed with: then `isSigned` is looked at. */
  readonly secret?: string;
  /**
   * How they are signed: `stripe`, `github` …; Standard Webhooks without it, or a judgement of your
   * own.
   */
  readonly signature?: SignatureScheme | JudgeSignature;
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
  /**
   * Whether the library of the vendor would accept it: its headers, its time, its bytes. Null where
   * no secret was given.
   */
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
  /**
   * The first that no call has given yet, of this type, or for which this is true; waits for it.
   * Rejects after so long, 5 s without more.
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
  const take = (isWanted: (webhook: Received) => boolean): Received | undefined => {
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
          const found = take(isWanted);
          if (!found) return;
          over();
          resolve(found);
        };
        const takeBack = machine.after(timeoutMs, () => {
          over();
          const come = received.map((item) => item.type ?? "one without a type").join(", ") || "nothing";
          reject(new Error(`No webhook${nameOf(wanted)} has come in ${timeoutMs} ms, but ${come}.`));
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
  { headers, text, status }: ArrivedWebhook,
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
