/**
 * The kinds of differences. If OpenAPI can express one, `oasdiff` names the corresponding rules of the published
 * differ. `oasdiff.test.ts` checks that both have the same severity, or states why they differ.
 */

interface Rule {
  readonly severity: Severity;
  /** Title of the kind, for SARIF and `--json`. */
  readonly title: string;
}

export const rules = {
  // Versions and the whole
  "base-path-changed": { severity: "breaking", title: "The base path is another." },
  "version-gone": { severity: "breaking", title: "A version is no longer served." },
  "version-added": { severity: "fine", title: "A version is new." },
  "version-request-changed": { severity: "breaking", title: "Versions are requested in another way." },
  "default-version-changed": {
    severity: "breaking",
    title: "A request that names no version gets another one.",
  },
  "version-status-changed": { severity: "careful", title: "A version's status or end has changed." },
  // Operations
  "operation-removed": { severity: "breaking", title: "An endpoint no longer exists." },
  "operation-added": { severity: "fine", title: "An endpoint is new." },
  "operation-open": { severity: "breaking", title: "An endpoint answers 501 now." },
  "operation-closed": { severity: "fine", title: "An endpoint that answered 501 works." },
  "operation-changed": { severity: "careful", title: "An endpoint does something else." },
  "where-stricter": { severity: "breaking", title: "An endpoint finds fewer records." },
  "order-changed": { severity: "careful", title: "A list has another order." },
  "pagination-changed": { severity: "breaking", title: "A list is paged in another way." },
  "idempotency-changed": { severity: "careful", title: "Repeated requests are treated otherwise." },
  "precondition-required": { severity: "breaking", title: "A precondition is required now." },
  "stream-changed": { severity: "careful", title: "A stream sends something else." },
  // Requests
  "input-removed": { severity: "careful", title: "An input is no longer read." },
  "input-refused": { severity: "breaking", title: "An input is no longer accepted." },
  "input-added": { severity: "fine", title: "An optional input is new." },
  "input-required": { severity: "breaking", title: "An input is required now." },
  "input-optional": { severity: "fine", title: "An input may be left out now." },
  "input-not-nullable": { severity: "breaking", title: "Null is no longer accepted." },
  "input-nullable": { severity: "fine", title: "Null is accepted now." },
  "input-narrowed": { severity: "breaking", title: "Fewer values are accepted." },
  "input-pattern-changed": { severity: "careful", title: "An input has another pattern." },
  "input-widened": { severity: "fine", title: "More values are accepted." },
  "input-type-changed": { severity: "breaking", title: "An input has another type." },
  "input-default-changed": { severity: "careful", title: "An input left out means something else." },
  "input-meaning-changed": { severity: "careful", title: "An input does something else." },
  "input-form-changed": { severity: "breaking", title: "An input is written in another form." },
  "body-required": { severity: "breaking", title: "A body is required now." },
  "body-gone": { severity: "careful", title: "A body is no longer read." },
  "request-media-type-removed": { severity: "breaking", title: "A media type is no longer accepted." },
  "request-media-type-added": { severity: "fine", title: "A media type is accepted now." },
  // Answers
  "answer-field-removed": { severity: "breaking", title: "A field is no longer in answers." },
  "answer-field-added": { severity: "fine", title: "A field is new in answers." },
  "answer-field-optional": { severity: "breaking", title: "A field may be missing in answers now." },
  "answer-field-always": { severity: "fine", title: "A field is always in answers now." },
  "answer-nullable": { severity: "breaking", title: "A field may be null in answers now." },
  "answer-not-nullable": { severity: "fine", title: "A field is never null in answers now." },
  "answer-type-changed": { severity: "breaking", title: "A field of answers has another type." },
  "answer-widened": { severity: "careful", title: "A field of answers may have more values." },
  "answer-narrowed": { severity: "fine", title: "A field of answers has fewer values." },
  "answer-changed": { severity: "careful", title: "An answer is made otherwise." },
  "status-removed": { severity: "breaking", title: "A status of success no longer exists." },
  "status-added": { severity: "careful", title: "A status of success is new." },
  "answer-media-type-removed": { severity: "breaking", title: "Answers have another media type." },
  "answer-media-type-added": { severity: "fine", title: "Answers may have a further media type." },
  "answer-header-added": { severity: "fine", title: "A header of answers is new." },
  "answer-header-optional": { severity: "breaking", title: "A header of answers may be missing now." },
  "answer-header-removed": { severity: "breaking", title: "A header of answers no longer exists." },
  "answer-header-changed": { severity: "careful", title: "A header of answers is another." },
  // Errors
  "error-changed": { severity: "breaking", title: "A refusal has another status or code." },
  "error-added": { severity: "careful", title: "A refusal is new." },
  "error-removed": { severity: "fine", title: "A refusal no longer exists." },
  "error-wording-changed": { severity: "fine", title: "A message of an error is another." },
  "error-body-changed": { severity: "careful", title: "Bodies of errors are made otherwise." },
  // Access and guards
  "access-narrowed": { severity: "breaking", title: "Fewer callers are allowed." },
  "access-widened": { severity: "careful", title: "More callers are allowed." },
  "access-changed": { severity: "careful", title: "Other callers are allowed." },
  "visibility-narrowed": { severity: "breaking", title: "Callers see fewer records." },
  "visibility-widened": { severity: "careful", title: "Callers see more records." },
  "visibility-changed": { severity: "careful", title: "Callers see other records." },
  "guard-added": { severity: "breaking", title: "Requests are refused that were accepted." },
  "guard-changed": { severity: "careful", title: "Other requests are refused." },
  "guard-removed": { severity: "fine", title: "Requests are accepted that were refused." },
  "scheme-removed": { severity: "breaking", title: "An authentication scheme no longer exists." },
  "scheme-added": { severity: "fine", title: "An authentication scheme is new." },
  "scheme-changed": { severity: "careful", title: "A scheme works otherwise." },
  "credential-moved": { severity: "breaking", title: "A credential is sent elsewhere." },
  // Resources and states
  "uniqueness-added": { severity: "breaking", title: "Values that repeat are refused now." },
  "uniqueness-removed": { severity: "fine", title: "Values may repeat now." },
  "field-changed": { severity: "careful", title: "A field is filled or kept otherwise." },
  "resource-changed": { severity: "careful", title: "Records are kept otherwise." },
  "transition-narrowed": { severity: "breaking", title: "A transition is possible in fewer cases." },
  "transition-widened": { severity: "fine", title: "A transition is possible in more cases." },
  "transition-changed": { severity: "careful", title: "A transition does something else." },
  "timer-changed": { severity: "careful", title: "A transition happens at another time." },
  "initial-state-changed": { severity: "careful", title: "New records begin in another state." },
  // Events
  "event-removed": { severity: "breaking", title: "An event no longer exists." },
  "event-added": { severity: "fine", title: "An event is new." },
  "event-trigger-changed": { severity: "careful", title: "An event happens in other cases." },
  "event-changed": { severity: "careful", title: "An event is made or sent otherwise." },
  "event-undelivered": { severity: "breaking", title: "An event is no longer delivered." },
  "webhook-header-removed": { severity: "breaking", title: "A header of deliveries no longer exists." },
  "webhook-signature-changed": { severity: "breaking", title: "Deliveries are signed otherwise." },
  "retries-changed": { severity: "careful", title: "Deliveries are repeated otherwise." },
  // Limits
  "limit-lowered": { severity: "breaking", title: "A limit is lower." },
  "limit-raised": { severity: "fine", title: "A limit is higher, or no longer exists." },
  "limit-changed": { severity: "careful", title: "A limit counts otherwise." },
  "page-size-changed": { severity: "careful", title: "A page has another size." },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

/** `breaking`: a correct client fails. `careful`: it may fail. `fine`: it doesn't notice, or gains something. */
export type Severity = "breaking" | "careful" | "fine";
