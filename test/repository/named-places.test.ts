/**
 * References in comments: decisions and sections of the notation exist under the names that
 * comments use.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { filesUnder, textOf } from "./repository.ts";

const sources = ["src", "console", "site", "playground", "test", "bench", "scripts"]
  .flatMap((folder) => [...filesUnder(folder, ".ts"), ...filesUnder(folder, ".tsx")])
  .filter((path) => !path.endsWith("named-places.test.ts"))
  .map((path) => ({ path, text: textOf(path).replace(/\n\s*(?:\*|\/\/) ?/g, " ") }));

const headings = (page: string) => [...textOf(page).matchAll(/^#+ (.+)$/gm)].map((hit) => hit[1] as string);

const named = (pattern: RegExp) =>
  sources.flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map((hit) => ({ path, name: hit[1] as string })),
  );

test("a decision that a comment names is a heading of docs/decisions.md", () => {
  const known = headings("docs/decisions.md");
  const all = named(/\bdecision "([^"]+)"/g);
  assert.ok(all.length > 30);
  assert.deepEqual(
    all.filter(({ name }) => !known.includes(name)),
    [],
  );
});

test("a section of the notation that a comment names is a heading of docs/notation.md", () => {
  const known = headings("docs/notation.md");
  const all = named(/\bnotation, "([^"]+)"/g);
  assert.ok(all.length > 10);
  assert.deepEqual(
    all.filter(({ name }) => !known.includes(name)),
    [],
  );
});

test("no comment names something by a number that has no definition here", () => {
  const elsewhere = /\b(?:RFC|HTML|ISO|ECMA)\b/;
  const found = sources.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:decisions?|sections?) \d+/gi)]
      .map((hit) => text.slice(Math.max(0, hit.index - 24), hit.index + hit[0].length))
      .filter((words) => !elsewhere.test(words))
      .map((words) => `${path}: ${words}`),
  );
  assert.deepEqual(found, []);
});

test("each file and folder in the table of ARCHITECTURE.md exists", () => {
  const [, table = ""] = textOf("ARCHITECTURE.md").split(/^## Where is …\?$|^## A document$/m);
  const paths = [...table.matchAll(/`(src\/[^`<]+)/g)].map(([, path = ""]) => path);
  assert.ok(paths.length > 15);
  assert.deepEqual(
    paths.filter((path) => !existsSync(new URL(`../../${path}`, import.meta.url))),
    [],
  );
});
