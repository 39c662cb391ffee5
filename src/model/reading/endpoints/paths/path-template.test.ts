/** Path templates: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReporter } from "../../../../diagnostics/diagnostic.ts";
import { phraseOf } from "../../../../source/phrase.ts";
import { createSource } from "../../../../source/source.ts";
import { formOf, parametersOf, parsePathTemplate, pathsAbove, pathToParameter } from "./path-template.ts";

function parse(text: string) {
  const source = createSource("test.md", text);
  const reporter = createReporter(source);
  return {
    path: parsePathTemplate(phraseOf(source, 0, text.length), reporter),
    reported: reporter.diagnostics,
  };
}

test("a path has literal segments and parameters, optionally with text around them", () => {
  const { path, reported } = parse("/Messages/{sid}.json");
  assert.deepEqual(path, {
    text: "/Messages/{sid}.json",
    segments: [
      { kind: "literal", text: "Messages" },
      { kind: "parameter", name: "sid", before: "", behind: ".json" },
    ],
  });
  assert.deepEqual(reported, []);
});

test("a final slash makes no difference, and one slash alone is the empty path", () => {
  assert.equal(parse("/parcels/").path?.text, "/parcels");
  assert.deepEqual(parse("/").path, { text: "", segments: [] });
});

test("literal text is percent-decoded after splitting", () => {
  assert.deepEqual(parse("/a%2Fb").path?.segments, [{ kind: "literal", text: "a/b" }]);
});

test("an unreadable path is reported at its segment", () => {
  const cases = [
    ["/books/:id", "1:8-1:11"],
    ["/books/{a}-{b}", "1:8-1:15"],
    ["/books/{book-id}", "1:8-1:17"],
    ["/a/{id}/b/{id}", "1:11-1:15"],
    ["/a%zz", "1:2-1:6"],
    ["books", "1:1-1:6"],
    ["/a?b=1", "1:3-1:7"],
  ];
  for (const [text, column] of cases) {
    const { path, reported } = parse(text as string);
    assert.equal(path, undefined, text);
    assert.equal(reported.length, 1, text);
    const { start, end } = reported[0]?.position ?? assert.fail();
    assert.equal(`${start.line}:${start.column}-${end.line}:${end.column}`, column, text);
  }
});

test("two paths that match the same requests have one form, whatever the names of their parameters", () => {
  const [a, b, c] = ["/books/{id}", "/books/{book}", "/books/id"].map(
    (text) => parse(text).path ?? assert.fail(),
  );
  assert.ok(a && b && c);
  assert.equal(formOf(a), formOf(b));
  assert.notEqual(formOf(a), formOf(c));
});

test("a path is below each of its prefixes, as written", () => {
  const path = parse("/repos/{owner}/{repo}/issues").path ?? assert.fail();
  assert.deepEqual(pathsAbove(path), [
    "",
    "/repos",
    "/repos/{owner}",
    "/repos/{owner}/{repo}",
    "/repos/{owner}/{repo}/issues",
  ]);
  assert.deepEqual(parametersOf(path), ["owner", "repo"]);
  assert.equal(pathToParameter(path, "owner").text, "/repos/{owner}");
});
