/** Log reader: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "../../store/store.ts";
import { silentLog } from "../ports.ts";
import { LogReader } from "./log-reader.ts";
import { streamLimits } from "./stream-limits.ts";

const event = (sequence: number): LoggedEvent => ({
  id: `ev_${sequence}`,
  sequence,
  type: "note.made",
  time: "2026-11-20T12:00:00.000Z",
  resource: "Note",
  row: sequence,
  subject: `${sequence}`,
  payload: "{}",
  record: null,
});
const wake = { onEvents: () => () => {}, onChanges: () => () => {}, stop() {} };
const someTurns = async () => {
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

test("an event that is announced at any moment of a read is read", async () => {
  for (let later = 0; later < 12; later += 1) {
    const log = [event(1)];
    let isNotifiedOf = false;
    const source = {
      logSpan: () => ({ first: 1, last: 0 }),
      async eventsAfter(sequence: number) {
        const found = log.filter((loggedEvent) => loggedEvent.sequence > sequence);
        // The log has no more events now; the next event is added after this number of steps.
        if (found.length === 0 && !isNotifiedOf) {
          isNotifiedOf = true;
          void (async () => {
            for (let step = 0; step < later; step += 1) await undefined;
            log.push(event(2));
            reader.readNew();
          })();
        }
        return found;
      },
    };
    const reader = new LogReader(source, wake, silentLog);
    reader.join(() => {});
    await someTurns();
    assert.deepEqual(await reader.after(1), [event(2)], `${later} steps later`);
  }
});

/**
 * Creates a log that grows and whose reads take a tick, and shows whether a listener waits for
 * more.
 */
function serve() {
  const log: LoggedEvent[] = [];
  const served = {
    log,
    listening: 0,
    readings: 0,
    /** The listener for new events, and the calls that it received. */
    more: () => {},
  };
  const source = {
    logSpan: () => ({ first: 1, last: 0 }),
    async eventsAfter(sequence: number, limit: number) {
      served.readings += 1;
      await new Promise((resolve) => setImmediate(resolve));
      return log.filter((loggedEvent) => loggedEvent.sequence > sequence).slice(0, limit);
    },
  };
  const onEvents = (look: () => void) => {
    served.listening += 1;
    served.more = look;
    return () => {
      served.listening -= 1;
    };
  };
  const failures: unknown[] = [];
  const reported = { ...silentLog, error: (fields: object) => void failures.push(fields) };
  const reader = new LogReader(source, { ...wake, onEvents }, reported);
  return { served, source, reader, failures };
}

const until = async (isSo: () => boolean) => {
  for (let turn = 0; turn < 500 && !isSo(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.ok(isSo());
};

test("each event is buffered once, however often new events are announced", async () => {
  const { served, reader } = serve();
  let calls = 0;
  const leave = reader.join(() => {
    calls += 1;
  });
  assert.deepEqual([reader.isThere, await reader.after(0)], [false, []]);
  for (let at = 1; at <= 3; at += 1) {
    served.log.push(event(at));
    served.more();
    served.more();
  }
  await until(() => reader.kept.events >= 3);
  await someTurns();
  assert.ok(reader.isThere && calls > 0);
  assert.deepEqual(await reader.after(0), [event(1), event(2), event(3)]);
  assert.deepEqual(await reader.after(2), [event(3)]);
  assert.deepEqual(await reader.after(3), []);
  leave();
});

test("the buffer has a limit in number, and a reader further behind reads the log", async () => {
  const { served, reader } = serve();
  const count = streamLimits.recentMax + 10;
  for (let at = 1; at <= count; at += 1) served.log.push(event(at));
  reader.join(() => {});
  await until(() => reader.kept.events > 0);
  for (let turn = 0; turn < 100; turn += 1) await someTurns();
  assert.equal(reader.kept.events, streamLimits.recentMax);
  const { readings } = served;
  assert.equal((await reader.after(count - 5))[0]?.sequence, count - 4);
  assert.equal((await reader.after(10))[0]?.sequence, 11);
  assert.equal(served.readings, readings);
  assert.equal((await reader.after(9))[0]?.sequence, 10);
  assert.equal(served.readings, readings + 1);
  assert.equal((await reader.after(10)).length, streamLimits.batchMax);
});

test("the buffer has a limit in bytes, and holds the latest events", async () => {
  const { served, reader } = serve();
  const payload = "x".repeat(streamLimits.recentBytesMax / 4);
  for (let at = 1; at <= 6; at += 1) served.log.push({ ...event(at), payload });
  reader.join(() => {});
  await until(() => reader.kept.events > 0);
  assert.equal(reader.kept.events, 3);
  assert.ok(reader.kept.bytes <= streamLimits.recentBytesMax && reader.kept.bytes > payload.length * 3);
  const { readings } = served;
  assert.equal((await reader.after(3))[0]?.sequence, 4);
  assert.equal(served.readings, readings);
});

test("it listens while there is a reader, and buffers nothing without one", async () => {
  const { served, reader } = serve();
  for (let time = 0; time < 2; time += 1) {
    served.log.push(event(served.log.length + 1));
    const leaves = [reader.join(() => {}), reader.join(() => {})];
    assert.equal(served.listening, 1);
    await until(() => reader.kept.events > 0);
    assert.ok(reader.kept.bytes > 0);
    await someTurns();
    leaves[0]?.();
    assert.equal(served.listening, 1);
    leaves[1]?.();
    assert.equal(served.listening, 0);
    assert.deepEqual([reader.kept, reader.isThere], [{ events: 0, bytes: 0 }, false]);
  }
  const { readings } = served;
  reader.readNew();
  await someTurns();
  assert.equal(served.readings, readings);
  // A reader that leaves during a read leaves nothing behind.
  const leave = reader.join(() => {});
  leave();
  await someTurns();
  assert.deepEqual([reader.kept, reader.isThere], [{ events: 0, bytes: 0 }, false]);
});

test("a log that can't be read is reported, and read at the next look", async () => {
  const { served, source, reader, failures } = serve();
  const { eventsAfter } = source;
  source.eventsAfter = async () => {
    throw new Error("no");
  };
  reader.join(() => {});
  await until(() => failures.length > 0);
  assert.deepEqual(failures, [{ error: "Error: no" }]);
  source.eventsAfter = eventsAfter;
  served.log.push(event(1));
  reader.readNew();
  await until(() => reader.kept.events === 1);
});
