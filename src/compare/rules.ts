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
  "base-path-changed": { severity: "breaking", title: "The base path has changed." },
  "version-gone": { severity: "breaking", title: "A version is no longer served." },
  "version-added": { severity: "fine", title: "A version is new." },
  "version-request-changed": { severity: "breaking", title: "The way to request a version has changed." },
  "default-version-changed": {
    severity: "breaking",
    title: "The default version has changed.",
  },
  "version-status-changed": { severity: "careful", title: "A version's status or end has changed." },
  // Operations
  "operation-removed": { severity: "breaking", title: "An endpoint no longer exists." },
  "operation-added": { severity: "fine", title: "An endpoint is new." },
  "operation-open": { severity: "breaking", title: "An endpoint responds with 501 now." },
  "operation-closed": { severity: "fine", title: "An endpoint no longer responds with 501." },
  "operation-changed": { severity: "careful", title: "An endpoint has another effect." },
  "where-stricter": { severity: "breaking", title: "An endpoint finds fewer records." },
  "order-changed": { severity: "careful", title: "A list has another order." },
  "pagination-changed": { severity: "breaking", title: "A list has another pagination." },
  "idempotency-changed": { severity: "careful", title: "Repeated requests are handled differently." },
  "precondition-required": { severity: "breaking", title: "A precondition is required now." },
  "stream-changed": { severity: "careful", title: "A stream sends other events." },
  // Requests
  "input-removed": { severity: "careful", title: "An input is no longer read." },
  "input-refused": { severity: "breaking", title: "An input is no longer accepted." },
  "input-added": { severity: "fine", title: "An optional input is new." },
  "input-required": { severity: "breaking", title: "An input is required now." },
  "input-optional": { severity: "fine", title: "An input is optional now." },
  "input-not-nullable": { severity: "breaking", title: "Null is no longer accepted." },
  "input-nullable": { severity: "fine", title: "Null is accepted now." },
  "input-narrowed": { severity: "breaking", title: "Fewer values are accepted." },
  "input-pattern-changed": { severity: "careful", title: "An input has another pattern." },
  "input-widened": { severity: "fine", title: "More values are accepted." },
  "input-type-changed": { severity: "breaking", title: "An input has another type." },
  "input-default-changed": { severity: "careful", title: "An input has another default." },
  "input-meaning-changed": { severity: "careful", title: "An input has another effect." },
  "input-form-changed": { severity: "breaking", title: "An input is written in another form." },
  "body-required": { severity: "breaking", title: "A body is required now." },
  "body-gone": { severity: "careful", title: "A body is no longer read." },
  "request-media-type-removed": { severity: "breaking", title: "A media type is no longer accepted." },
  "request-media-type-added": { severity: "fine", title: "A media type is accepted now." },
  // Answers
  "answer-field-removed": { severity: "breaking", title: "A field is no longer in responses." },
  "answer-field-added": { severity: "fine", title: "A field is new in responses." },
  "answer-field-optional": { severity: "breaking", title: "A field may be missing in responses now." },
  "answer-field-always": { severity: "fine", title: "A field is always in responses now." },
  "answer-nullable": { severity: "breaking", title: "A field may be null in responses now." },
  "answer-not-nullable": { severity: "fine", title: "A field is never null in responses now." },
  "answer-type-changed": { severity: "breaking", title: "A field of responses has another type." },
  "answer-widened": { severity: "careful", title: "A field of responses may have more values." },
  "answer-narrowed": { severity: "fine", title: "A field of responses has fewer values." },
  "answer-changed": { severity: "careful", title: "A response has another body." },
  "status-removed": { severity: "breaking", title: "A success status no longer exists." },
  "status-added": { severity: "careful", title: "A success status is new." },
  "answer-media-type-removed": { severity: "breaking", title: "Responses have another media type." },
  "answer-media-type-added": { severity: "fine", title: "Responses may have a further media type." },
  "answer-header-added": { severity: "fine", title: "A response header is new." },
  "answer-header-optional": { severity: "breaking", title: "A response header may be missing now." },
  "answer-header-removed": { severity: "breaking", title: "A response header no longer exists." },
  "answer-header-changed": { severity: "careful", title: "A response header has another value." },
  // Errors
  "error-changed": { severity: "breaking", title: "An error has another status or code." },
  "error-added": { severity: "careful", title: "An error is new." },
  "error-removed": { severity: "fine", title: "An error no longer exists." },
  "error-wording-changed": { severity: "fine", title: "An error has another message." },
  "error-body-changed": { severity: "careful", title: "Error bodies have changed." },
  // Access and guards
  "access-narrowed": { severity: "breaking", title: "Fewer callers are allowed." },
  "access-widened": { severity: "careful", title: "More callers are allowed." },
  "access-changed": { severity: "careful", title: "Other callers are allowed." },
  "visibility-narrowed": { severity: "breaking", title: "Callers see fewer records." },
  "visibility-widened": { severity: "careful", title: "Callers see more records." },
  "visibility-changed": { severity: "careful", title: "Callers see other records." },
  "guard-added": { severity: "breaking", title: "Some requests that were accepted are rejected now." },
  "guard-changed": { severity: "careful", title: "Other requests are rejected now." },
  "guard-removed": { severity: "fine", title: "Some requests that were rejected are accepted now." },
  "scheme-removed": { severity: "breaking", title: "An authentication scheme no longer exists." },
  "scheme-added": { severity: "fine", title: "An authentication scheme is new." },
  "scheme-changed": { severity: "careful", title: "An authentication scheme has changed." },
  "credential-moved": { severity: "breaking", title: "A credential is sent elsewhere." },
  // Resources and states
  "uniqueness-added": { severity: "breaking", title: "Duplicate values are rejected now." },
  "uniqueness-removed": { severity: "fine", title: "Duplicate values are accepted now." },
  "field-changed": { severity: "careful", title: "The service sets or stores a field differently." },
  "resource-changed": { severity: "careful", title: "The service stores records differently." },
  "transition-narrowed": { severity: "breaking", title: "A transition is possible in fewer cases." },
  "transition-widened": { severity: "fine", title: "A transition is possible in more cases." },
  "transition-changed": { severity: "careful", title: "A transition has another effect." },
  "timer-changed": { severity: "careful", title: "A transition fires at another time." },
  "initial-state-changed": { severity: "careful", title: "New records have another initial state." },
  // Events
  "event-removed": { severity: "breaking", title: "An event no longer exists." },
  "event-added": { severity: "fine", title: "An event is new." },
  "event-trigger-changed": { severity: "careful", title: "An event happens in other cases." },
  "event-changed": { severity: "careful", title: "An event has another payload or other receivers." },
  "event-undelivered": { severity: "breaking", title: "An event is no longer delivered." },
  "webhook-header-removed": { severity: "breaking", title: "A header of deliveries no longer exists." },
  "webhook-signature-changed": { severity: "breaking", title: "Deliveries are signed differently." },
  "retries-changed": { severity: "careful", title: "Deliveries are retried differently." },
  // Limits
  "limit-lowered": { severity: "breaking", title: "A limit is lower." },
  "limit-raised": { severity: "fine", title: "A limit is higher, or no longer exists." },
  "limit-changed": { severity: "careful", title: "A limit counts differently." },
  "page-size-changed": { severity: "careful", title: "A page has another size." },
} as const satisfies Record<string, Rule>;

export type RuleName = keyof typeof rules;

/** `breaking`: a correct client fails. `careful`: it may fail. `fine`: it doesn't notice, or gains something. */
export type Severity = "breaking" | "careful" | "fine";
