/** All that must be true after every step of a story. */
import type { Law } from "../moment.ts";
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
import { placesGivenBack } from "./places.ts";

export const laws: Readonly<Record<string, Law>> = {
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
  "places are given back": placesGivenBack,
  "places of receivers": placesOfReceivers,
  pauses,
  "each pause": eachPause,
  "one of each queue": oneOfEachQueue,
  "in order": inOrder,
  "recorded as delivered": reportedAsArrived,
};
