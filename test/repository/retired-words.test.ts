/**
 * Retired words and opaque names: names, comments, texts and docs have none, except at the places
 * listed here with a reason.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type DeclaredName, declaredNames } from "./declared-names.ts";
import { filesUnder, textOf } from "./repository.ts";
import { insteadOf, type RetiredWord, retiredIn } from "./retired-words.ts";

/** A place that may keep a retired word. */
interface Exception {
  readonly word: string;
  readonly path: RegExp;
  readonly text: RegExp;
  readonly because: string;
}

const exceptions: readonly Exception[] = [
  {
    word: "aside",
    path: /^console\/src\//,
    text: /<\/?aside\b/,
    because: "the HTML element",
  },
  {
    word: "letters",
    path: /^(?:src|docs|test|examples)\//,
    text: /letters(?:,| and|, not) (?:digits|`|_)|or digits|[Ll]etters of other scripts|Latin letters/,
    because: "letters of an alphabet, as opposed to digits and other characters",
  },
  {
    word: "letters",
    path: /^src\/(?:inputs\/openapi\/description\/resources|model\/reading\/resources\/rule-suggestion)\.ts$/,
    text: /letters or\||\| letters\|/,
    because: "a word that authors of documents and descriptions write",
  },
  {
    word: "letters",
    path: /^test\/(?:coverage|durability)\//,
    text: /\/letters\b|"letters":|^\| letters \|/,
    because: "the resource Letter of a test's document",
  },
  {
    word: "nobody",
    path: /^test\//,
    text: /"nobody"|"NOBODY"|"nobody@example\.com"|cus_nobody|^\| nobody +\||^\| nobody_left \|/,
    because: "a value or an error code of a test's document",
  },
  {
    word: "asked",
    path: /^(?:src\/store\/postgres\/shared\/\w+(?:\.test)?|test\/planted-faults)\.ts$/,
    text: /./,
    because: "a column that instances of two releases share during a rolling update",
  },
  {
    word: "asked",
    path: /^test\/reproductions\.md$/,
    text: /`fails-not-asked-after\.md`/,
    because: "the name of a file outside of the repository",
  },
  {
    word: "laws",
    path: /^(?:src\/store\/(?:migrate|tables?)|test\/changes\/support)\.ts$/,
    text: /\blaws\b/,
    because: "a member of the description of its tables that each store contains",
  },
  {
    word: "letters",
    path: /^test\/diagnostics\/message-shapes\.ts$/,
    text: /!== "letters"/,
    because: "a word that messages may have",
  },
  {
    word: "told",
    path: /^test\/diagnostics\/messages\.test\.ts$/,
    text: /The caller is told|told"\./,
    because: "a planted violation, and an author's word",
  },
  {
    word: "told",
    path: /^CHANGELOG\.md$/,
    text: /was `told`/,
    because: "a member of the operations API by its former name",
  },
  {
    word: "nobody",
    path: /^CHANGELOG\.md$/,
    text: /was `nobody`/,
    because: "a member of the operations API by its former name",
  },
];

const prose = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"];

interface Place extends RetiredWord {
  readonly path: string;
}

function retiredPlaces(): readonly Place[] {
  return ["src", "console/src", "site", "test", "scripts", "bench", "docs", "examples"]
    .flatMap((folder) => filesUnder(folder))
    .filter((path) => /\.(ts|tsx|js|mjs|md)$/.test(path) && !path.includes("/retired-words."))
    .concat(prose)
    .flatMap((path) => retiredIn(textOf(path)).map((found) => ({ path, ...found })));
}

function isExcepted({ word, path, text }: Place, exception: Exception): boolean {
  return word === exception.word && exception.path.test(path) && exception.text.test(text);
}

test("no file has a retired word, and every exception is needed", () => {
  const places = retiredPlaces();
  assert.deepEqual(
    places
      .filter((place) => !exceptions.some((exception) => isExcepted(place, exception)))
      .map(({ path, line, word }) => `${path}:${line}: "${word}"; write ${insteadOf(word)}`),
    [],
  );
  assert.deepEqual(
    exceptions.filter((exception) => !places.some((place) => isExcepted(place, exception))),
    [],
  );
});

/** Names that don't say what their thing is. */
const opaque = ["one", "it", "those", "them"];

/** A file has an opaque name only if its text contains one where a name can be declared. */
const mayDeclareOpaque = new RegExp(
  `(?:[({[,:]|\\.\\.\\.|\\b(?:const|let|var|function))\\s*(?:${opaque.join("|")})\\b`,
);

const opaqueExceptions: Readonly<Record<string, string>> = {
  "scripts/mutate/node-test-replacement.ts: it": "an export of node:test, which this file replaces",
};

function opaqueNames(path: string, text: string): readonly DeclaredName[] {
  if (!mayDeclareOpaque.test(text)) return [];
  return declaredNames(path, text).filter(({ name }) => opaque.includes(name));
}

test("no variable, parameter or function has an opaque name, and every exception is needed", () => {
  const found = ["src", "console", "site", "playground", "test", "scripts", "bench", "examples"]
    .flatMap((folder) => filesUnder(folder))
    .filter((path) => /\.(ts|tsx|js|mjs)$/.test(path))
    .flatMap((path) => opaqueNames(path, textOf(path)).map((declared) => ({ path, ...declared })));
  const isExcepted = ({ path, name }: { path: string; name: string }) =>
    Object.hasOwn(opaqueExceptions, `${path}: ${name}`);
  assert.deepEqual(
    found
      .filter((declared) => !isExcepted(declared))
      .map(({ path, line, name }) => `${path}:${line}: "${name}"; write the name of the thing`),
    [],
  );
  assert.deepEqual(found.filter(isExcepted).length, Object.keys(opaqueExceptions).length);
});

test("an opaque name is found in every declaration, and not in texts, imports and members", () => {
  const text = `import { it } from "node:test";
// one, it
const [one = 1, ...those] = [{ one: it }];
type Read = (one: string) => void;
const { them: { it: second }, other: them } = words;
for (const it of those) items.map(([, one]) => one);
function named(this: Words, { it = 1 }: Words) { try { it(); } catch (those) {} }
class Box { read(one: string) { return this.one; } }
`;
  assert.deepEqual(
    opaqueNames("text.ts", text).map(({ name, line }) => `${line} ${name}`),
    ["3 one", "3 those", "4 one", "5 them", "6 it", "6 one", "7 it", "7 those", "8 one"],
  );
});

test("a retired word is found in names, comments and phrases, with its line", () => {
  const text = "const wasAsked = 1;\n// Whoever calls lets in everybody.\nconst tasks = toldBy;\n";
  assert.deepEqual(
    retiredIn(text).map(({ word, line }) => [word, line]),
    [
      ["asked", 1],
      ["whoever", 2],
      ["lets in", 2],
      ["told", 3],
    ],
  );
});
