/** Requests that no function of a client sends, sent as they stand. */
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

export async function sendByHand(url: string, request: SentRequest): Promise<ReceivedResponse> {
  const { method, target, headers, body } = request;
  const answer = await fetch(url + target, {
    method,
    headers: headers as [string, string][],
    ...(body === undefined ? {} : { body }),
  });
  return received(answer);
}

export async function received(answer: Response): Promise<ReceivedResponse> {
  return { status: answer.status, headers: [...answer.headers], body: await answer.text() };
}
