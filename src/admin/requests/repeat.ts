/** Request repetition: sends a recorded request to the present service again. */
import { createRequest } from "../../engine/http/message.ts";
import { OperationRefusal } from "../api/routing/refusal.ts";
import type { AdminSpace } from "../context.ts";
import { pairsOf } from "./serialize-request.ts";
import type { JournalEntry, DroppableTexts } from "../../engine/observability/journal-entry.ts";

/** Returns the complete response, or the beginning of a streamed one. @throws OperationRefusal */
export async function repeat(
  space: AdminSpace,
  request: JournalEntry,
  texts: DroppableTexts,
  signal: AbortSignal,
): Promise<{ readonly id: string | null; readonly status: number }> {
  if (request.method === "")
    throw new OperationRefusal(
      409,
      "Not a request",
      "The received request could not be parsed, so it can't be repeated.",
    );
  if (texts.body?.isCut)
    throw new OperationRefusal(
      409,
      "Not stored completely",
      "Only the start of its body is stored, so it can't be sent again.",
    );
  const leaving = new AbortController();
  const answer = await space.fetch(
    createRequest({
      method: request.method,
      target: request.target,
      // Drops the old length and transfer coding, which don't apply to the new body.
      headers: pairsOf(texts.rawHeaders).filter(
        ([name]) => !/^(content-length|transfer-encoding|expect)$/i.test(name),
      ),
      ...(texts.body ? { body: texts.body.content } : {}),
      remoteAddress: request.remoteAddress,
      signal: AbortSignal.any([signal, leaving.signal]),
    }),
  );
  // Nothing reads the rest of a streamed response.
  leaving.abort();
  return {
    id: answer.headers.find(([name]) => name === "X-Request-Id")?.[1] ?? null,
    status: answer.status,
  };
}
