/**
 * Log retention: events older than the retention time are deleted slice by slice; newer events
 * stay.
 */
import assert from "node:assert/strict";
import { model, resource } from "../../src/store/test-model.ts";
import { onEachStore } from "./each-store.ts";

onEachStore(
  "events are forgotten from the oldest on, up to a time, and none where none is so old",
  async (open) => {
    const store = await open(model([resource("Note", [])]));
    const times = [1, 2, 3, 5].map((hour) => `2026-11-20T0${hour}:00:00.000Z`);
    await store.write((transaction) =>
      transaction.system.appendEvents(
        times.map((time, at) => ({
          id: `e${at}`,
          type: "note.made",
          time,
          resource: "Note",
          row: at,
          subject: `${at}`,
          payload: "{}",
        })),
      ),
    );
    const left = async () => (await store.session.system.eventsAfter(0, 10)).map(({ id }) => id);
    const forget = (hour: number, limit: number) =>
      store.write((transaction) =>
        transaction.system.deliveries.forgetEvents(0, `2026-11-20T0${hour}:00:00.000Z`, limit),
      );
    assert.equal(await forget(1, 10), null);
    assert.deepEqual(await left(), ["e0", "e1", "e2", "e3"]);
    const behind = await forget(4, 2);
    assert.deepEqual(await left(), ["e2", "e3"]);
    assert.equal(behind, 2);
  },
);
