/** Polling: failed calls. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentLog } from "../../../engine/ports.ts";
import { pollEverySecond } from "./poll-every-second.ts";

test("a failed poll is reported, and polling continues", async () => {
  const logged: unknown[] = [];
  const log = { ...silentLog, error: (what: object) => void logged.push(what) };
  const failing = [
    () => {
      throw new Error("at once");
    },
    () => Promise.reject(new Error("later")),
  ];
  const stops = failing.map((look) => pollEverySecond(log, look));
  await new Promise((resolve) => setImmediate(resolve));
  for (const stop of stops) stop();
  assert.deepEqual(logged, [{ error: "Error: at once" }, { error: "Error: later" }]);
});
