/**
 * Round trip of `format`: all documents of this repository, and all that its tests serve or check,
 * keep their meaning when formatted.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { createSource } from "../../source/source.ts";
import { formatDocument } from "../../syntax/format.ts";
import { parseMarkdown } from "../../syntax/markdown.ts";
import { sameSyntax } from "../../syntax/same-syntax.ts";

const root = join(import.meta.dirname, "..", "..", "..");
const documents = (pattern: string) =>
  globSync(pattern, { cwd: root, exclude: (path) => path.includes("node_modules") }).map((file) => ({
    file,
    text: readFileSync(join(root, file), "utf8"),
  }));

/** The documents that readers see: examples, twins, and documents of other people's services. */
const shown = [...documents("examples/**/*.md"), ...documents("test/documents/*.md")];

function print(file: string, text: string): string {
  const source = createSource(file, text);
  return formatDocument(source, createReporter(source));
}

/** Plain data without positions, which formatting moves. */
function withoutPlaces(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, item) => (isPlace(item) ? undefined : item)));
}

function isPlace(value: unknown): boolean {
  return typeof value === "object" && value !== null && "line" in value && "column" in value;
}

test("the example documents are in canonical form; `ninefold format FILE --write` formats them", () => {
  assert.ok(shown.length > 30);
  const unformatted = shown.filter(({ file, text }) => print(file, text) !== text);
  assert.deepEqual(
    unformatted.map(({ file }) => file),
    [],
  );
});

/** The same document with compact tables and extra blank lines, as an author may write it. */
function written(text: string): string {
  let fence: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence === undefined ? mark !== undefined : mark?.startsWith(fence))
        fence = fence === undefined ? mark : undefined;
      if (fence !== undefined || mark !== undefined) return line;
      if (line.startsWith("|"))
        return line.replace(/ +\|/g, " |").replace(/\| +/g, "| ").replace(/-{3,}/g, "---");
      return line === "" ? "\n" : line;
    })
    .join("\n");
}

for (const { file, text } of shown) {
  test(`any layout of ${file} is formatted to the same text with the same model`, () => {
    const rewritten = written(text);
    assert.notEqual(rewritten, text);
    assert.equal(print(file, rewritten), text);
    const { model } = compile(rewritten, { file });
    assert.ok(model);
    const meant = (of: typeof model | undefined) => withoutPlaces({ ...of, text: undefined });
    assert.deepEqual(meant(compile(text, { file }).model), meant(model));
  });
}

test("formatting a document of the tests changes no meaning, and formatting it again changes nothing", () => {
  const all = documents("test/**/*.md");
  assert.ok(all.length > 800);
  const read = (file: string, text: string) => {
    const source = createSource(file, text);
    return parseMarkdown(source, createReporter(source));
  };
  const wrong = all.filter(({ file, text }) => {
    const printed = print(file, text);
    return print(file, printed) !== printed || !sameSyntax(read(file, text), read(file, printed));
  });
  assert.deepEqual(
    wrong.map(({ file }) => file),
    [],
  );
});
