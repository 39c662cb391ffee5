/** Sends a request again as it came, to the service as it is now. */
import { createRequest } from "../../engine/http/message.ts";
import type { KeptTexts, NotedRequest } from "../../engine/observing/request-journal.ts";
import { OperationRefusal } from "../api/refusal.ts";
import type { AdminSpace } from "../context.ts";
import { pairsOf } from "./serialize-request.ts";

/** What an answer that comes piece by piece is waited for: its beginning. @throws OperationRefusal */
export async function repeat(
  space: AdminSpace,
  request: NotedRequest,
  texts: KeptTexts,
  signal: AbortSignal,
): Promise<{ readonly id: string | null; readonly status: number }> {
  if (request.method === "")
    throw new OperationRefusal(
      409,
      "Not a request",
      "What came could not be parsed, so that nobody knows what to send.",
    );
  if (texts.body?.isCut)
    throw new OperationRefusal(
      409,
      "Not kept whole",
      "Only the beginning of its body is kept, so that it can't be sent again.",
    );
  const leaving = new AbortController();
  const answer = await space.fetch(
    createRequest({
      method: request.method,
      target: request.target,
      // As long as what is sent now; how it came is over.
      headers: pairsOf(texts.rawHeaders).filter(
        ([name]) => !/^(content-length|transfer-encoding|expect)$/i.test(name),
      ),
      ...(texts.body ? { body: texts.body.content } : {}),
      remoteAddress: request.remoteAddress,
      signal: AbortSignal.any([signal, leaving.signal]),
    }),
  );
  // Nobody reads on where the answer comes piece by piece.
  leaving.abort();
  return {
    id: answer.headers.find(([name]) => name === "X-Request-Id")?.[1] ?? null,
    status: answer.status,
  };
}
