/** `ninefold explore`: command tests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../../../test/own-folder.ts";
import { pathOf } from "../../../test/repository/repository.ts";
import { runCommand } from "../testing/run-command.ts";

const leak = pathOf("test/explore/leak.md");
/** The same requests are sent on a slow machine, because their number is the bound. */
const bounds = ["--requests", "400", "--time", "10 minutes"];

test("a finding has its line, its message and a scenario", async () => {
  const { code, out } = await runCommand("explore", leak, ...bounds);
  assert.equal(code, 1);
  assert.match(out, /✗ GET \/sum: a caller learns of a record that is hidden from it/);
  assert.match(out, /leak\.md:46/);
  assert.match(out, /### Scenario: GET \/sum/);
  assert.match(out, /--seed 1 repeats them/);
});

test("--json has the findings and what was not reached, and --sarif each finding at its line", async () => {
  const sarif = join(ownFolder("explore"), "findings.sarif");
  const { code, out } = await runCommand(
    "explore",
    leak,
    ...bounds,
    "--only",
    "/sum",
    "--json",
    "--sarif",
    sarif,
  );
  assert.equal(code, 1);
  const { ok, findings, not_reached } = JSON.parse(out);
  assert.equal(ok, false);
  assert.ok(Array.isArray(not_reached));
  assert.ok(findings.every(({ kind }: { kind: string }) => kind === "learns of another's record"));
  const [{ results }] = JSON.parse(readFileSync(sarif, "utf8")).runs;
  const [{ ruleId, level, locations }] = results;
  assert.deepEqual([ruleId, level], ["explore/learns-of-anothers-record", "error"]);
  assert.ok(locations[0].physicalLocation.region.startLine > 40);
});

test("an endpoint that --only doesn't find is reported", async () => {
  const { code, complaints } = await runCommand("explore", leak, "--only", "/nothing");
  assert.equal(code, 1);
  assert.match(complaints, /No endpoint has "\/nothing" in its method and path/);
});
