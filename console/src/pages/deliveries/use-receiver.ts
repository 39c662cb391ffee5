/** The built-in receiver, and its requests as they arrive. */
import type { DeliveryNotice } from "../../../../src/admin/api/deliveries-topic.ts";
import type { ReceiverResponse } from "../../../../src/admin/api/receiver.ts";
import { type Answered, useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";

export function useReceiver(): Answered<ReceiverResponse> {
  const answered = useAnswer<ReceiverResponse>("/api/receiver");
  useFrames("deliveries", (frame) => {
    if (frame.kind === "rows" && frame.rows.some((row) => "received" in (row as DeliveryNotice)))
      answered.again();
  });
  return answered;
}
