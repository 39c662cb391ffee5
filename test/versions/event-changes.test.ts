/** Old values in events: `event.changes` has the names and the values of the version of events. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { pathOf } from "../repository/repository.ts";

test("old values of an event are named and converted as its new ones", async () => {
  const { code, out, complaints } = await runCommand("test", pathOf("test/versions/event-changes.md"));
  assert.equal(code, 0, out + complaints);
  assert.match(out, /2 passed/);
});
