import assert from "node:assert/strict";
import { test } from "node:test";
import type { LoggedEvent } from "../../store/store.ts";
import { silentLog } from "../ports.ts";
import { createLogReader } from "./log-reader.ts";

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

test("an event that is told of at any moment while the log is read is read", async () => {
  for (let later = 0; later < 12; later += 1) {
    const log = [event(1)];
    let isToldOf = false;
    const source = {
      logSpan: () => ({ first: 1, last: 0 }),
      async eventsAfter(sequence: number) {
        const found = log.filter((one) => one.sequence > sequence);
        // Nothing more: one comes so many steps behind that.
        if (found.length === 0 && !isToldOf) {
          isToldOf = true;
          void (async () => {
            for (let step = 0; step < later; step += 1) await undefined;
            log.push(event(2));
            reader.look();
          })();
        }
        return found;
      },
    };
    const reader = createLogReader(source, wake, silentLog);
    reader.join(() => {});
    await someTurns();
    assert.deepEqual(await reader.after(1), [event(2)], `${later} steps later`);
  }
});
