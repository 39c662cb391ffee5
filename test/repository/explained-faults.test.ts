/**
 * Explained faults: each refers to an existing fault of its source, so that a rename doesn't orphan
 * the explanation.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { explainedFaults } from "../../scripts/mutate/explained-faults.ts";
import { faultOf, lineOf, mutantsOf } from "../../scripts/mutate/mutants.ts";
import { textOf } from "./repository.ts";

test("each explained fault is one that its source has", () => {
  const files = new Set(explainedFaults.map(({ file }) => file));
  const faults = new Set([...files].flatMap(faultsOf));
  const orphaned = explainedFaults
    .map(({ file, line, fault }) => keyOf(file, line, fault))
    .filter((key) => !faults.has(key));
  assert.deepEqual(orphaned, []);
});

function faultsOf(file: string): readonly string[] {
  const text = textOf(file);
  const lines = text.split("\n");
  return mutantsOf(file, text).map((mutant) =>
    keyOf(file, lines[lineOf(mutant, text) - 1]?.trim() ?? "", faultOf(mutant, text)),
  );
}

function keyOf(file: string, line: string, fault: string): string {
  return `${file}: ${line}: ${fault}`;
}
