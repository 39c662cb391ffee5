/**
 * Trial sender: sends a trial to the service as a client's request, and reads the response, or the
 * beginning of a streamed one.
 */
import { createRequest, type HeaderLine, type ResponseBody } from "../../engine/http/message.ts";
import { systemClock } from "../../engine/ports.ts";
import type { AdminSpace } from "../context.ts";

export interface TryItResult {
  readonly id: string | null;
  readonly status: number;
  readonly headers: readonly HeaderLine[];
  /** The text of the body; null if it isn't text. */
  readonly body: string | null;
  /** Whether the end of the body is missing: it was too long, or was not awaited. */
  readonly isCut: boolean;
}

const tryItLimits = {
  /** The maximum length of a response body, in characters. */
  answerMax: 64 * 1024,
  /** How long a stream is read, in milliseconds. */
  streamMs: 3_000,
} as const;

export async function sendTryIt(
  space: AdminSpace,
  request: {
    readonly method: string;
    readonly target: string;
    readonly headers: readonly HeaderLine[];
    readonly body?: string | Uint8Array;
  },
  signal: AbortSignal,
): Promise<TryItResult> {
  const leaving = new AbortController();
  const answer = await space.fetch(
    createRequest({ ...request, signal: AbortSignal.any([signal, leaving.signal]) }),
  );
  const { text, isCut } = await readAnswer(answer.body, leaving);
  return {
    id: answer.headers.find(([name]) => name === "X-Request-Id")?.[1] ?? null,
    status: answer.status,
    headers: answer.headers,
    body: text,
    isCut,
  };
}

async function readAnswer(
  body: ResponseBody,
  leaving: AbortController,
): Promise<{ readonly text: string | null; readonly isCut: boolean }> {
  const cut = (text: string) => ({
    text: text.slice(0, tryItLimits.answerMax),
    isCut: text.length > tryItLimits.answerMax,
  });
  if (typeof body === "string") return cut(body);
  if (body instanceof Uint8Array) {
    try {
      return cut(new TextDecoder("utf-8", { fatal: true }).decode(body));
    } catch {
      return { text: null, isCut: false };
    }
  }
  let text = "";
  let isOver = false;
  const stop = systemClock.at(systemClock.now() + tryItLimits.streamMs, () => leaving.abort());
  try {
    for await (const piece of body) {
      text += typeof piece === "string" ? piece : new TextDecoder().decode(piece);
      if (text.length > tryItLimits.answerMax) break;
    }
    isOver = !leaving.signal.aborted && text.length <= tryItLimits.answerMax;
  } finally {
    stop();
    leaving.abort();
  }
  return { text: text.slice(0, tryItLimits.answerMax), isCut: !isOver };
}
