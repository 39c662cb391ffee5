/** The form of a hint decides whether it has an edit, and which. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createSource, positionOf } from "../source/source.ts";
import { fixOf } from "./fix.ts";

/**
 * The text after the edit of a hint that is reported at `at`; undefined if the hint has no edit.
 */
function applied(text: string, at: string, hint: string, code = "part/slug"): string | undefined {
  const source = createSource("a.md", text);
  const start = text.indexOf(at);
  const fix = fixOf(code, hint, positionOf(source, start, start + at.length), source);
  return fix && text.slice(0, fix.position.start.offset) + fix.text + text.slice(fix.position.end.offset);
}

test("a hint that names a text replaces the wrong text, whatever explanation follows", () => {
  assert.equal(applied("| a | integr |", "integr", "Did you mean `integer`?"), "| a | integer |");
  assert.equal(applied("### my book", "my book", "Write `Book`. A name has no blanks."), "### Book");
  assert.equal(applied("-Does: x", "Does", "Write `- Does: x`."), "- Does: x");
});

test("a hint that offers a choice, a form or an example has no edit", () => {
  for (const hint of [
    "Write `a`, or `b`.",
    "Write `a` or `b`.",
    "Write `- Is: …`.",
    "Write `# <name>`.",
    "Write a.",
  ])
    assert.equal(applied("text", "text", hint), undefined, hint);
  assert.equal(applied("text", "text", "Write `a`.", "part/unreadable"), undefined);
  assert.equal(applied("- Retry: 5 seconds", "Retry", "Write `- Retries: 1 minute`."), undefined);
});

test("a hint that names what to remove deletes it, if the line has it once", () => {
  assert.equal(applied("- Set: a, stored", "a", "Remove `, stored`."), "- Set: a");
  assert.equal(
    applied("| not found of type x |", "x", "Remove `of type x`. It is for others."),
    "| not found |",
  );
  assert.equal(applied("x and x", "and", "Remove `x`."), undefined);
});

test("an item is removed with its line, unless it is continued or has a block", () => {
  const hint = "Remove this item.";
  assert.equal(applied("- A: 1\n- B: 2\n- C: 3\n", "B", hint), "- A: 1\n- C: 3\n");
  assert.equal(applied("- A: 1\n- B: 2", "B", hint), "- A: 1\n");
  assert.equal(applied("- B: 2\n  more\n", "B", hint), undefined);
  assert.equal(applied("- B:\n\n```cel\n1\n```\n", "B", hint), undefined);
});

test("a hint that names a line to add inserts it where the form of the hint says", () => {
  assert.equal(applied("- Does: a\n- Is: b\n", "Does", "Add `- Set: c`."), "- Does: a\n- Set: c\n- Is: b\n");
  assert.equal(applied("| a | b |\n", "a", "Add a row below it: `| c | d |`."), "| a | b |\n| c | d |\n");
  assert.equal(applied("| a.b | c |\n", "a", "Add a row `| a | c |` before it."), "| a | c |\n| a.b | c |\n");
  assert.equal(applied("- a\n| b |\n", "| b |", "Add an empty line before it."), "- a\n\n| b |\n");
  assert.equal(
    applied("## C\n", "C", "Add `## B` before `## C`, with `- X: not shown`, `- Y: not shown`."),
    "## B\n\n- X: not shown\n- Y: not shown\n\n## C\n",
  );
  assert.equal(
    applied("### GET /a/{b}/c\n", "GET", "Add `### /a/{b}`, and under it `- Is: B` and `- Where: x`."),
    "### /a/{b}\n\n- Is: B\n- Where: x\n\n### GET /a/{b}/c\n",
  );
});

test("a line is inserted only where it belongs", () => {
  assert.equal(applied("### Book\n", "Book", "Add `- Set: c`."), undefined);
  assert.equal(applied("### Book\n", "Book", "Add a row below it: `| c |`."), undefined);
  assert.equal(applied("| a |\n", "a", "Add a row below it: `| c | d |`."), undefined);
  assert.equal(applied("## D\n", "D", "Add `## B` before `## C`, with `- X: not shown`."), undefined);
});

test("inserted lines end as those of the document do", () => {
  assert.equal(applied("- A: 1\r\n- B: 2\r\n", "A", "Add `- C: 3`."), "- A: 1\r\n- C: 3\r\n- B: 2\r\n");
});
