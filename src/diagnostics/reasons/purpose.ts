/** Why the diagnostics of part 1 are reported. */
import type { purposeCodes } from "../codes/purpose.ts";
import type { ReasonsOf } from "./shared.ts";

export const purposeReasons: ReasonsOf<typeof purposeCodes> = {
  "purpose/unknown-key":
    "An item with an unknown key would have no effect: a scenario would run without this step, or a text would be missing from the documentation.",
  "purpose/other-heading":
    "The section is shown to readers and has no effect. The note is for a heading that was meant to be a scenario.",
  "purpose/said-twice":
    "The documentation shows one text for each of the three. A reader of the other would miss the rest.",
  "purpose/outside-scenario":
    "Tests run the steps of scenarios. A step outside of them tests nothing, though it looks as if it did.",
  "purpose/unnamed-scenario":
    "Test reports name scenarios, and `--only` selects by name. One without a name could not be found again.",
  "purpose/duplicate-scenario":
    "Test reports name scenarios, and `--only` selects by name. A report would not say which of the two has failed.",
  "purpose/unnamed-given":
    "Scenarios use shared records by their name. Without one these records would never be created.",
  "purpose/duplicate-given":
    "Scenarios use shared records by their name. With two of one name, a test would run with records that its author did not mean.",
  "purpose/given-circle":
    "The records could never be created: each list needs the other first. The scenarios that use them could not start.",
  "purpose/unused-given":
    "Nothing creates these records. A scenario that was meant to use them runs without them.",
  "purpose/empty-scenario":
    "A scenario without a request always passes, so it proves nothing about the service.",
  "purpose/not-run":
    "The test passes over this block. A request in it is never sent, and a response never compared.",
  "purpose/request-without-response":
    "Without an expected response the test would have nothing to compare the service's response with.",
  "purpose/response-without-request":
    "The test would have no response of the service to compare this one with.",
  "purpose/unreadable-given":
    "The scenario would start without this record, and its requests would be tested against another state than the author meant.",
  "purpose/given-value": "A value is stored inside other records. The test could not create one alone.",
  "purpose/computed-field":
    "The server computes this field on each read. A value that a test sets would be lost, and the test would compare with another.",
  "purpose/field-twice":
    "The record would get one of the two values, and the test might be written for the other.",
  "purpose/name-taken":
    "A later step could mean either of the two records, so the test might read the wrong one.",
  "purpose/unreadable-wait":
    "The test moves the clock by this length of time. Without an exact one, the result would depend on the date of the run.",
  "purpose/unreadable-event":
    "The test would not know which event to expect, so a missing event would go unnoticed.",
  "purpose/unreadable-request-line":
    "The test could not send this request, and every later step of the scenario depends on it.",
  "purpose/unreadable-status-line":
    "The test would not know which status to expect, so a wrong one would go unnoticed.",
  "purpose/unreadable-header":
    "The test would send or compare the header wrongly, or take it for a part of the body.",
  "purpose/body-not-json":
    "A service that accepts JSON would reject this body, and a response that is not JSON can't be compared by members.",
  "purpose/unknown-capture":
    "The request would contain an empty value, and the service would answer for another record or none.",
  "purpose/capture-in-request":
    "A pattern matches any value in a response. A request has to send one value, and the test can't choose it.",
  "purpose/unreadable-capture":
    "The test would compare these braces as plain text, so the step would fail for a reason that is hard to see.",
  "purpose/unknown-capture-type": "The test would not know which values to accept here.",
};
