/**
 * Exploration: finds each planted contradiction, and nothing in the document without one.
 * `test/explore/run-contradictions.ts` plants all.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { explore } from "../../src/explore/explore.ts";
import type { Finding } from "../../src/explore/findings/finding.ts";
import { revealingDifferences } from "../../src/explore/findings/leaks.ts";
import { insertScenario } from "../../src/scenarios/insert-scenario.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { pathOf } from "../repository/repository.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { contradictions, planted } from "./contradictions.ts";
import { subjectOf } from "./subjects.ts";

async function findingsOf(text: string, requestsMax: number, findingsMax = 5): Promise<readonly Finding[]> {
  const { model } = compile(text, { file: "explored.md" });
  assert.ok(model);
  const bounds = { requestsMax, timeMsMax: 100_000, findingsMax };
  return (await explore({ model, given: [], seed: 1, ...bounds })).findings;
}

/** Contradictions that few requests find. */
const quick = [
  "a value that the rules of the field allow breaks an Always",
  "an effect writes a text that is too long for its field",
  "a Fails that the rules of the field exclude",
  "records that an endpoint creates and nothing reads",
];

for (const contradiction of contradictions.filter(({ name }) => quick.includes(name)))
  test(`explore finds the contradiction: ${contradiction.name}`, async () => {
    const findings = await findingsOf(planted(contradiction), 250);
    assert.ok(
      findings.some(({ kind }) => kind === contradiction.kind),
      findings.map(({ message }) => message).join("\n"),
    );
  });

/** Contradictions in states that few random requests reach. */
const deep = [
  "an Always that a state breaks",
  "a guard that the rules of the field exclude",
  "a state that nothing leaves, because its one guard never holds",
];

for (const contradiction of contradictions.filter(({ name }) => deep.includes(name)))
  test(`explore finds a contradiction that other states hide: ${contradiction.name}`, async () => {
    const findings = await findingsOf(planted(contradiction), 700, 10);
    assert.ok(
      findings.some(({ kind }) => kind === contradiction.kind),
      findings.map(({ message }) => message).join("\n"),
    );
  });

/** A caller of one company can infer hidden data in three ways. */
const leak = readFileSync(pathOf("test/explore/leak.md"), "utf8");

test("a leak of another caller's record is found, and its scenario shows it", async () => {
  const findings = await findingsOf(leak, 400);
  const leaks = findings.filter(({ kind }) => kind === "learns of another's record");
  assert.deepEqual(leaks.map(({ subject }) => subject).toSorted(), ["GET /all", "GET /csv", "GET /sum"]);
  for (const { story, subject } of leaks) {
    const inserted = insertScenario("leak.md", leak, story?.scenario ?? "");
    const { model } = compile(inserted?.text ?? "", { file: "leak.md" });
    const [scenario] = model?.scenarios ?? [];
    assert.ok(model && scenario, subject);
    const target = await createLocalTarget(model, { printError() {} });
    const { outcome } = await runScenario(model, scenario, target, "explored");
    await target.close();
    assert.equal(outcome, "passed", subject);
  }
});

test("the number of a record in a path reveals nothing, and a number in any other place does", async () => {
  const { model } = await subjectOf("test/documents/issues.md");
  const differences = [
    { what: "header location", expected: "/notes/6", actual: "/notes/7" },
    {
      what: "body url",
      expected: '"https://desk.example/notes/6/text"',
      actual: '"https://desk.example/notes/7/text"',
    },
    { what: "header x-notes", expected: "6", actual: "7" },
    { what: "body note", expected: '"/notes"', actual: '"/notes/7"' },
  ];
  assert.deepEqual(
    revealingDifferences(model, differences).map(({ what }) => what),
    ["header x-notes", "body note"],
  );
});

test("nothing is found in a document without contradictions", async () => {
  assert.deepEqual(await findingsOf(readFileSync(pathOf("examples/helpdesk.md"), "utf8"), 120), []);
});

test("an error that `Returns` names is not an internal error", async () => {
  const document = smallDocument({
    resources: `### Payment

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| card | one of good, bad | required |`,
    endpoints: `- Allowed: anyone

### POST /payments

- Does: create Payment
- Body: card
- Returns: declined when \`this.card == "bad"\`
- Returns: 201 Payment

### GET /payments/{id}

- Does: read Payment
- Returns: 200 Payment`,
    errors: `- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| declined | 402 | | The card was declined. |
| wrong | 422 | invalid field | {error.field} {error.problem}. |
| missing | 404 | not found | There is no such {error.resource}. |`,
  });
  const findings = await findingsOf(document, 60);
  assert.deepEqual(
    findings.filter(({ kind }) => kind === "internal error").map(({ message }) => message),
    [],
  );
});
