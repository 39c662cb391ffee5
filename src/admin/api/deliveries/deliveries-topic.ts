/** Deliveries topic: new deliveries, their attempts, and requests to the built-in receiver. */
import { receivedBy } from "../../receiver/received-log.ts";
import { type DeliveryResponse, toDeliveryResponses } from "./delivery-response.ts";
import { createThrottledTask } from "../stream/throttled-task.ts";
import { type ReceivedResponse, toReceivedResponse } from "./receiver.ts";
import { topic } from "../stream/topic.ts";

/** A new delivery, an attempt, or a request to the built-in receiver. */
export type DeliveryNotice =
  | { readonly delivery: DeliveryResponse }
  | { readonly received: ReceivedResponse };

/** The maximum number of deliveries in one notification: the latest ones. */
const noticesMax = 50;

export const deliveriesTopic = topic<DeliveryNotice>({
  name: "deliveries",
  delivers: "rows",
  start({ service }, push) {
    const { deliveries, internals } = service;
    const attempted = new Set<number>();
    let newest: number | undefined;
    const gathering = createThrottledTask(internals.context.ports.log, async () => {
      const rows = await deliveries.list({}, noticesMax);
      const known = newest;
      newest = rows[0]?.number ?? newest ?? 0;
      const numbers = [...attempted].slice(-noticesMax);
      attempted.clear();
      const changed = rows.filter(
        ({ number }) => (known !== undefined && number > known) || numbers.includes(number),
      );
      for (const number of numbers) {
        if (changed.some((row) => row.number === number)) continue;
        const [row] = await deliveries.list({ before: number + 1 }, 1);
        if (row?.number === number) changed.push(row);
      }
      for (const delivery of (await toDeliveryResponses(service, changed)).toReversed()) push({ delivery });
    });
    // Finds the current end of both lists, so that only later entries are sent.
    gathering.trigger();
    const stops = [
      internals.shared.wakeUps.onEvents(() => gathering.trigger()),
      deliveries.onAttempt(({ delivery }) => {
        attempted.add(delivery);
        gathering.trigger();
      }),
      receivedBy(service).watch((received) => push({ received: toReceivedResponse(received) })),
    ];
    return () => {
      for (const stop of stops) stop();
      gathering.stop();
    };
  },
  serialize: (notice) => notice,
});
