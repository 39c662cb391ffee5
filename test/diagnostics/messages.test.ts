/** Every diagnostic of every case has the shape of its kind, and its hint is an instruction. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { codes, type DiagnosticCode } from "../../src/diagnostics/codes/index.ts";
import { reasonOf } from "../../src/diagnostics/reasons/index.ts";
import { allCases } from "./cases.ts";
import { shapeProblems, type Worded } from "./message-shapes.ts";

const reported = allCases().flatMap((diagnosticCase) => {
  const { diagnostics } = compile(readFileSync(diagnosticCase.document, "utf8"), {
    file: diagnosticCase.name,
  });
  return diagnostics;
});

test("each message has the shape of its kind, and each hint says what to write", () => {
  assert.deepEqual(failing(reported), []);
});

test("each reason is free of retired words and forbidden shapes", () => {
  const reasons = (Object.keys(codes) as DiagnosticCode[]).map((code) => ({
    // Only the words count: a reason has no shape of a kind.
    code: "reason",
    message: reasonOf(code),
  }));
  assert.deepEqual(failing(reasons), []);
});

const planted: readonly (readonly [Worded, RegExp])[] = [
  [{ code: "states/duplicate-machine", message: 'The machine "Book" exists twice.' }, /Duplicate/],
  [{ code: "limits/repeated-limit", message: 'Limit "a" again.' }, /Duplicate/],
  [{ code: "errors/unknown-field", message: 'Field "a" is not allowed here.' }, /Unknown/],
  [{ code: "endpoints/unused-shape", message: 'Shape "A" has no use.' }, /Unused/],
  [{ code: "endpoints/like-circle", message: "`GET /a` refers to itself." }, /Circular/],
  [{ code: "document/missing-part", message: 'The part "Limits" is not there.' }, /Missing/],
  [{ code: "document/misplaced-part", message: 'Move the part "Limits".' }, /is not allowed/],
  [{ code: "purpose/unreadable-wait", message: '"14 daze" is unclear.' }, /Cannot read/],
  [{ code: "endpoints/bad-path", message: '"?a" is wrong.' }, /Invalid/],
  [{ code: "events/never-reached", message: '"A" is never reached.' }, /Unreachable/],
  [{ code: "states/name-taken", message: 'Name "a" is taken.' }, /already in use/],
  [{ code: "a/b", message: "the row is empty." }, /without a capital/],
  [{ code: "a/b", message: "The row is empty" }, /no full stop/],
  [{ code: "a/b", message: "This is no list." }, /is not a/],
  [{ code: "a/b", message: "The default is refused." }, /rejects it/],
  [{ code: "a/b", message: "The field is worked out." }, /computed/],
  [{ code: "a/b", message: "The caller is told." }, /retired word "told"/],
  [{ code: "a/b", message: "The row is empty.", hint: "A row has a name." }, /not an instruction/],
  [{ code: "a/b", message: "The row is empty.", hint: "Write a name behind it." }, /after/],
];

test("planted texts without the shape of their kind are found", () => {
  for (const [text, expected] of planted)
    assert.match(shapeProblems(text).join("\n"), expected, text.message);
  const right = {
    code: "errors/unknown-field",
    message: 'Unknown field "told".',
    hint: "If it is not a field, write `behind`.",
  };
  assert.deepEqual(shapeProblems(right), []);
});

function failing(texts: readonly Worded[]): readonly string[] {
  const found = texts.flatMap((text) =>
    shapeProblems(text).map((problem) => `${text.code}: ${text.message} | ${text.hint ?? ""}: ${problem}`),
  );
  return [...new Set(found)];
}
