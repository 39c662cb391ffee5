/** Why the diagnostics of the checks over the whole model are reported. */
import type { checksCodes } from "../codes/checks.ts";
import type { ReasonsOf } from "./shared.ts";

export const checksReasons: ReasonsOf<typeof checksCodes> = {
  "expressions/much-work":
    "The response gets slower with each stored record. With a few thousand of them, clients wait for seconds.",
  "expressions/too-much-work":
    "With a few thousand stored records one request would occupy the server for hours, and all others would wait.",
  "expressions/long-in-place":
    "The database computes the whole expression in one statement. It may reject a longer one, or need long to prepare it.",
  "expressions/too-long-in-place":
    "The database computes the whole expression in one statement, and would reject this one, so each request would fail.",
  "expressions/unanswerable":
    "The server would have to read every stored record to find those that are meant.",
  "expressions/other-case":
    "Two records can have values that this comparison finds equal, although the field is unique. The rule knows the case of A to Z only.",
  "expressions/shape-unknown":
    "Clients receive null in this member. A condition that reads it decides by a value that is never there.",
  "expressions/sequence-elsewhere":
    "The number would differ at each read, so clients could not refer to anything by it.",
  "resources/identifier-repeats": "The second record of the same number would be rejected as a duplicate.",
  "resources/identifier-computed":
    "The database finds records by a stored and unique identifier. A computed one can change, and addresses that clients hold would break.",
  "endpoints/identified-in-one-text":
    "The text fits several records, so the server could select the wrong one.",
  "endpoints/unused-item": "The item applies to no endpoint, so the server runs without it.",
  "endpoints/made-where-found":
    "The request finds the record, and then fails to create a second one with the same identifier.",
  "endpoints/fails-decided":
    "The condition is evaluated after the value is set, so it holds for every request and no client ever succeeds.",
  "events/unknown-type":
    "No event has this type, so the condition never holds and the receiver is never notified.",
  "resources/past-visible":
    "A caller learns about records that `Visible` hides from them, for example how many there are.",
  "resources/among-own-records":
    "A rule is evaluated before a new record is among the others, and when a changed one has its new values. A sum over all of them would let a new record pass a limit, and count a changed one twice.",
  "resources/visible-forgotten": "Each customer of the service can read the records of all others.",
  "endpoints/embeds-invisible":
    "A caller reads through one record what `Visible` hides from them in another.",
  "endpoints/unfiltered-stream":
    "Each listener receives the data of all others, although they could not read those records.",
  "events/unfiltered-webhooks":
    "Each receiver gets the data of all customers, although it could not read those records.",
  "endpoints/ends-unsent": "Clients would wait for the last event of the stream and never receive it.",
  "events/event-of-own-record": "One change would cause deliveries without end, each about the one before.",
  "events/delivery-made":
    "A record that no event created would wait for a receiver that never gets anything.",
  "events/delivery-held":
    "The service deletes old deliveries. This reference would keep them, and the store would grow without end.",
  "events/never-sent": "Receivers wait for an event that never comes, though the documentation announces it.",
};
