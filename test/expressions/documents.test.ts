/**
 * Every expression of every example can be evaluated: by a function, or by the store with functions
 * around it.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import {
  compileFunction,
  compileMixed,
  newFrame,
  readsStore,
  unanswerable,
} from "../../src/expressions/evaluate.ts";
import type { Expression } from "../../src/expressions/node.ts";
import type { ExpressionPorts } from "../../src/expressions/value.ts";
import { compileJson } from "../../src/expressions/write-json.ts";
import { meaningOf } from "../../src/model/meaning.ts";

const ports: ExpressionPorts = {
  randomBytes: (count) => new Uint8Array(count),
  now: () => 0,
  token: () => "token",
  verifyPassword: () => false,
  hashCredential: (text) => text,
  hashPassword: (text) => text,
};

for (const file of globSync("examples/**/*.md", { cwd: new URL("../../", import.meta.url) })) {
  const { model } = compile(readFileSync(new URL(`../../${file}`, import.meta.url), "utf8"), { file });
  if (!model) continue;
  test(`every expression of ${file} can be evaluated in an empty frame`, () => {
    const meaning = meaningOf(model);
    for (const { text, node } of expressionsIn(model)) {
      // The store counts; no function has to be evaluated.
      if (node.op === "call" && node.function === "sequence") continue;
      assert.equal(unanswerable(node, meaning), undefined, text);
      if (readsStore(node, meaning)) {
        const mixed = compileMixed(node, meaning);
        mixed.evaluate(
          newFrame(ports),
          mixed.queries.map(() => null),
        );
      } else {
        compileFunction(node, meaning)(newFrame(ports));
        JSON.parse(compileJson(node, meaning, { timestamps: "milliseconds", nulls: true })(newFrame(ports)));
      }
    }
  });
}

/** All expressions of a model, at any place. */
function* expressionsIn(part: unknown): Generator<Expression> {
  if (typeof part !== "object" || part === null) return;
  if ("node" in part && "text" in part && "position" in part) yield part as Expression;
  else for (const inner of Object.values(part)) yield* expressionsIn(inner);
}
