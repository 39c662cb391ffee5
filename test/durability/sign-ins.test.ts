/** Four connections of `sign-ins.ts` for every test run. Run more by hand, and before a release. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { attackSignIns } from "./sign-ins.ts";

test("valid sign-ins succeed during an attack, and 60 at once", async () => {
  const { letIn, keptOut, wrong, refused, togetherLetIn } = await attackSignIns(4, 8);
  assert.ok(wrong > 0, "no wrong password was tried");
  assert.deepEqual(
    { letIn, keptOut, refused, togetherLetIn },
    { letIn: 8, keptOut: 0, refused: 0, togetherLetIn: 60 },
  );
});
