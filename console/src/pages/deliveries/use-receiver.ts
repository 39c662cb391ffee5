/** The built-in receiver, and its requests as they arrive. */
import type { DeliveryNotice } from "../../../../src/admin/api/deliveries/deliveries-topic.ts";
import type { ReceiverResponse } from "../../../../src/admin/api/deliveries/receiver.ts";
import { type AnswerState, useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";

export function useReceiver(): AnswerState<ReceiverResponse> {
  const response = useAnswer<ReceiverResponse>("/api/receiver");
  useFrames("deliveries", (frame) => {
    if (frame.kind === "rows" && frame.rows.some((row) => "received" in (row as DeliveryNotice)))
      response.again();
  });
  return response;
}
