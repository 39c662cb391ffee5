/** Findings from attempts: what many rejections prove. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { Observations } from "./observations.ts";
import { findUnreached } from "./unreached.ts";

const { model } = compile(
  `# Interface Specification: Notes

## Endpoints

### GET /notes

- Does: answer
- Allowed: \`caller != null\`
- Returns: 200 \`[]\`
`,
  { file: "notes.md" },
);

/** The kinds of findings after 40 rejections with these conditions. */
function kindsAfter(conditions: readonly string[]): readonly string[] {
  assert.ok(model);
  const observations = new Observations(model);
  for (const caller of ["ada", "bob"]) observations.callers.add(caller);
  const [tally] = observations.endpoints.values();
  assert.ok(tally);
  const count = 40 / conditions.length;
  for (const [at, condition] of conditions.entries())
    tally.rejections.set(at + 1, { count, condition, isAccess: condition === "forbidden" });
  tally.valid = 40;
  return findUnreached(observations).findings.map(({ kind }) => kind);
}

test("an endpoint is closed to all callers if no request passed access", () => {
  assert.deepEqual(kindsAfter(["forbidden"]), ["no caller"]);
  assert.deepEqual(kindsAfter(["forbidden", "not found"]), ["no caller"]);
});

test("a rejection by a later rule shows that a caller may use the endpoint", () => {
  assert.deepEqual(kindsAfter(["forbidden", "guard failed"]), []);
});
