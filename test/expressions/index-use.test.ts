/**
 * Index use: if `check` assumes that an index narrows the records, the store must really create
 * that index.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { judgedExpressions } from "../../src/checks/expressions/statement-cost.ts";
import { compile } from "../../src/compile.ts";
import { equalitySets } from "../../src/expressions/analysis/equalities.ts";
import { expressionsIn } from "../../src/expressions/analysis/expressions-in.ts";
import type { Node } from "../../src/expressions/node.ts";
import { partsOfNode } from "../../src/expressions/nodes.ts";
import { ScanFinder } from "../../src/expressions/analysis/scans.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { tablesOf } from "../../src/store/tables.ts";

const files = globSync(["examples/**/*.md", "test/documents/*.md", "test/coverage/**/*.md", "bench/*.md"])
  .filter((file) => /^# Interface Specification/m.test(readFileSync(file, "utf8")))
  .sort();

function macrosIn(node: Node): readonly Extract<Node, { op: "macro" }>[] {
  const inside = partsOfNode(node).flatMap(macrosIn);
  return node.op === "macro" ? [node, ...inside] : inside;
}

/** Every condition by which an expression of the model selects from all records of a resource. */
function* picksIn(model: Model) {
  for (const { expression } of expressionsIn(model)) {
    for (const { of, body, depth } of macrosIn(expression.node)) {
      if (of.op === "collection" && body) yield { resource: of.resource, body, depth, text: expression.text };
    }
  }
}

test("the store has each index that the cost check assumes", () => {
  let narrowed = 0;
  for (const file of files) {
    const { model } = compile(readFileSync(file, "utf8"), { file });
    if (!model) continue;
    const tables = new Map(tablesOf(model).tables.map((table) => [table.name, table]));
    const finder = new ScanFinder(meaningOf(model));
    for (const { resource, body, depth, text } of picksIn(model)) {
      const isVariable = (node: Node) => node.op === "local" && node.depth === depth;
      if (!finder.isNarrowed(resource, [body], isVariable)) continue;
      narrowed += 1;
      const table = tables.get(resource);
      const firsts = [
        ...(table?.indexes ?? []).map(({ columns }) => columns[0]?.name),
        ...(table?.uniques ?? []).map(({ columns }) => columns[0]),
      ];
      for (const set of equalitySets([body], isVariable))
        assert.ok(
          set.some((name) => firsts.includes(name)),
          `${file}: ${text} has no index of ${resource}`,
        );
    }
  }
  assert.ok(narrowed > 100, `only ${narrowed} were found`);
});

test("no expression of the examples has quadratic cost", () => {
  let judged = 0;
  for (const file of files.filter((file) => file.startsWith("examples/"))) {
    const { model, diagnostics } = compile(readFileSync(file, "utf8"), { file });
    assert.ok(model, file);
    judged += [...judgedExpressions(model, new Set())].length;
    const reported = diagnostics.filter(({ code }) => code.endsWith("much-work"));
    assert.deepEqual(reported, [], file);
  }
  assert.ok(judged > 1_000, `only ${judged} were judged`);
});
