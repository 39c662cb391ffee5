/** The invariants that must hold after every step of a story. */
import type { Invariant } from "../moment.ts";
import { answeredByDocument, ifMatch, noFaults, tenants } from "./answers.ts";
import {
  eachPause,
  inOrder,
  oneOfEachQueue,
  pauses,
  placesOfReceivers,
  reportedAsArrived,
} from "./deliveries.ts";
import { eventsIffChanges } from "./events.ts";
import { always, fields, references, uniques } from "./records.ts";
import { nothingLeftImmediate, quotas } from "./states.ts";
import { nothingLeftDue, timersAsStated } from "./time.ts";
import { slotsReleased } from "./slots.ts";

export const invariants: Readonly<Record<string, Invariant>> = {
  "answered by the document": answeredByDocument,
  "no faults": noFaults,
  "Always holds": always,
  uniques,
  references,
  fields,
  "events if and only if changes": eventsIffChanges,
  "nothing is left due": nothingLeftDue,
  "timers as stated": timersAsStated,
  "nothing is left immediate": nothingLeftImmediate,
  quotas,
  "If-Match": ifMatch,
  tenants,
  "slots are released": slotsReleased,
  "places of receivers": placesOfReceivers,
  pauses,
  "each pause": eachPause,
  "one of each queue": oneOfEachQueue,
  "in order": inOrder,
  "recorded as delivered": reportedAsArrived,
};
