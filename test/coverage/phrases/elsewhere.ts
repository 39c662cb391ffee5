/**
 * Phrases that sequential requests can't cover. They need concurrent requests, a clock within a
 * request, a receiver, a reader that reconnects, or an author's module. Each names the test that
 * fails without it: its file, and words of that test or of its document.
 */
export const elsewhere: Readonly<Record<string, { readonly file: string; readonly words: string }>> = {
  "part item: Functions: route(Address): string": {
    file: "test/contracts/handlers.test.ts",
    words: "functions of the module are validated, and missing functions answered with 501",
  },
  "where: any of": {
    file: "test/contracts/requested-conditions.test.ts",
    words: "a condition selects the records for which it is true, in both readings of each type",
  },
  "where: any of, what is not listed": {
    file: "test/contracts/requested-conditions.test.ts",
    words: "what a condition must not name, and what a field can't have, is an invalid field",
  },
  "resource item: Identifier: id, made by not shown": {
    file: "test/store/missing-identifiers.test.ts",
    words: "a request that creates a record without an identifier gets 501 and stores nothing",
  },
  "endpoint item: Fails: 400, 409 when not shown": {
    file: "test/contracts/does-not-shown.test.ts",
    words: "statuses of errors with an open condition are in the exports, and the rest works",
  },
  "endpoint item: Returns: 202 Run when not shown": {
    file: "test/contracts/does-not-shown.test.ts",
    words: "a response with an open condition or body is in the exports, and a request gets 501",
  },
  "endpoint item: Header: ETag: not shown": {
    file: "test/contracts/does-not-shown.test.ts",
    words: "a header without a stated value is in the exports, and the response comes without it",
  },
  "endpoint item: Deprecated: since 2026-05-01, until 2027-05-01": {
    file: "test/contracts/deprecated.test.ts",
    words: "a deprecated endpoint sends the dates of its deprecation and end, also with errors",
  },
  "endpoint item: Headers: this.metadata": {
    file: "test/contracts/header-maps.test.ts",
    words: "a map of the record becomes response headers; null values are left out",
  },
  'endpoint item: Extensions: {"x-team": "parcels"}': {
    file: "test/contracts/kept-extensions.test.ts",
    words: "an import keeps the extensions of an operation, and the export gives them back",
  },
  "rule: deprecated": {
    file: "test/contracts/deprecated.test.ts",
    words: "exports state deprecations, and an import reads them back",
  },
  'rule: sent as "+1"': {
    file: "test/contracts/names-on-wire.test.ts",
    words: "a record is sent and returned by its names on the wire, at any depth",
  },
  "does: handler quote": {
    file: "test/contracts/handlers.test.ts",
    words: "records are created, found, changed, moved and returned under the document's rules",
  },
  "does: stream": { file: "test/documents/courier.md", words: "- Does: stream" },
  "endpoint item: Sends: parcel.moved when <expr> as <expr>": {
    file: "test/documents/courier.md",
    words: 'parcel.deleted when `this.to != ""` as `{',
  },
  "endpoint item: Starts: now": { file: "test/documents/courier.md", words: "- Starts: now" },
  "endpoint item: Ends: after parcel.delivered": {
    file: "test/documents/courier.md",
    words: "- Ends: after parcel.delivered",
  },
  "endpoint item: Waits: until <expr>, at most <expr>": {
    file: "test/documents/courier.md",
    words: '- Waits: until `this.status == "ready"`, at most',
  },
  "change: Replaced: …, stored": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "a version's change may apply to stored data",
  },
  "change: Removed: …, stored": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "a version's change may apply to stored data",
  },
  "stored: Renamed: User.name to User.full_name": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "the changes of a step are sorted for its execution",
  },
  "stored: Removed: User.first, Draft": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "the changes of a step are sorted for its execution",
  },
  'stored: For each User: full_name = old.first + " " + old.last': {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "each line of the notation's table is read completely",
  },
  "stored: For each Ticket: upsert Category with name = old.label as c; category = c": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "each line of the notation's table is read completely",
  },
  "stored: Stored from: full-name": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "a name in `Stored from` that still has its heading causes a warning",
  },
  "condition: idempotency in progress": {
    file: "test/contracts/idempotency.test.ts",
    words: "a request whose key is in use is rejected if part 7 has a row for that",
  },
  "condition: timed out": {
    file: "test/contracts/bounds.test.ts",
    words: "a request that exceeds its time-out is rejected, and nothing of it is stored",
  },
  "limit: time-out": {
    file: "test/contracts/bounds.test.ts",
    words: "a request that exceeds its time-out is rejected, and nothing of it is stored",
  },
  "limit: concurrency": {
    file: "test/contracts/bounds.test.ts",
    words: "| concurrency | 2 | every request |",
  },
  "condition: unavailable": {
    file: "test/durability/failing-disk.test.ts",
    words: "after a failed sync nothing is acknowledged, reads continue, and no acknowledged write is lost",
  },
  "item: Headers: hook.headers": {
    file: "test/deliveries/contents.test.ts",
    words: "a receiver gets the headers that its record names",
  },
  "item: Compatibility:": {
    file: "src/model/reading/versioning/versioning.test.ts",
    words: "- Compatibility:",
  },
  "item: none": {
    file: "test/deliveries/notices.test.ts",
    words: "without retries there is one attempt, and without notifications nothing to send",
  },
  "item: Notifications: none": {
    file: "test/deliveries/notices.test.ts",
    words: "without retries there is one attempt, and without notifications nothing to send",
  },
  "item: email to <expr>, subject <expr>, text <expr>": {
    file: "test/deliveries/notices.test.ts",
    words: "an event is sent to its recipients by e-mail",
  },
  "item: Time-out: 15 seconds": {
    file: "test/deliveries/deliveries.test.ts",
    words: "an attempt lasts as long as the document's Time-out",
  },
  "item: Webhooks: to Hook.url when hook.shop == this.shop": {
    file: "test/deliveries/deliveries.test.ts",
    words: "an event goes to the webhooks that its condition selects, after the change is committed",
  },
  "item: Signature: Standard Webhooks, secret Hook.secret": {
    file: "test/deliveries/deliveries.test.ts",
    words: "each attempt has the same bytes and id, its own time and signature",
  },
  'item: Header: X-Hub-Signature-256: "sha256=" + hex(hmac("sha256", hook.secret, delivery.body))': {
    file: "test/deliveries/deliveries.test.ts",
    words: "headers that the document states itself match those of GitHub and Stripe",
  },
  'item: Request: PUT hook.url + "/sessions/" + event.subject when <expr>': {
    file: "test/deliveries/request.test.ts",
    words: "the first request that applies gives method and URL, and the signature covers its body",
  },
  "item: Media type: application/x-www-form-urlencoded when <expr>": {
    file: "test/deliveries/deliveries.test.ts",
    words: "a form webhook gets the same names, and its signature covers the form",
  },
  "item: Retries: 5 seconds, 5 minutes, 2 hours": {
    file: "test/deliveries/deliveries.test.ts",
    words: "attempted at exactly the document's times; then the delivery is dead and can be sent again",
  },
  "item: Deliveries: kept 3 days": {
    file: "test/deliveries/deliveries.test.ts",
    words: "expired data is deleted: deliveries with their records, then the events",
  },
  "event column: Retries": {
    file: "test/deliveries/deliveries.test.ts",
    words: "an event can have its own retries",
  },
  "media type: JSON in payload": {
    file: "test/deliveries/deliveries.test.ts",
    words: "a form can have the whole payload as JSON in one field",
  },
  "delivery: headers": {
    file: "test/deliveries/answers.test.ts",
    words: "a header and a part of the JSON answer are kept with the record",
  },
  "delivery: the response is used": {
    file: "test/deliveries/answers.test.ts",
    words: "a hook becomes active when its receiver answers the challenge, which is an event",
  },
  "delivery: answer and took": {
    file: "test/deliveries/reported.test.ts",
    words: "a delivery shows its receiver's response and duration, and nothing before an attempt",
  },
  "item: Log: kept 30 days": {
    file: "test/deliveries/deliveries.test.ts",
    words: "expired data is deleted: deliveries with their records, then the events",
  },
  "item: in order": {
    file: "test/deliveries/deliveries.test.ts",
    words: "a delivery waits for earlier deliveries of the same record, not for those of another record",
  },
  "item: as Notice": {
    file: "test/deliveries/deliveries.test.ts",
    words: "each event creates a notice in the same transaction, with the event's content",
  },
  "name: delivery": {
    file: "test/deliveries/deliveries.test.ts",
    words: "headers that the document states itself match those of GitHub and Stripe",
  },
};
