/**
 * Phrases that sequential requests can't cover. They need concurrent requests, a clock within a
 * request, a receiver, a reader that reconnects, or an author's module. Each names the test that
 * fails without it: its file, and words of that test or of its document.
 */
export const elsewhere: Readonly<Record<string, { readonly file: string; readonly words: string }>> = {
  "part item: Functions: route(Address): string": {
    file: "test/contracts/handlers.test.ts",
    words: "functions of the module are checked, and missing ones answered 501",
  },
  "resource item: Identifier: id, made by not shown": {
    file: "test/store/open-makings.test.ts",
    words: "what makes a record without an identifier answers 501 and stores nothing",
  },
  "endpoint item: Fails: 400, 409 when not shown": {
    file: "test/contracts/does-not-shown.test.ts",
    words: "statuses of errors whose condition isn't shown are in the exports, and the rest works",
  },
  "endpoint item: Returns: 202 Run when not shown": {
    file: "test/contracts/does-not-shown.test.ts",
    words:
      "a response of which the condition or the body isn't shown is in the exports, and a request gets 501",
  },
  "endpoint item: Header: ETag: not shown": {
    file: "test/contracts/does-not-shown.test.ts",
    words: "a header of which only the name is stated is in the exports, and the response comes without it",
  },
  "endpoint item: Deprecated: since 2026-05-01, until 2027-05-01": {
    file: "test/contracts/deprecated.test.ts",
    words: "a deprecated endpoint sends since when and until when, with its errors, too",
  },
  "rule: deprecated": {
    file: "test/contracts/deprecated.test.ts",
    words: "exports say what is deprecated, and an import reads it back",
  },
  'rule: sent as "+1"': {
    file: "test/contracts/names-on-wire.test.ts",
    words: "a record is sent and returned by the names on the wire, at any depth",
  },
  "does: handler quote": {
    file: "test/contracts/handlers.test.ts",
    words: "records are made, found, changed, moved and answered under the document's rules",
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
    words: "a version's change may say that it is about what is stored",
  },
  "change: Removed: …, stored": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "a version's change may say that it is about what is stored",
  },
  "stored: Renamed: User.name to User.full_name": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "the changes of a step are arranged for its executor",
  },
  "stored: Removed: User.first, Draft": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "the changes of a step are arranged for its executor",
  },
  'stored: For each User: full_name = old.first + " " + old.last': {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "each line of the notation's table is read, and what it says is whole",
  },
  "stored: For each Ticket: upsert Category with name = old.label as c; category = c": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "each line of the notation's table is read, and what it says is whole",
  },
  "stored: Stored from: full-name": {
    file: "src/model/reading/versioning/stored/stored-changes.test.ts",
    words: "a name behind `Stored from` that still has its heading is warned of",
  },
  "condition: idempotency in progress": {
    file: "test/contracts/idempotency.test.ts",
    words: "a key of a request under way refuses the second, where part 7 has a row for it",
  },
  "condition: timed out": {
    file: "test/contracts/bounds.test.ts",
    words: "a request that took longer than its time-out is refused, and nothing of it is stored",
  },
  "limit: time-out": {
    file: "test/contracts/bounds.test.ts",
    words: "a request that took longer than its time-out is refused, and nothing of it is stored",
  },
  "limit: concurrency": {
    file: "test/contracts/bounds.test.ts",
    words: "| concurrency | 2 | every request |",
  },
  "condition: unavailable": {
    file: "test/durability/failing-disk.test.ts",
    words: "after a failed sync nothing is acknowledged, reads go on, and no acknowledged write is lost",
  },
  "item: Headers: hook.headers": {
    file: "test/deliveries/contents.test.ts",
    words: "a receiver is sent the headers that its record names",
  },
  "item: Compatibility:": {
    file: "src/model/reading/versioning/versioning.test.ts",
    words: "- Compatibility:",
  },
  "item: none": {
    file: "test/deliveries/notices.test.ts",
    words: "no retries means one attempt, and no notifications nothing to send",
  },
  "item: Notifications: none": {
    file: "test/deliveries/notices.test.ts",
    words: "no retries means one attempt, and no notifications nothing to send",
  },
  "item: email to <expr>, subject <expr>, text <expr>": {
    file: "test/deliveries/notices.test.ts",
    words: "what happened is written to whom it concerns",
  },
  "item: Time-out: 15 seconds": {
    file: "test/deliveries/deliveries.test.ts",
    words: "an attempt has as long as the document's Time-out says",
  },
  "item: Webhooks: to Hook.url when hook.shop == this.shop": {
    file: "test/deliveries/deliveries.test.ts",
    words: "an event goes to the webhooks that its condition names, once the change is stored",
  },
  "item: Signature: Standard Webhooks, secret Hook.secret": {
    file: "test/deliveries/deliveries.test.ts",
    words: "each attempt has the same bytes and id, a time and a signature of its own",
  },
  'item: Header: X-Hub-Signature-256: "sha256=" + hex(hmac("sha256", hook.secret, delivery.body))': {
    file: "test/deliveries/deliveries.test.ts",
    words: "headers that the document words itself are those of GitHub and Stripe",
  },
  "item: Media type: application/x-www-form-urlencoded when <expr>": {
    file: "test/deliveries/deliveries.test.ts",
    words: "a webhook that wants forms gets the same names, and its signature is over the form",
  },
  "item: Retries: 5 seconds, 5 minutes, 2 hours": {
    file: "test/deliveries/deliveries.test.ts",
    words: "attempts at exactly the document's times, then a dead letter that can be sent again",
  },
  "item: Deliveries: kept 3 days": {
    file: "test/deliveries/deliveries.test.ts",
    words: "what is kept is forgotten in its time: deliveries and their records, then the events",
  },
  "event column: Retries": {
    file: "test/deliveries/deliveries.test.ts",
    words: "an event may have retries of its own",
  },
  "media type: JSON in payload": {
    file: "test/deliveries/deliveries.test.ts",
    words: "a form may hold the whole payload as JSON in one field",
  },
  "delivery: answer and took": {
    file: "test/deliveries/reported.test.ts",
    words: "a delivery shows what its receiver answered and how long it took, and nothing before an attempt",
  },
  "item: Log: kept 30 days": {
    file: "test/deliveries/deliveries.test.ts",
    words: "what is kept is forgotten in its time: deliveries and their records, then the events",
  },
  "item: in order": {
    file: "test/deliveries/deliveries.test.ts",
    words: "deliveries about one record wait for earlier ones, those about another record don't",
  },
  "item: as Notice": {
    file: "test/deliveries/deliveries.test.ts",
    words: "each event makes a notice in the same transaction, with what it says",
  },
  "name: delivery": {
    file: "test/deliveries/deliveries.test.ts",
    words: "headers that the document words itself are those of GitHub and Stripe",
  },
};
