/** Part 6, events: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary, libraryModel } from "../../../../test/documents/library.ts";

const table = "| Event | When | To | Payload |\n|---|---|---|---|\n";
const lent = "| book.lent | Book lend | | Book |\n";

test("every form of a trigger is read, with its condition", () => {
  const { events } = libraryModel({
    states: `### Book

- State field: status
- Initial state: free

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| lend | free | lent | call | \`send book.noted\` |
| give_back | lent | free | call | |`,
    events: `${table}| book.changed | Book created, Book updated when \`this.pages != old.pages\`, Book deleted | none | \`{"id": this.id, "was": event.changes}\` |
| book.back | Book becomes free, Book give_back | none | Book |
| book.noted | sent | none | \`{"title": this.title, "at": event.time, "to": event.deliveries}\` |
`,
  });
  const [changed, back, noted] = events.events;
  assert.deepEqual(
    changed?.triggers.map((trigger) => [trigger.kind, trigger.when?.text]),
    [
      ["created", undefined],
      ["updated", "this.pages != old.pages"],
      ["deleted", undefined],
    ],
  );
  assert.deepEqual(
    back?.triggers.map(({ position: _where, ...trigger }) => trigger),
    [
      { kind: "becomes", resource: "Book", state: "free" },
      { kind: "transition", resource: "Book", transition: "give_back" },
    ],
  );
  // The effect `send book.noted` belongs to a book, so `this` in its payload is a book.
  assert.equal(noted?.triggers[0]?.resource, "Book");
  assert.equal(noted?.to, "none");
});

test("a resource's or a shape's name means that shape of the record", () => {
  const { events } = libraryModel({
    events: `${table}${lent}| book.back | Book give_back | none | BookEvent |

### Shape: BookEvent of Book

\`\`\`cel
{"type": event.type, "book": Book(this)}
\`\`\``,
  });
  assert.equal(events.events[0]?.payload?.text, "Book");
  assert.equal(events.events[0]?.payload?.node.op, "representation");
  assert.equal(events.events[1]?.payload?.node.op, "shape");
});

test("webhooks have an address, a signature, headers, media types, pauses and a log", () => {
  const { events } = libraryModel({
    events: `${table}${lent}
- Webhooks: to Hook.url when \`hook.account == this.account && event.type in hook.events\`
- Signature: Standard Webhooks, secret \`Hook.secret\`
- Header: X-Hub-Signature-256: \`"sha256=" + hex(hmac("sha256", hook.secret, delivery.body))\`
- Header: X-Attempt: string(delivery.attempt)
- Headers: \`{"X-Form": hook.form}\`
- Media type: application/x-www-form-urlencoded when \`hook.form\`
- Media type: application/json
- Retries: 5 seconds, 5 minutes, 2 hours
- Time-out: 15 seconds
- Deliveries: kept 3 days
- Log: kept 30 days, as Notice
- Notifications: none`,
  });
  assert.equal(events.webhooks?.resource, "Hook");
  assert.equal(events.webhooks?.address, "url");
  assert.equal(events.signature?.secret.text, "Hook.secret");
  assert.deepEqual(
    events.headers.map((header) => header.name),
    ["X-Hub-Signature-256", "X-Attempt"],
  );
  assert.deepEqual(
    events.headerMaps.map(({ value }) => value.text),
    ['{"X-Form": hook.form}'],
  );
  assert.deepEqual(
    events.mediaTypes.map((mediaType) => [mediaType.mediaType, mediaType.when?.text]),
    [
      ["application/x-www-form-urlencoded", "hook.form"],
      ["application/json", undefined],
    ],
  );
  assert.deepEqual(events.retriesMs, [5000, 300_000, 7_200_000]);
  assert.equal(events.timeoutMs, 15_000);
  assert.equal(events.deliveriesKeptMs, 259_200_000);
  assert.deepEqual([events.log?.keptMs, events.log?.as], [2_592_000_000, "Notice"]);
});

test("an event may have an address of its own, in the record itself or in a value of it", () => {
  const { events } = libraryModel({
    events: `${table}| book.lent | Book lend | to Book.callback | Book |
| book.back | Book give_back | \`Book.contact.url\` when \`this.pages > 1\` | Book |
`,
  });
  assert.deepEqual(events.events[0]?.to, { resource: "Book", address: "callback" });
  const to = events.events[1]?.to;
  assert.equal(typeof to === "object" && to.address, "contact.url");
  assert.equal(typeof to === "object" && to.when?.text, "this.pages > 1");
});

test("if events are about several resources, the condition is evaluated for each with its own type", () => {
  const { events } = libraryModel({
    events: `${table}${lent}| key.made | Key created | | \`{"id": this.id}\` |
| hook.made | Hook created | none | \`{}\` |

- Webhooks: to Hook.url when \`hook.account == this.account\``,
  });
  const [book, key, hook] = events.events;
  const typeOfThis = (row: typeof book): unknown => {
    const to = row?.to;
    const node = typeof to === "object" ? to.when?.node : undefined;
    return node?.op === "binary" && node.right.op === "field" ? node.right.of.type : undefined;
  };
  assert.deepEqual(typeOfThis(book), { kind: "record", resource: "Book" });
  assert.deepEqual(typeOfThis(key), { kind: "record", resource: "Key" });
  assert.equal(hook?.to, "none");
});

test("a notification may be about the events that its condition names", () => {
  const { events } = libraryModel({
    events: `${table}${lent}| key.made | Key created | | \`{"id": this.id}\` |

- Webhooks: none
- Notifications: email to \`this.contact.email\`, subject \`"Lent, again"\`, text \`this.title\` when \`event.type == "book.lent"\``,
  });
  const [notification] = events.notifications;
  assert.equal(notification?.to.text, "this.contact.email");
  assert.equal(notification?.subject?.text, '"Lent, again"');
  assert.equal(notification?.when?.text, 'event.type == "book.lent"');
});

test("rows may be under headings that only group", () => {
  const { events } = libraryModel({
    events: `### Books\n\nWhat happens to them.\n\n${table}${lent}\n- Webhooks: none`,
  });
  assert.equal(events.events.length, 1);
});

test("an event without any stated part is a gap of its own", () => {
  const { model } = compileLibrary({ events: `${table}| book.lent | not shown | | not shown |\n` });
  assert.equal(model?.events.events[0]?.gap?.subject, "when book.lent happens");
  const entry = model?.ledger.find((entry) => entry.item === "events");
  assert.deepEqual([entry?.answer, entry?.smallerGaps.length], ["stated", 2]);
});

test("secrets may be several, pauses may vary, and deliveries may be kept in order", () => {
  const { events } = libraryModel({
    events: `${table}${lent}
- Webhooks: to Hook.url
- Signature: Standard Webhooks, secret \`[hook.secret, hook.url]\`
- Retries: 5 seconds, 5 minutes, with jitter
- Deliveries: in order
- Notifications: none`,
  });
  assert.equal(events.signature?.secret.node.type.kind, "list");
  assert.deepEqual([events.retriesMs, events.retriesJitter], [[5000, 300_000], true]);
  assert.deepEqual([events.deliveriesKeptMs, events.deliveriesInOrder], [undefined, true]);
});

test("stored deliveries are a resource: the default one, or the document's own", () => {
  const stored = `${table}${lent}
- Webhooks: to Hook.url
- Deliveries: kept 3 days, in order
- Notifications: none`;
  const { resources, events } = libraryModel({ events: stored });
  const delivery = resources.find((resource) => resource.name === "Delivery");
  assert.deepEqual(
    delivery?.fields.map((field) => field.name),
    [
      ...["id", "hook", "event", "type", "state", "attempts", "response_status", "error"],
      ...["created_at", "attempted_at", "next_attempt_at"],
    ],
  );
  assert.deepEqual([events.deliveriesKeptMs, events.deliveriesInOrder], [259_200_000, true]);
  const without = libraryModel({ events: stored.replace("kept 3 days, ", "") });
  assert.equal(
    without.resources.some((resource) => resource.name === "Delivery"),
    false,
  );
});
