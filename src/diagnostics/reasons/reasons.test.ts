/**
 * Each code says why it is reported, in one or two plain sentences that don't repeat its message.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { codes, type DiagnosticCode } from "../codes/index.ts";
import { reasonOf } from "./index.ts";

const names = Object.keys(codes) as DiagnosticCode[];

/** Longest sentence, in words. */
const wordsMax = 27;

const sentencesOf = (text: string) => text.split(/(?<=\.) (?=[A-Z`])/);

test("each code has a reason of one or two sentences", () => {
  for (const name of names) {
    const sentences = sentencesOf(reasonOf(name));
    assert.ok(sentences.length <= 2, name);
    for (const sentence of sentences) {
      assert.match(sentence, /^[A-Z`].*\.$/, name);
      assert.ok(sentence.split(" ").length <= wordsMax, `${name}: ${sentence}`);
    }
  }
});
