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
  "it changes another place, or adds one": 96,
  "it offers a choice": 340,
  "it shows a form that the author fills in": 231,
  "it shows an example, or says what to decide": 207,
  "it takes away what the author has to choose": 40,
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
    const problems = problemsAfter(diagnostic.fix, name, text, diagnostics, diagnostic);
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

test("the number of hints without an edit doesn't grow, and each has a reason", () => {
  const counts: Record<string, number> = {};
  for (const { diagnostic } of found) {
    if (diagnostic.fix) continue;
    const reason = reasonOf(diagnostic);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  assert.deepEqual(counts, withoutEdit);
});

/**
 * Hints that offer names, and none of them at the place of the mistake corrects the document. May
 * only shrink.
 */
const offersInVain: Readonly<Record<string, string>> = {
  "endpoints/lists/order-other-words": "the input of the direction has other values, too",
  "events/unknown-type": "the mistake includes the quotes around the name",
  "expressions/names-never-there": "a field of a credential is not one of its claims",
  "purpose/shared-givens": "the record that the name suggests belongs to another resource",
  "purpose/unknown-heading": "the name after the colon is the author's",
  "purpose/unknown-key": "the item exists already",
  "states/create-unknown-resource": "each resource has required fields of its own",
};

test("one of the names that a hint offers corrects the document", () => {
  const vain = new Set<string>();
  let applicable = 0;
  for (const { name, text, diagnostics, diagnostic } of found) {
    const { hint = "", fix, position } = diagnostic;
    if (fix || !/^(?:Write one of|Did you mean) `/.test(hint)) continue;
    const names = [...hint.matchAll(/`([^`]+)`/g)].map(([, written = ""]) => written);
    if (
      names.some(
        (written) =>
          problemsAfter({ position, text: written }, name, text, diagnostics, diagnostic).length === 0,
      )
    )
      applicable += 1;
    else vain.add(name);
  }
  assert.deepEqual([...vain].sort(), Object.keys(offersInVain));
  assert.ok(applicable >= 46, String(applicable));
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

/** Returns what is wrong with the document after the edit: the same mistake, or new errors. */
function problemsAfter(
  edit: Fix,
  name: string,
  text: string,
  diagnostics: readonly Diagnostic[],
  diagnostic: Diagnostic,
): readonly string[] {
  const after = compile(applied(text, edit), { file: name }).diagnostics;
  const isSame = (other: Diagnostic) => keyOf(other) === keyOf(diagnostic);
  const isStill = after.filter(isSame).length >= diagnostics.filter(isSame).length;
  const known = new Set(diagnostics.map(keyOf));
  const allowed = reveals[name] ?? [];
  const added = after.filter(
    (other) => other.severity === "error" && !known.has(keyOf(other)) && !allowed.includes(other.code),
  );
  return [...(isStill ? ["it is still reported"] : []), ...added.map(keyOf)];
}

function applied(text: string, { position, text: written }: Fix): string {
  return text.slice(0, position.start.offset) + written + text.slice(position.end.offset);
}

function keyOf({ code, message }: Diagnostic): string {
  return `${code} ${message}`;
}
