/** Diagnostic formats (text, JSON, SARIF): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSource, positionOf } from "../../source/source.ts";
import { createReporter } from "../diagnostic.ts";
import { formatSarif } from "./sarif.ts";
import { formatText } from "./text.ts";

const text = "# Title\n\n- Key:\tvalue 日本 wrong\n";
const source = createSource("my docs/a.md", text);

function report() {
  const reporter = createReporter(source);
  const at = text.indexOf("wrong");
  const related = [{ position: positionOf(source, 2, 7), message: "It stands here." }];
  reporter.report(
    "document/second-title",
    positionOf(source, at, at + 5),
    { text: "wrong\u001B[31m" },
    related,
  );
  return reporter.diagnostics;
}

test("a diagnostic is printed with its position, the line and carets, the hint and the other position", () => {
  assert.equal(
    formatText(report(), source, { colour: false }),
    `my docs/a.md:3:17 error document/second-title Duplicate level-1 heading "wrong\uFFFD[31m".
    3 | - Key: value 日本 wrong
      |                   ^^^^^
  hint: Remove it, or move the text under it to a document of its own.
  see:  my docs/a.md:1:3 It stands here.
    1 | # Title
      |   ^^^^^
`,
  );
});

test("output is coloured only on request", () => {
  assert.ok(formatText(report(), source, { colour: true }).includes("\u001B[31merror\u001B[0m"));
});

test("a long line is shortened around the position", () => {
  const long = createSource("a.md", `${"x".repeat(300)}HERE${"y".repeat(300)}`);
  const reporter = createReporter(long);
  reporter.report("document/html", positionOf(long, 300, 304), {});
  const lines = formatText(reporter.diagnostics, long, { colour: false }).split("\n");
  assert.equal(lines[1]?.indexOf("HERE"), lines[2]?.indexOf("^^^^"));
  assert.ok((lines[1] as string).length < 140);
});

test("SARIF has a run with rules, places in UTF-16 units and escaped addresses", () => {
  const log = JSON.parse(formatSarif(report(), { version: "1.2.3" }));
  assert.equal(log.version, "2.1.0");
  const [run] = log.runs;
  assert.deepEqual(
    run.tool.driver.rules.map((rule: { id: string }) => rule.id),
    ["document/second-title"],
  );
  const [result] = run.results;
  assert.equal(run.tool.driver.rules[result.ruleIndex].id, result.ruleId);
  assert.equal(result.locations[0].physicalLocation.artifactLocation.uri, "my%20docs/a.md");
  assert.deepEqual(result.locations[0].physicalLocation.region, {
    startLine: 3,
    startColumn: 17,
    endLine: 3,
    endColumn: 22,
  });
  assert.equal(result.relatedLocations[0].message.text, "It stands here.");
  assert.equal(run.columnKind, "utf16CodeUnits");
});

test("SARIF says why a code is reported, and has the edit of its hint", () => {
  const reporter = createReporter(source);
  const at = text.indexOf("wrong");
  const names = { name: "wrong", nearest: "right", known: ["right"] };
  reporter.report("purpose/unknown-resource", positionOf(source, at, at + 5), names);
  const [run] = JSON.parse(formatSarif(reporter.diagnostics, { version: "1.2.3" })).runs;
  assert.match(run.tool.driver.rules[0].fullDescription.text, /^There are no records/);
  const region = { startLine: 3, startColumn: 17, endLine: 3, endColumn: 22 };
  assert.deepEqual(run.results[0].fixes, [
    {
      description: { text: "Did you mean `right`?" },
      artifactChanges: [
        {
          artifactLocation: { uri: "my%20docs/a.md" },
          replacements: [{ deletedRegion: region, insertedContent: { text: "right" } }],
        },
      ],
    },
  ]);
});
