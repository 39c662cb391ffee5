/**
 * The operations stream over a real socket, with a test topic: how much it sends at once, where a
 * reader resumes, and when it is disconnected.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { after, afterEach, before, test } from "node:test";
import { StreamHub, hubLimits } from "../../src/admin/api/stream/hub.ts";
import { topic } from "../../src/admin/api/stream/topic.ts";
import { silentLog } from "../../src/engine/ports.ts";
import { openStream, type OpenStream } from "./open-stream.ts";
import { type Operations, startOperations, withToken } from "./start-operations.ts";

let desk: Operations;
before(async () => {
  desk = await startOperations("examples/parcel-desk.md");
});
after(() => desk?.stop());

/** Opens a hub without a socket, and collects what its readers receive. */
async function openHub(keeps: "rows" | "latest" = "rows") {
  const hub = new StreamHub(silentLog);
  const space = await desk.operated.space();
  let push: (pushed: unknown) => void = () => {};
  let started = 0;
  let stopped = 0;
  const own = topic<unknown>({
    name: "own",
    delivers: keeps,
    start(_space, pushing) {
      push = pushing;
      started += 1;
      return () => {
        stopped += 1;
      };
    },
    serialize: (pushed) => pushed,
  });
  const open = (lastId?: string) => {
    const gone = new AbortController();
    const options = { topics: [own], space, admin: desk.operated, lastId, signal: gone.signal };
    const pieces = hub.open(options)[Symbol.asyncIterator]();
    return { pieces, leave: () => gone.abort() };
  };
  return { hub, open, push: (pushed: unknown) => push(pushed), counts: () => ({ started, stopped }) };
}

type Reader = ReturnType<Awaited<ReturnType<typeof openHub>>["open"]>;

async function nextFrame({
  pieces,
}: Reader): Promise<{ id: string; data: { rows: number[]; left_out: number } }> {
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) throw new Error("the stream is closed");
    const found = /^id: (\S+)\nevent: own\ndata: (.*)$/m.exec(value as string);
    if (found) return { id: found[1] as string, data: JSON.parse(found[2] as string) };
  }
}

test("a burst is sent in one event: its last rows, and the number of omitted rows", async () => {
  const { hub, open, push } = await openHub();
  const reader = open();
  for (let row = 1; row <= 1000; row += 1) push(row);
  const { data } = await nextFrame(reader);
  assert.equal(data.rows.length, hubLimits.rowsMax);
  assert.deepEqual([data.rows[0], data.rows.at(-1), data.left_out], [951, 1000, 950]);
  hub.close();
  assert.equal((await reader.pieces.next()).done, true);
});

test("a reader that reconnects continues after the last frame, or is informed that the frame is unknown", async () => {
  const { hub, open, push, counts } = await openHub();
  const first = open();
  push(1);
  const { id } = await nextFrame(first);
  first.leave();
  push(2);
  // The hub keeps watching for readers that reconnect.
  const again = open(id);
  assert.match((await again.pieces.next()).value as string, /"resumed":true/);
  assert.deepEqual((await nextFrame(again)).data.rows, [2]);
  assert.deepEqual(counts(), { started: 1, stopped: 0 });
  for (const unknown of [undefined, "nonsense", "00000000.1"]) {
    const other = open(unknown);
    assert.match((await other.pieces.next()).value as string, /"resumed":false/);
    other.leave();
  }
  hub.close();
  assert.deepEqual(counts(), { started: 1, stopped: 1 });
});

test("a topic with only its current state sends the last frame to a new reader", async () => {
  const { hub, open, push } = await openHub("latest");
  const first = open();
  push("a");
  push("b");
  for (const reader of [first, open()]) {
    let seen = "";
    while (!seen.includes("event: own")) seen += (await reader.pieces.next()).value;
    assert.match(seen, /data: \{"value":"b"\}/);
  }
  hub.close();
});

test("a reader that is too far behind is disconnected, and its buffer is freed", async () => {
  const { hub, open, push } = await openHub();
  const slow = open();
  const quick = open();
  const long = "x".repeat(hubLimits.behindMax / 10);
  let read = 0;
  const reading = (async () => {
    for (;;) read += (await nextFrame(quick)).data.rows.length;
  })();
  // The slow reader accepts nothing: its buffer grows with each frame.
  for (let frame = 0; frame < 14; frame += 1) {
    push(long);
    await new Promise((resolve) => setTimeout(resolve, hubLimits.frameMs * 1.2));
  }
  let taken = 0;
  for (;;) {
    const { value, done } = await slow.pieces.next();
    if (done) break;
    taken += (value as string).length;
  }
  assert.ok(taken <= hubLimits.behindMax + 2 * long.length, String(taken));
  hub.close();
  await assert.rejects(reading, /is closed/);
  assert.equal(read, 14);
});

let streams: OpenStream[] = [];
afterEach(() => {
  for (const stream of streams) stream.close();
  streams = [];
});

test("the number of open streams is limited, and a closed stream frees its slot", async () => {
  for (let at = 0; at < hubLimits.streamsMax; at += 1) streams.push(await openStream(desk, "trouble"));
  const refused = () =>
    fetch(`${desk.door.url}/api/stream?topics=trouble`, { headers: withToken(desk.door) });
  const answer = await refused();
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get("retry-after"), "5");
  const first = streams.shift() as OpenStream;
  first.close();
  await first.ended;
  // The server detects the close a little later.
  for (;;) {
    const next = await refused();
    if (next.status === 200) {
      await next.body?.cancel();
      break;
    }
    await next.text();
  }
});

test("an unknown topic is reported with the known ones", async () => {
  const { status, json } = await desk.operate("GET", "/api/stream?topics=overvew");
  assert.equal(status, 400);
  assert.match(json.detail, /Did you mean "overview"\?/);
});

test("streams end when the hub closes, and their connections with them", async () => {
  const own = await startOperations("examples/parcel-desk.md");
  const stream = await openStream(own, "overview");
  const { hostname, port } = new URL(own.door.url);
  const idle = connect(Number(port), hostname);
  await once(idle, "connect");
  await own.stop();
  await stream.ended;
  idle.destroy();
});
