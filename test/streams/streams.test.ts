/**
 * Guarantees of streams, without a socket: no event is missed or repeated, slow readers need no
 * memory, and a reader without access receives nothing.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { streamLimits } from "../../src/engine/streams/stream-limits.ts";
import { seed, times } from "../fixed-seed.ts";
import { freshSchema } from "../postgres/server.ts";
import { createChance } from "./chance.ts";
import { eventually } from "../eventually.ts";
import { type Courier, courierText, keys, openCourier } from "./serve-courier.ts";

const ada = { key: keys.ada };

async function serve(t: { after(work: () => Promise<void>): void }, text?: string): Promise<Courier> {
  const courier = await openCourier(text === undefined ? {} : { text });
  t.after(() => courier.close());
  return courier;
}

async function makeParcels(
  courier: Courier,
  count: number,
  key: string = keys.ada,
): Promise<readonly string[]> {
  const made = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      courier.send("POST", "/parcels", { key, body: { to: `No ${at}` } }),
    ),
  );
  return made.map((parcel) => parcel.json.id as string);
}

const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

test("a reader that is disconnected a thousand times at random misses no event, in order, and receives none twice", async (t) => {
  const courier = await serve(t);
  const chance = createChance(seed);
  const otherChance = createChance(seed + 1);
  const cuts = times(1000);
  const reported: string[] = [];
  // A new reader receives its position before any event.
  const arriving = await courier.open("/events", ada);
  let lastId = /^id: (.+)$/m.exec((await arriving.piece()) as string)?.[1] as string;
  arriving.close();
  let isChanging = true;
  const made: Promise<readonly string[]>[] = [];
  const change = async () => {
    while (isChanging) {
      // Parcels of other callers are in between, which this reader does not receive.
      made.push(makeParcels(courier, 1 + otherChance(3)));
      await makeParcels(courier, otherChance(2), keys.grace);
      await made.at(-1);
    }
  };
  const changing = change();
  for (let cut = 0; cut < cuts; cut += 1) {
    const headers = { "Last-Event-ID": lastId };
    const stream = await courier.open("/events", { ...ada, headers });
    const pieces = chance(4);
    for (let at = 0; at < pieces; at += 1) {
      const piece = await stream.piece();
      for (const line of (piece ?? "").split("\n")) if (line.startsWith("id: ")) lastId = line.slice(4);
      reported.push(...[...(piece ?? "").matchAll(/"parcel":"([^"]+)"/g)].map((hit) => hit[1] as string));
      // A chunk may be lost on its way. The reader then receives it again.
      if (chance(20) === 0) break;
    }
    stream.close();
    if (chance(3) === 0) await aTurn();
  }
  isChanging = false;
  await changing;
  const all = (await Promise.all(made)).flat();
  const rest = await courier.open("/events", { ...ada, headers: { "Last-Event-ID": lastId } });
  for (const event of await rest.events(all.length - reported.length))
    reported.push((JSON.parse(event.data as string) as { parcel: string }).parcel);
  rest.close();
  const log = await courier.store.session.system.events();
  const expected = log.map((event) => event.subject).filter((id) => all.includes(id));
  assert.deepEqual(reported, expected);
  t.diagnostic(
    `seed ${seed}: cut off ${cuts} times, ${reported.length} events received of ${log.length} in the log`,
  );
  assert.equal(courier.service.internals.shared.streams.open, 0);
});

test("an event that was sent and not acknowledged is sent again", async (t) => {
  const courier = await serve(t);
  const first = await courier.open("/events", ada);
  await first.piece();
  const [firstId, secondId] = [...(await makeParcels(courier, 1)), ...(await makeParcels(courier, 1))];
  const [seen] = await first.events(1);
  await first.events(1);
  first.close();
  const again = await courier.open("/events", { ...ada, headers: { "Last-Event-ID": seen?.id as string } });
  const [event] = await again.events(1);
  assert.deepEqual(
    [seen, event].map((each) => JSON.parse(each?.data as string).parcel),
    [firstId, secondId],
  );
  again.close();
});

test("many streams share one read of the log", async (t) => {
  const courier = await serve(t);
  const { system } = courier.store.session;
  const { eventsAfter } = system;
  let readings = 0;
  system.eventsAfter = (...given) => {
    readings += 1;
    return eventsAfter(...given);
  };
  const streams = await Promise.all(Array.from({ length: 50 }, () => courier.open("/events", ada)));
  await Promise.all(streams.map((stream) => stream.piece()));
  readings = 0;
  await makeParcels(courier, 1);
  for (const stream of streams) assert.equal((await stream.events(1)).length, 1);
  assert.ok(readings <= streams.length / 5, `the log was read ${readings} times`);
  for (const stream of streams) stream.close();
});

test("a reader that accepts no data needs no memory, and receives all events when it continues", async (t) => {
  const courier = await serve(t);
  const stream = await courier.open("/events", ada);
  await stream.piece();
  const { log } = courier.service.internals.shared.streams;
  const count = streamLimits.recentMax + 500;
  for (let at = 0; at < count; at += 250) await makeParcels(courier, 250);
  await aTurn();
  assert.ok(log.kept.events <= streamLimits.recentMax, String(log.kept.events));
  assert.ok(log.kept.bytes <= streamLimits.recentBytesMax, String(log.kept.bytes));
  assert.equal((await stream.events(count)).length, count);
  stream.close();
  await eventually(() => assert.deepEqual(log.kept, { events: 0, bytes: 0 }));
});

test("a chunk has at most its maximum size and one event, however much there is to send", async (t) => {
  const courier = await serve(t);
  await makeParcels(courier, 2000);
  const stream = await courier.open("/history", ada);
  let length = 0;
  let pieces = 0;
  for (let reported = 0; reported < 2000; pieces += 1) {
    const piece = (await stream.piece()) as string;
    length = Math.max(length, piece.length);
    reported += piece.split("data: ").length - 1;
  }
  assert.ok(length < streamLimits.chunkBytesMax + 1000 && pieces > 4, `${pieces} pieces, ${length}`);
  stream.close();
});

test("a reader whose credential was deleted receives nothing more, and is rejected when it reconnects", async (t) => {
  const courier = await serve(t);
  await courier.given('- Given: `ApiKey with shop = ada, key = "sk_ada_00000002" as second`');
  const stream = await courier.open("/events", { key: "sk_ada_00000002" });
  await stream.piece();
  await makeParcels(courier, 1);
  const [seen] = await stream.events(1);
  // Both changes are in one commit. Otherwise a reader of the parcel would receive it after the
  // deletion of the key.
  const { context, newFrame } = courier.service.internals;
  const query = context.store.prepareRecords({ resource: "ApiKey", where: [], order: [] });
  await Promise.all([
    context.store.write(async (transaction) => {
      const all = await transaction.records(query, newFrame(courier.clock.now()));
      await transaction.delete("ApiKey", all.at(-1) as never);
    }),
    makeParcels(courier, 1),
  ]);
  assert.equal(await stream.piece(), null);
  const back = await courier.open("/events", {
    key: "sk_ada_00000002",
    headers: { "Last-Event-ID": seen?.id as string },
  });
  assert.equal(back.status, 401);
});

test("a credential that expires ends the stream with the next heartbeat", async (t) => {
  const text = courierText.replace(
    "### GET /events\n",
    '### GET /office\n\n- Does: stream\n- Sends: parcel.registered when `this.shop == caller.shop`\n- Allowed: `now < timestamp("2026-11-20T12:00:20.000Z")`\n\n### GET /events\n',
  );
  const courier = await serve(t, text);
  const stream = await courier.open("/office", ada);
  await stream.piece();
  courier.clock.moveBy(streamLimits.heartbeatMs);
  assert.match((await stream.piece()) as string, /^: ping\n/);
  courier.clock.moveBy(streamLimits.heartbeatMs);
  assert.equal(await stream.piece(), null);
});

test("a stream without events sends heartbeats, and the position to resume from", async (t) => {
  const courier = await serve(t);
  const stream = await courier.open("/events", ada);
  const opening = (await stream.piece()) as string;
  assert.match(opening, new RegExp(`^retry: ${streamLimits.retryMs}\nid: \\S{22}\n\n$`));
  const sign = /^: ping\nid: (\S{22})\n\n$/;
  const next = stream.piece();
  courier.clock.moveBy(streamLimits.heartbeatMs);
  const quiet = sign.exec((await next) as string)?.[1] as string;
  // Events of others move the position. Otherwise the position would become too old to resume from.
  const { ids } = courier.service.internals.shared.streams;
  assert.equal(ids.read(quiet)?.sequence, 0);
  await makeParcels(courier, 3, keys.grace);
  await eventually(async () => {
    courier.clock.moveBy(streamLimits.heartbeatMs);
    const busy = sign.exec((await stream.piece()) as string)?.[1] as string;
    assert.equal(ids.read(busy)?.sequence, 3);
  });
  stream.close();
});

test("an id does not reveal how many events others cause", async (t) => {
  const courier = await serve(t);
  const stream = await courier.open("/events", ada);
  const reported = [(await stream.piece()) as string];
  for (let beat = 0; beat < 4; beat += 1) {
    // In the second half, others cause many events. The ids must not show them.
    if (beat > 1) await makeParcels(courier, 1, keys.grace);
    await aTurn();
    courier.clock.moveBy(streamLimits.heartbeatMs);
    reported.push((await stream.piece()) as string);
  }
  stream.close();
  const ids = reported.map((text) => /^id: (.+)$/m.exec(text)?.[1] as string);
  assert.ok(ids.every((id) => /^[\w-]{22}$/.test(id)));
  assert.equal(new Set(ids).size, ids.length, "each is another, whether anything has happened or not");
  // A reader with an invented id receives the same, whether its position would be in the log or
  // after it.
  await makeParcels(courier, 2, keys.grace);
  for (const made of ["1-00000000", "2-00000000", "77-00000000", "3--", "999999999999999", "A".repeat(22)]) {
    const guessing = await courier.open("/events", { ...ada, headers: { "Last-Event-ID": made } });
    assert.match((await guessing.piece()) as string, /event: reset\ndata: \{"reason":"unknown"\}/, made);
    guessing.close();
  }
});

test("an id from before ids were encrypted is still valid", async (t) => {
  const courier = await serve(t);
  await makeParcels(courier, 2);
  const [first] = await courier.store.session.system.eventsAfter(0, 1);
  for (const [former, count] of [
    [`1-${String(first?.id).slice(-8)}`, 1],
    ["0", 2],
  ] as const) {
    const stream = await courier.open("/history", { ...ada, headers: { "Last-Event-ID": former } });
    const events = await stream.events(count);
    assert.deepEqual(new Set(events.map((event) => event.event)), new Set(["parcel.registered"]));
    stream.close();
  }
});

for (const where of ["in memory", "on PostgreSQL"])
  test(`a reader whose events were deleted gets one reset and starts again (${where})`, async (t) => {
    const schema = where === "on PostgreSQL" ? await freshSchema() : undefined;
    const courier = await openCourier(schema ? { path: schema.url } : {});
    t.after(async () => {
      await courier.close();
      await schema?.drop();
    });
    const stream = await courier.open("/history", ada);
    await stream.piece();
    await makeParcels(courier, 1);
    const [first] = await stream.events(1);
    await makeParcels(courier, 2);
    const [, last] = await stream.events(2);
    stream.close();
    courier.clock.moveBy(1000);
    await makeParcels(courier, 1);
    const forgets = new Date(courier.clock.now()).toISOString();
    await courier.store.write(
      async ({ system }) => void (await system.deliveries.forgetEvents(0, forgets, 100)),
    );
    const late = await courier.open("/history", {
      ...ada,
      headers: { "Last-Event-ID": first?.id as string },
    });
    const [reset, left] = await late.events(2);
    assert.deepEqual([reset?.event, JSON.parse(reset?.data as string)], ["reset", { reason: "expired" }]);
    assert.equal(left?.event, "parcel.registered");
    late.close();
    // A reader of the last deleted event has missed nothing.
    const log = await courier.store.session.system.logSpan();
    assert.deepEqual(log, { first: 4, last: 4 });
    const good = await courier.open("/history", { ...ada, headers: { "Last-Event-ID": String(last?.id) } });
    assert.equal((await good.events(1))[0]?.event, "parcel.registered");
    good.close();
  });

test("a reader that is too slow for the log gets a reset while it reads", async (t) => {
  const courier = await serve(t);
  const slow = await courier.open("/history", ada);
  await slow.piece();
  await makeParcels(courier, 1);
  await slow.events(1);
  // Nothing is left to send: the reader is up to date once.
  const waiting = slow.events(1);
  for (let turn = 0; turn < 20; turn += 1) await aTurn();
  await makeParcels(courier, 1);
  await waiting;
  // These are more events than the streams keep in memory, and the reader accepts none. The
  // beginning of the log is deleted meanwhile.
  for (let round = 0; round < 12; round += 1) await makeParcels(courier, 100);
  courier.clock.moveBy(1000);
  await makeParcels(courier, 1);
  const forgets = new Date(courier.clock.now()).toISOString();
  await courier.store.write(
    async ({ system }) => void (await system.deliveries.forgetEvents(0, forgets, 10_000)),
  );
  const [reset, next] = await slow.events(2);
  assert.deepEqual([reset?.event, JSON.parse(reset?.data as string)], ["reset", { reason: "expired" }]);
  assert.equal(next?.event, "parcel.registered");
  slow.close();
});

test("an id of another store is not accepted", async (t) => {
  const courier = await serve(t);
  await makeParcels(courier, 2);
  const stream = await courier.open("/history", ada);
  const [first] = await stream.events(1);
  stream.close();
  const other = await serve(t);
  await makeParcels(other, 2);
  const strange = await other.open("/history", { ...ada, headers: { "Last-Event-ID": first?.id as string } });
  const [reset] = await strange.events(1);
  assert.deepEqual([reset?.event, JSON.parse(reset?.data as string)], ["reset", { reason: "unknown" }]);
  assert.equal((await strange.events(2)).length, 2);
  strange.close();
});

test("a stream holds its concurrency slot until it is closed", async (t) => {
  const text = courierText.replace(
    "Rate limits, size limits, time-outs and pagination bounds: none.",
    "| Limit | Bound | Applies to |\n|---|---|---|\n| concurrency | 2 | caller, GET /events |\n\n- Size limits: none\n- Time-outs: none\n- Pagination bounds: none",
  );
  const courier = await serve(t, text);
  const first = await courier.open("/events", ada);
  const second = await courier.open("/events", ada);
  assert.deepEqual(
    [first.status, second.status, (await courier.open("/events", ada)).status],
    [200, 200, 429],
  );
  first.close();
  await aTurn();
  const third = await courier.open("/events", ada);
  assert.equal(third.status, 200);
  second.close();
  third.close();
});

test("a service that stops ends its streams after their pending events", async (t) => {
  const courier = await serve(t);
  const stream = await courier.open("/events", ada);
  await stream.piece();
  const next = stream.piece();
  courier.service.drain();
  assert.equal(await next, null);
  const refused = await courier.send("GET", "/events", ada);
  assert.deepEqual([refused.status, refused.headers["retry-after"]], [503, "1"]);
});

test("HEAD gets the response headers of GET, and opens no stream", async (t) => {
  const courier = await serve(t);
  const answer = await courier.send("HEAD", "/events", ada);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "text/event-stream");
  assert.equal(courier.service.internals.shared.streams.open, 0);
});

test("a stream ends when its condition becomes true, after the earlier events", async (t) => {
  const courier = await serve(t);
  const stream = await courier.open("/shop/live", ada);
  await stream.piece();
  const other = await courier.open("/shop/live", { key: keys.grace });
  await other.piece();
  await Promise.all([makeParcels(courier, 1), courier.send("POST", "/shop/close", ada)]);
  assert.equal((await stream.events(1)).length, 1);
  assert.equal(await stream.piece(), null);
  await makeParcels(courier, 1, keys.grace);
  assert.equal((await other.events(1)).length, 1);
  other.close();
});

/** If each reader's query goes over a network, thousands of results arrive at once. */
for (const where of ["in memory", "on PostgreSQL"])
  test(`thousands of streams do not block requests: ${where}`, async (t) => {
    const schema = where === "in memory" ? undefined : await freshSchema();
    const courier = await openCourier({ path: schema?.url ?? ":memory:" });
    t.after(async () => {
      await courier.close();
      await schema?.drop();
    });
    const count = 5 * streamLimits.streamsPerTurn;
    const streams = await Promise.all(Array.from({ length: count }, () => courier.open("/events", ada)));
    for (const stream of streams) await stream.piece();
    let reported = 0;
    const all = streams.map(async (stream) => {
      await stream.events(1);
      reported += 1;
    });
    const before: number[] = [];
    await makeParcels(courier, 1);
    while (reported < count) {
      before.push(reported);
      await aTurn();
    }
    await Promise.all(all);
    const most = Math.max(...before.map((at, index) => (before[index + 1] ?? count) - at));
    // On a busy machine, a turn of this test may see several turns of the service.
    assert.ok(most <= 3 * streamLimits.streamsPerTurn, `${most} in one turn`);
    for (const stream of streams) stream.close();
  });

test("events are sent in the version of `Default`, whatever version a reader uses", async (t) => {
  const text = courierText
    .replace(
      "### GET /history\n",
      "### GET /moves\n\n- Does: stream\n- Sends: parcel.registered when `this.shop == caller.shop` as Parcel\n- Starts: beginning\n\n### GET /history\n",
    )
    .replace(
      "- Scheme: none\n- Compatibility: none",
      "- Scheme: header `Version`\n- Default: 1\n- Compatibility: none\n\n| Version | Status |\n|---|---|\n| 2 | current |\n| 1 | supported |\n\n### Changes in 2\n\n- Renamed: Parcel.recipient to Parcel.to",
    );
  const courier = await serve(t, text);
  const headers = { Version: "2" };
  const made = await courier.send("POST", "/parcels", { ...ada, headers, body: { to: "Grace" } });
  assert.equal(made.json.to, "Grace");
  for (const version of ["1", "2"]) {
    const stream = await courier.open("/moves", { ...ada, headers: { Version: version } });
    const [event] = await stream.events(1);
    const reported = JSON.parse(event?.data as string);
    assert.deepEqual([reported.recipient, reported.to], ["Grace", undefined], version);
    stream.close();
  }
});
