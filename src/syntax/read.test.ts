/** Reading of items, tables and prose: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf } from "../source/phrase.ts";
import { createSource } from "../source/source.ts";
import { isNotShown } from "./read.ts";

const phrase = (text: string) => phraseOf(createSource("a.md", text), 0, text.length);

test("other words for gaps are read as gaps, and names that look like them are not", () => {
  for (const text of ["not shown", "Not  shown", "TBD", "TODO", "unknown", "?", "??"])
    assert.equal(isNotShown(phrase(text)), true, text);
  for (const text of ["todo", "`TODO`", "tbd_soon", "none", ""])
    assert.equal(isNotShown(phrase(text)), false, text);
});
