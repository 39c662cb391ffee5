/**
 * Applies the correction of each code's example: the document no longer has the mistake, and has no
 * new error.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { codes } from "../../src/diagnostics/codes/index.ts";
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { allCorrections, corrected } from "./corrections.ts";
import { correctionOf, editOf, type Example, examplesByCode } from "./examples.ts";

const examples = [...examplesByCode()].flatMap(([code, [first]]) =>
  first?.diagnostic.kind === "mistake" ? [{ code, example: first }] : [],
);

for (const { code, example } of examples)
  test(`the correction of ${code} removes the mistake of its example`, () => {
    const correction = correctionOf(example);
    assert.ok(correction, "add it to its part's .corrections.md");
    assert.deepEqual(leftAfter(example, corrected(example.source.text, correction)), []);
  });

/** Returns the errors of a corrected document: the same mistake, or another one. */
function leftAfter({ diagnostic, diagnostics, source }: Example, text: string): readonly string[] {
  const after = compile(text, { file: source.file }).diagnostics;
  const isSame = (other: Diagnostic) => keyOf(other) === keyOf(diagnostic);
  const known = new Set(diagnostics.map(keyOf));
  const added = after.filter((other) => other.severity === "error" && !known.has(keyOf(other)));
  const isStill = after.filter(isSame).length >= diagnostics.filter(isSame).length;
  return [...(isStill ? ["it is still reported"] : []), ...added.map(keyOf)];
}

function keyOf({ code, message }: Diagnostic): string {
  return `${code} ${message}`;
}

test("a correction is written only if the hint has no edit, or one that is not enough", () => {
  const enough = examples.filter(({ example }) => {
    const edit = editOf(example);
    return edit && leftAfter(example, corrected(example.source.text, edit)).length === 0;
  });
  const known = new Set(examples.map(({ code }) => code));
  for (const { code } of enough) known.delete(code);
  assert.deepEqual(
    [...allCorrections().keys()].filter((code) => !known.has(code)),
    [],
  );
});

test("corrections are in the order of the codes", () => {
  const order = Object.keys(codes);
  for (const part of new Set(order.map((code) => code.split("/")[0]))) {
    const own = [...allCorrections().keys()].filter((code) => code.startsWith(`${part}/`));
    assert.deepEqual(
      own,
      own.toSorted((a, b) => order.indexOf(a) - order.indexOf(b)),
    );
  }
});
