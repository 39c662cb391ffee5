/** The built-in receiver, and what comes to it as it comes. */
import type { DeliveryTold } from "../../../../src/admin/api/deliveries-topic.ts";
import type { ReceiverAnswer } from "../../../../src/admin/api/receiver.ts";
import { type Answered, useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";

export function useReceiver(): Answered<ReceiverAnswer> {
  const answered = useAnswer<ReceiverAnswer>("/api/receiver");
  useFrames("deliveries", (frame) => {
    if (frame.kind === "rows" && frame.rows.some((row) => "received" in (row as DeliveryTold)))
      answered.again();
  });
  return answered;
}
