/**
 * Hints with an edit: each is applied to its document, which then lacks the mistake and has no new
 * error.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import type { Fix } from "../../src/diagnostics/fix.ts";
import { allCases } from "./cases.ts";

/**
 * Cases in which a corrected name reveals another mistake that the wrong name had hidden. May only
 * shrink.
 */
const reveals: Readonly<Record<string, readonly string[]>> = {
  "resources/computed-block-unknown-resource": ["resources/unknown-field"],
  "resources/unknown-field": ["resources/unknown-field"],
  "states/state-field-name": ["resources/other-state-field"],
  "states/unknown-resource": ["states/duplicate-machine"],
};

/** Mistakes of all cases whose hint has no edit, by reason. May only shrink. */
const withoutEdit: Readonly<Record<string, number>> = {
  "it changes another place, or adds one": 95,
  "it offers a choice": 318,
  "it shows a form that the author fills in": 218,
  "it shows an example, or says what to decide": 193,
  "it takes away what the author has to choose": 39,
};

const found = allCases().flatMap((testCase) => {
  const text = readFileSync(testCase.document, "utf8");
  const { diagnostics } = compile(text, { file: testCase.name });
  return diagnostics
    .filter(({ kind }) => kind === "mistake")
    .map((diagnostic) => ({ name: testCase.name, text, diagnostics, diagnostic }));
});

test("every hint with an edit corrects the document", () => {
  const failed = found.flatMap(({ name, text, diagnostics, diagnostic }) => {
    if (!diagnostic.fix) return [];
    const after = compile(applied(text, diagnostic.fix), { file: name }).diagnostics;
    const isSame = (other: Diagnostic) => keyOf(other) === keyOf(diagnostic);
    const isStill = after.filter(isSame).length >= diagnostics.filter(isSame).length;
    const known = new Set(diagnostics.map(keyOf));
    const allowed = reveals[name] ?? [];
    const added = after.filter(
      (other) => other.severity === "error" && !known.has(keyOf(other)) && !allowed.includes(other.code),
    );
    const problems = [...(isStill ? ["it is still reported"] : []), ...added.map(keyOf)];
    return problems.length === 0
      ? []
      : [`${name}: ${keyOf(diagnostic)}: ${diagnostic.hint}: ${problems.join("; ")}`];
  });
  assert.deepEqual(failed, []);
  assert.ok(found.filter(({ diagnostic }) => diagnostic.fix).length >= 209);
});

test("every case in the list of revealed mistakes reveals one", () => {
  for (const [name, codes] of Object.entries(reveals))
    assert.ok(
      found.some(
        ({ name: other, text, diagnostic: { fix } }) =>
          other === name &&
          fix &&
          compile(applied(text, fix), { file: name }).diagnostics.some(({ code }) => codes.includes(code)),
      ),
      name,
    );
});

test("no more hints than now lack an edit, each for a reason", () => {
  const counts: Record<string, number> = {};
  for (const { diagnostic } of found) {
    if (diagnostic.fix) continue;
    const reason = reasonOf(diagnostic);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  assert.deepEqual(counts, withoutEdit);
});

/** Returns the reason why a hint has no edit. */
function reasonOf({ hint = "" }: Diagnostic): string {
  if (hint === "") return "it has no hint";
  if (/…|<[^>`]+>/.test(hint)) return "it shows a form that the author fills in";
  if (/, or |` or `|\bone of\b|; or /.test(hint)) return "it offers a choice";
  if (/^(?:Add|Move|Merge|Name|State|Give|Make)\b/.test(hint)) return "it changes another place, or adds one";
  if (/^(?:Remove|Keep|Rename|Choose)\b/.test(hint)) return "it takes away what the author has to choose";
  return "it shows an example, or says what to decide";
}

function applied(text: string, { position, text: written }: Fix): string {
  return text.slice(0, position.start.offset) + written + text.slice(position.end.offset);
}

function keyOf({ code, message }: Diagnostic): string {
  return `${code} ${message}`;
}
