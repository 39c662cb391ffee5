/** Deliveries as they are made and attempted, and what comes to the built-in receiver. */
import { receivedBy } from "../receiver/received.ts";
import { type DeliveryAnswer, tellDeliveries } from "./delivery-told.ts";
import { createGathering } from "./gathering.ts";
import { type ReceivedAnswer, tellReceived } from "./receiver.ts";
import { topic } from "./topic.ts";

/** A delivery that is new or was attempted, or what has come to the built-in receiver. */
export type DeliveryTold = { readonly delivery: DeliveryAnswer } | { readonly received: ReceivedAnswer };

/** So many are told of at a time: the latest. */
const toldMax = 50;

export const deliveriesTopic = topic<DeliveryTold>({
  name: "deliveries",
  keeps: "rows",
  begin({ service }, push) {
    const { deliveries, inside } = service;
    const attempted = new Set<number>();
    let newest: number | undefined;
    const gathering = createGathering(inside.context.ports.log, async () => {
      const rows = await deliveries.list({}, toldMax);
      const known = newest;
      newest = rows[0]?.number ?? newest ?? 0;
      const numbers = [...attempted].slice(-toldMax);
      attempted.clear();
      const changed = rows.filter(
        ({ number }) => (known !== undefined && number > known) || numbers.includes(number),
      );
      for (const number of numbers) {
        if (changed.some((row) => row.number === number)) continue;
        const [row] = await deliveries.list({ before: number + 1 }, 1);
        if (row?.number === number) changed.push(row);
      }
      for (const delivery of (await tellDeliveries(service, changed)).toReversed()) push({ delivery });
    });
    // Where they end now.
    gathering.look();
    const stops = [
      inside.shared.wake.onEvents(() => gathering.look()),
      deliveries.onAttempt((number) => {
        attempted.add(number);
        gathering.look();
      }),
      receivedBy(service).watch((received) => push({ received: tellReceived(received) })),
    ];
    return () => {
      for (const stop of stops) stop();
      gathering.stop();
    };
  },
  tell: (told) => told,
});
