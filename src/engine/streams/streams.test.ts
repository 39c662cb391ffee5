/** Streams of a service: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Store } from "../../store/store.ts";
import { createMovableClock, type Ports, silentLog } from "../ports.ts";
import type { Changes } from "./changes.ts";
import type { StreamIds } from "./stream-ids.ts";
import { streamLimits } from "./stream-limits.ts";
import { createStreams } from "./streams.ts";

function serve() {
  const clock = createMovableClock(0);
  const store = { session: { system: {} } } as unknown as Store;
  const wake = { onEvents: () => () => {}, onChanges: () => () => {}, stop() {} };
  const streams = createStreams(
    store,
    wake,
    {} as Changes,
    { clock, log: silentLog } as unknown as Ports,
    {} as StreamIds,
  );
  const enter = () => {
    const stream = {
      beats: 0,
      leave: () => {},
      heartbeat() {
        stream.beats += 1;
      },
      close: () => stream.leave(),
    };
    stream.leave = streams.enter(stream);
    return stream;
  };
  return { clock, streams, enter };
}

test("each stream has one heartbeat per interval, as long as there are streams", () => {
  const { clock, streams, enter } = serve();
  for (let time = 0; time < 2; time += 1) {
    const [first, second] = [enter(), enter()];
    clock.moveBy(streamLimits.heartbeatMs - 1);
    assert.deepEqual([first.beats, second.beats], [0, 0]);
    clock.moveBy(1);
    assert.deepEqual([first.beats, second.beats], [1, 1]);
    first.leave();
    clock.moveBy(streamLimits.heartbeatMs);
    assert.deepEqual([first.beats, second.beats], [1, 2]);
    second.leave();
    assert.deepEqual([streams.open, clock.earliest()], [0, null]);
  }
});

test("the number of open streams is limited; when the service stops all are closed, and no other is accepted", () => {
  const { streams, enter } = serve();
  for (let at = 0; at < streamLimits.streamsMax; at += 1) enter();
  assert.throws(enter, /reached its limit of open streams/);
  streams.drain();
  assert.equal(streams.open, 0);
  assert.throws(enter, /is stopping/);
});
