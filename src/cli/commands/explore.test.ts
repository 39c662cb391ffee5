import assert from "node:assert/strict";
import { test } from "node:test";
import { pathOf } from "../../../test/repository/repository.ts";
import { runCommand } from "../testing/run-command.ts";

const leak = pathOf("test/explore/leak.md");

test("a finding has its line, its message and a scenario", async () => {
  const { code, out } = await runCommand("explore", leak, "--requests", "240");
  assert.equal(code, 1);
  assert.match(out, /✗ GET \/sum: a caller learns of a record that is hidden from it/);
  assert.match(out, /leak\.md:46/);
  assert.match(out, /### Scenario: GET \/sum/);
  assert.match(out, /--seed 1 repeats them/);
});

test("--json has the findings, and what was not reached", async () => {
  const { code, out } = await runCommand("explore", leak, "--requests", "240", "--json", "--only", "/sum");
  assert.equal(code, 1);
  const { ok, findings, not_reached } = JSON.parse(out);
  assert.equal(ok, false);
  assert.ok(Array.isArray(not_reached));
  assert.ok(findings.every(({ kind }: { kind: string }) => kind === "learns of another's record"));
});

test("an endpoint that --only doesn't find is reported", async () => {
  const { code, complaints } = await runCommand("explore", leak, "--only", "/nothing");
  assert.equal(code, 1);
  assert.match(complaints, /No endpoint has "\/nothing" in its method and path/);
});
