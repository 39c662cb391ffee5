/** Stream readers: what a reader receives and how its stream ends, without a socket. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../src/engine/ports.ts";
import { streamLimits } from "../../src/engine/streams/stream-limits.ts";
import { type Courier, courierText, keys, openCourier } from "./serve-courier.ts";

const ada = { key: keys.ada };

async function makeParcel({ send }: Courier, to: string): Promise<void> {
  assert.equal((await send("POST", "/parcels", { ...ada, body: { to } })).status, 201);
}

async function parcels({ store }: Courier): Promise<readonly string[]> {
  return (await store.session.system.events()).map((event) => event.subject);
}

test("a stream that finished before its reader reconnected sends the rest once, and needs no further request", async (t) => {
  const courier = await openCourier();
  t.after(() => courier.close());
  const first = await courier.open("/shop/live", ada);
  await first.piece();
  await makeParcel(courier, "one");
  const [seen] = await first.events(1);
  first.close();
  await makeParcel(courier, "two");
  await makeParcel(courier, "three");
  await courier.send("POST", "/shop/close", ada);
  const headers = { "Last-Event-ID": seen?.id as string };
  const late = await courier.open("/shop/live", { ...ada, headers });
  const left = await late.events(3);
  assert.deepEqual(
    left.map(({ event, data }) => [event, Object.keys(JSON.parse(data as string))]),
    [
      ["parcel.registered", ["parcel", "status", "event"]],
      ["parcel.registered", ["parcel", "status", "event"]],
    ],
  );
  assert.notEqual(left[0]?.data, left[1]?.data);
  assert.equal(await late.piece(), null);
  const over = await courier.open("/shop/live", {
    ...ada,
    headers: { "Last-Event-ID": left[1]?.id as string },
  });
  assert.equal(over.status, 204);
  assert.equal(courier.service.internals.shared.streams.open, 0);
});

test("nothing follows the event that ends a stream, and a reader that reconnects receives nothing", async (t) => {
  const text = courierText.replace(
    "### GET /events\n",
    `### GET /first

- Does: stream
- Sends: parcel.registered when \`this.shop == caller.shop\`
- Starts: beginning
- Ends: after parcel.registered

### GET /events
`,
  );
  const courier = await openCourier({ text });
  t.after(() => courier.close());
  const early = await courier.open("/first", ada);
  await early.piece();
  for (const to of ["one", "two", "three"]) await makeParcel(courier, to);
  const [first] = await parcels(courier);
  for (const stream of [early, await courier.open("/first", ada)]) {
    const reported = await stream.events(3);
    assert.deepEqual(
      reported.map(({ data }) => JSON.parse(data as string).parcel),
      [first],
    );
    assert.equal(await stream.piece(), null);
    const headers = { "Last-Event-ID": reported[0]?.id as string };
    assert.equal((await courier.open("/first", { ...ada, headers })).status, 204);
  }
  assert.equal(courier.service.internals.shared.streams.open, 0);
});

test("a reader that disconnects before or after its response leaves nothing open", async (t) => {
  const courier = await openCourier();
  t.after(() => courier.close());
  const { streams } = courier.service.internals.shared;
  const { stream } = await courier.send("GET", "/events", ada);
  assert.equal(streams.open, 1);
  for await (const piece of stream ?? []) {
    assert.match(String(piece), /^retry: /);
    break;
  }
  assert.equal(streams.open, 0);
  const gone = await courier.send("GET", "/events", { ...ada, signal: AbortSignal.abort() });
  assert.ok(gone.status !== 200 || streams.open === 0);
});

test("a stream has the headers of its endpoint, and keeps its own content type", async (t) => {
  const text = courierText.replace(
    "### GET /events\n",
    `### GET /headed

- Does: stream
- Sends: parcel.registered when \`this.shop == caller.shop\`
- Header: X-Shop: \`caller.shop.name\`
- Header: X-Closed: \`caller.shop.closed ? "yes" : null\`
- Header: Content-Type: \`"text/plain"\`

### GET /events
`,
  );
  const courier = await openCourier({ text });
  t.after(() => courier.close());
  for (const method of ["HEAD", "GET"]) {
    const { headers, stream } = await courier.send(method, "/headed", ada);
    await stream?.[Symbol.asyncIterator]().return?.();
    assert.equal(headers["x-shop"], "Ada & Co");
    assert.equal(headers["content-type"], "text/event-stream");
    assert.equal(headers["cache-control"], "no-store");
    assert.ok(!("x-closed" in headers));
  }
  await courier.send("POST", "/shop/close", ada);
  assert.equal((await courier.send("HEAD", "/headed", ada)).headers["x-closed"], "yes");
});

test("a text payload is sent unchanged, and null sends nothing", async (t) => {
  const text = courierText.replace(
    "### GET /events\n",
    `### GET /names

- Does: stream
- Sends: parcel.registered when \`this.shop == caller.shop\` as text \`this.to == "nowhere" ? null : this.to + "!"\`
- Starts: beginning

### GET /events
`,
  );
  const courier = await openCourier({ text });
  t.after(() => courier.close());
  for (const to of ["Grace", "nowhere", "two\nlines"]) await makeParcel(courier, to);
  const stream = await courier.open("/names", ada);
  const reported = await stream.events(3);
  assert.deepEqual(
    reported.map(({ data }) => data),
    ["Grace!", "", "two\nlines!"],
  );
  stream.close();
});

test("an event of several resources has each record in its state at the event, in every form of stream", async () => {
  const stream = (path: string, reported: string) => `### GET ${path}

- Does: stream
- Sends: made when \`Quote(this) != null || Parcel(this).shop == caller.shop\` as \`${reported}\`
- Starts: beginning

`;
  const made = (streams: string) =>
    courierText
      .replace("### GET /events\n", `${streams}### GET /events\n`)
      .replace(
        "| parcel.deleted    |",
        '| made | Parcel created, Quote created | `{"id": this.id}` |\n| parcel.deleted    |',
      );
  const reported = async (path: string, text: string) => {
    const courier = await openCourier({ text });
    await makeParcel(courier, "Grace");
    await courier.send("DELETE", `/parcels/${(await parcels(courier))[0]}`, ada);
    assert.equal((await courier.send("POST", "/quotes", { body: { grams: 20 } })).status, 202);
    const reader = await courier.open(path, ada);
    const events = await reader.events(2);
    reader.close();
    await courier.close();
    return events.map(({ data }) => JSON.parse(data as string));
  };
  // Each stream is in its own document, because streams share the fields that one of them reads.
  const fields = made(stream("/fields", '{"to": Parcel(this).to, "grams": Quote(this).grams}'));
  assert.deepEqual(await reported("/fields", fields), [
    { to: "Grace", grams: null },
    { to: null, grams: 20 },
  ]);
  const whole = made(stream("/whole", "[Parcel(this)].map(one, one.to)"));
  assert.deepEqual(await reported("/whole", whole), [["Grace"], [null]]);
});

test("the operator learns why a stream ended before its reader disconnected", async (t) => {
  const reported: [unknown, string][] = [];
  const log = { ...silentLog, info: (fields: object, words: string) => void reported.push([fields, words]) };
  const courier = await openCourier({ log });
  t.after(() => courier.close());
  await courier.given('- Given: `ApiKey with shop = ada, key = "sk_ada_00000002" as second`');
  const stream = await courier.open("/events", { key: "sk_ada_00000002" });
  await stream.piece();
  const { context, newFrame } = courier.service.internals;
  const query = context.store.prepareRecords({ resource: "ApiKey", where: [], order: [] });
  await context.store.write(async (transaction) => {
    const all = await transaction.records(query, newFrame(courier.clock.now()));
    await transaction.delete("ApiKey", all.at(-1) as never);
  });
  courier.clock.moveBy(streamLimits.heartbeatMs);
  assert.equal(await stream.piece(), null);
  const words = reported.map(([, line]) => line).filter((line) => line.startsWith("a stream"));
  assert.deepEqual(words, ["a stream ended: its request would be rejected now"]);
});

/** The courier document with more streams. */
const withStreams = (...streams: readonly string[]) =>
  courierText.replace("### GET /events\n", `${streams.join("\n\n")}\n\n### GET /events\n`);

test("a reader receives the events for which its `when` is true, with each record in its state at the event", async (t) => {
  const text = withStreams(`### GET /payloads

- Does: stream
- Sends: parcel.registered when \`this.to != "quiet" && event.payload.status == this.status\` as \`event.payload.parcel\`
- Sends: parcel.collected when \`this.shop == caller.shop\` as \`event.type\`
- Starts: beginning`);
  const courier = await openCourier({ text });
  t.after(() => courier.close());
  await makeParcel(courier, "one");
  await makeParcel(courier, "quiet");
  await courier.send("POST", "/parcels", { key: keys.grace, body: { to: "two" } });
  await makeParcel(courier, "three");
  const [first, , , third] = await parcels(courier);
  assert.equal((await courier.send("POST", `/parcels/${first}/collect`, ada)).status, 200);
  const stream = await courier.open("/payloads", ada);
  const reported = await stream.events(3);
  stream.close();
  assert.deepEqual(
    reported.map(({ data }) => JSON.parse(data as string)),
    [first, third, "parcel.collected"],
  );
});

test("a stream below a record ends when the record is deleted or access to it ends, before it sends anything more", async (t) => {
  const reported = "- Does: stream\n- Sends: parcel.registered when `this.shop == caller.shop`";
  const text = courierText.replace(
    "### GET /parcels/{id}/live\n",
    `### GET /parcels/{id}/others

${reported}

### /shops/{id}

- Is: Shop
- Allowed: \`shop.closed == false\`

### GET /shops/{id}/parcels

${reported}

### GET /parcels/{id}/live
`,
  );
  const courier = await openCourier({ text });
  t.after(() => courier.close());
  await makeParcel(courier, "one");
  const [id] = await parcels(courier);
  const { shop } = (await courier.send("POST", "/parcels", { ...ada, body: { to: "two" } })).json;
  const ends: readonly [string, string, string, number][] = [
    [`/parcels/${id}/others`, "DELETE", `/parcels/${id}`, 404],
    [`/shops/${shop}/parcels`, "POST", "/shop/close", 403],
  ];
  for (const [path, method, target, status] of ends) {
    const stream = await courier.open(path, ada);
    assert.equal(stream.status, 200);
    await stream.piece();
    await makeParcel(courier, "three");
    assert.equal((await stream.events(1)).length, 1);
    await courier.send(method, target, ada);
    await makeParcel(courier, "four");
    assert.equal(await stream.piece(), null);
    assert.equal((await courier.open(path, ada)).status, status);
  }
});

const withKeyField = (row: string) => courierText.replace("| shop  | Shop ", `${row}\n| shop  | Shop `);
/**
 * The end conditions of endless streams: the text, the condition, and the change that makes it
 * true.
 */
const endings = {
  "the record of the credential": [
    withKeyField("| closed | boolean | default false | |"),
    "caller.closed",
    "update ApiKey\n- Where: `this == caller`",
  ],
  "another record that calls": [
    courierText
      .replaceAll("caller.shop", "caller")
      .replace("- Credentials: ApiKey by key", "- Credentials: ApiKey by key\n- Caller: `this.shop`"),
    "caller.closed",
    "update Shop\n- Where: `this == caller`",
  ],
  "a record that another one refers to": [
    courierText,
    "caller.shop.closed",
    "update Shop\n- Where: `this == caller.shop`",
  ],
  "a computed field": [
    withKeyField("| over | boolean | = `this.shop.closed` | |"),
    "caller.over",
    "update Shop\n- Where: `this == caller.shop`",
  ],
  "a shape of no record": [
    courierText.replace(
      "### Shape: ParcelEvent of Parcel",
      '### Shape: Closed\n\n```cel\n{"some": Shop.count(s, s.closed) > 0}\n```\n\n### Shape: ParcelEvent of Parcel',
    ),
    "Closed().some",
    "update Shop\n- Where: `this == caller.shop`",
  ],
} as const;

for (const [what, [text, condition, closes]] of Object.entries(endings))
  test(`a stream ends when its condition becomes true: ${what}`, async (t) => {
    const streams = `### POST /mine/close

- Does: ${closes}
- Set: \`closed = true\`
- Returns: 204 nothing

### GET /mine

- Does: stream
- Sends: parcel.registered when \`this.to == "mine"\`
- Ends: when \`${condition}\`

### GET /events
`;
    const courier = await openCourier({ text: text.replace("### GET /events\n", streams) });
    t.after(() => courier.close());
    const stream = await courier.open("/mine", ada);
    await stream.piece();
    const end = stream.piece();
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    assert.equal((await courier.send("POST", "/mine/close", ada)).status, 204);
    assert.equal(await end, null);
  });

test("a stream ends when a change of other records makes its `Allowed` false, and no other change evaluates it", async (t) => {
  const text = withStreams(`### GET /busy

- Does: stream
- Sends: parcel.registered when \`this.shop == caller.shop\`
- Allowed: \`Shop.count(s, s.closed) == 0\``);
  const courier = await openCourier({ text });
  t.after(() => courier.close());
  const stream = await courier.open("/busy", ada);
  await stream.piece();
  await makeParcel(courier, "one");
  assert.equal((await stream.events(1)).length, 1);
  const { session } = courier.store;
  let readings = 0;
  for (const kind of ["record", "records", "count", "counts", "shaped", "json", "value"] as const) {
    const read = session[kind] as (...given: unknown[]) => unknown;
    Object.assign(session, {
      [kind]: (...given: unknown[]) => {
        readings += 1;
        return read.apply(session, given);
      },
    });
  }
  await makeParcel(courier, "two");
  assert.equal((await stream.events(1)).length, 1);
  assert.equal(readings, 0);
  await courier.send("POST", "/shop/close", { key: keys.grace });
  await makeParcel(courier, "three");
  assert.equal(await stream.piece(), null);
  assert.ok(readings > 0);
});

test("a stream that can't be opened leaves no pending work", async (t) => {
  const courier = await openCourier();
  t.after(() => courier.close());
  const { changes } = courier.service.internals.shared.streams;
  const { watch } = changes;
  let watching = 0;
  changes.watch = (...given) => {
    const made = watch(...given);
    watching += 1;
    return {
      ...made,
      stop() {
        watching -= 1;
        made.stop();
      },
    };
  };
  courier.service.drain();
  assert.equal((await courier.send("GET", "/shop/live", ada)).status, 503);
  assert.equal(watching, 0);
});

test("no reader receives events of a resource that the document no longer has", async (t) => {
  const courier = await openCourier();
  t.after(() => courier.close());
  const event = {
    type: "parcel.registered",
    time: "2026-11-20T12:00:00.000Z",
    row: 1,
    subject: "",
    payload: "{}",
  };
  await courier.store.write(
    async ({ system }) =>
      void (await system.appendEvents([{ ...event, id: "evt_00000001", resource: "Letter" }])),
  );
  await makeParcel(courier, "one");
  const [, id] = await parcels(courier);
  const stream = await courier.open("/history", ada);
  const [reported] = await stream.events(1);
  stream.close();
  assert.equal(JSON.parse(reported?.data as string).id, id);
});
