/** Unread inputs (part 4) next to an input whose effect isn't shown: unit tests of the check. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../compile.ts";

const fairs = readFileSync(
  new URL("../../../test/diagnostics/endpoints/unread-input.md", import.meta.url),
  "utf8",
);

function unread(text: string): readonly string[] {
  return compile(text, { file: "fairs.md" })
    .diagnostics.filter(({ code }) => code === "endpoints/unread-input")
    .map(({ message }) => message.split('"')[1] ?? "");
}

const withDefault = fairs
  .replace(
    "| Input | In | Type | Where |\n|---|---|---|---|",
    "| Input | In | Type | Rules | Where |\n|---|---|---|---|---|",
  )
  .replace("| from | query | date | |", "| from | query | date | | |")
  .replace("| lang | query | string | none |", "| lang | query | string | | none |")
  .replace(
    "| near | query | string | not shown |",
    '| near | query | string | default `"here"` | not shown |',
  )
  .replace("| q | query | string | `contains", "| q | query | string | | `contains");

test("an open effect that each request has doesn't hide an unread input", () => {
  assert.deepEqual(unread(fairs), ["from", "colour"]);
  assert.deepEqual(unread(withDefault), ["from", "colour"]);
});

test("an effect that isn't shown may read any input", () => {
  assert.deepEqual(unread(withDefault.replace("- Does: list Fair", "- Does: not shown")), ["colour"]);
});
