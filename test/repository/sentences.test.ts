/**
 * Readability: in docs and in comments, nearly all sentences have few words. Each room has a
 * maximum for its 95th percentile, which may only fall, and a maximum for its longest sentence.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { filesUnder, textOf } from "./repository.ts";
import { percentile, type Sentence, sentencesOfComments, sentencesOfPage } from "./sentences.ts";

interface Bounds {
  /** The maximum number of words in 95 of 100 sentences. */
  readonly p95: number;
  /** The maximum number of words in the longest sentence. */
  readonly longest: number;
}

interface Found extends Sentence {
  readonly path: string;
}

const prose = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

/**
 * Returns the sentences of hand-written pages. The pages of diagnostics are generated from messages
 * and excluded.
 */
function sentencesOfDocs(): readonly Found[] {
  return filesUnder("docs", ".md")
    .filter((path) => !path.startsWith("docs/diagnostics/"))
    .concat(prose)
    .flatMap((path) => sentencesOfPage(textOf(path)).map((sentence) => ({ ...sentence, path })));
}

function sentencesOfSources(folder: string): readonly Found[] {
  return filesUnder(folder)
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => sentencesOfComments(textOf(path)).map((sentence) => ({ ...sentence, path })));
}

const rooms: Readonly<Record<string, Bounds & { readonly sentences: () => readonly Found[] }>> = {
  docs: { p95: 21, longest: 50, sentences: sentencesOfDocs },
  src: { p95: 21, longest: 41, sentences: () => sentencesOfSources("src") },
  test: { p95: 25, longest: 35, sentences: () => sentencesOfSources("test") },
};

for (const [room, { p95, longest, sentences }] of Object.entries(rooms))
  test(`${room}: 95 of 100 sentences have at most ${p95} words, and none more than ${longest}`, () => {
    const found = sentences();
    assert.ok(found.length > 1000, `only ${found.length} sentences were found`);
    const measured = percentile(
      0.95,
      found.map(({ words }) => words),
    );
    assert.ok(measured <= p95, `95 of 100 have at most ${measured} words:\n${longestOf(found)}`);
    assert.deepEqual(
      found.filter(({ words }) => words > longest).map(({ path, line, text }) => `${path}:${line}: ${text}`),
      [],
    );
  });

function longestOf(found: readonly Found[]): string {
  return found
    .toSorted((a, b) => b.words - a.words)
    .slice(0, 20)
    .map(({ path, line, words, text }) => `${path}:${line}: ${words} words: ${text}`)
    .join("\n");
}

test("sentences of a page are counted without code, headings and short labels", () => {
  const page = [
    "# A heading that has more than four words",
    "",
    "The server reads `a b c d` and",
    "[the guide](guide.md) too. It ends here, as planned.",
    "",
    "```text",
    "code has no sentences at all here",
    "```",
    "",
    "| Name | What it does for the caller |",
    "|---|---|",
    "| short | It has one fact, no more. |",
    "- An item is a paragraph of its own",
  ].join("\n");
  assert.deepEqual(
    sentencesOfPage(page).map(({ words, line }) => [words, line]),
    [
      [8, 3],
      [5, 3],
      [6, 10],
      [6, 12],
      [8, 13],
    ],
  );
});

test("sentences of comments are counted by paragraph and tag", () => {
  const source = [
    "/** A title of five words. */",
    "// One comment goes over",
    "// two lines of text.",
    "const text = 1; // not a comment of its own line",
    "/**",
    " * First sentence of the block. Second sentence of the block.",
    " * @param name what the caller has sent",
    " */",
  ].join("\n");
  assert.deepEqual(
    sentencesOfComments(source).map(({ words }) => words),
    [5, 8, 5, 5, 7],
  );
});
