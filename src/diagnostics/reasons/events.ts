/** Why the diagnostics of part 6 are reported. */
import type { eventsCodes } from "../codes/events.ts";
import type { ReasonsOf } from "./shared.ts";

export const eventsReasons: ReasonsOf<typeof eventsCodes> = {
  "events/repeated-event":
    "Receivers know an event by its name. Two rows with different payloads would reach them under the same one.",
  "events/no-address":
    "The server sends webhooks to an address. A value of another type isn't an address, so no delivery could be made.",
  "events/no-secret":
    "The server signs with a secret that it can read. Without one, receivers could not verify who sent the webhook.",
  "events/payload-of-other":
    "The shape reads fields that the record of this event does not have, so the payload could not be built.",
};
