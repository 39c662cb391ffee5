/** Names of files, their first lines, their lengths, and forbidden texts. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { test } from "node:test";
import { codeOf, filesUnder, pathOf, textOf } from "./repository.ts";

const folders = ["src", "console", "site", "test", "scripts", "bench"];
const typescript = (folder: string) => [...filesUnder(folder, ".ts"), ...filesUnder(folder, ".tsx")];
const sources = [...typescript("src"), ...typescript("console")];
const code = folders.flatMap(typescript);
const isTest = (path: string) => path.endsWith(".test.ts");

test("every source and test starts with a title", () => {
  const opens = (text: string) => text.replace(/^#!.*\n/, "").startsWith("/**");
  const wrong = code.filter((path) => !opens(textOf(path)));
  assert.deepEqual(wrong, []);
});

/** Longer files, each with the reason why it still has one purpose, and its maximum length. */
const longFiles: Readonly<Record<string, readonly [linesMax: number, why: string]>> = {
  "src/engine/service.ts": [500, "the life of a request and what it is planned from"],
  "src/store/sql/json.ts": [500, "every type's JSON in SQL"],
};

test("no source is longer than 450 lines without a reason", () => {
  const wrong = sources
    .filter((path) => !isTest(path))
    .map((path) => ({ path, lines: textOf(path).split("\n").length - 1 }))
    .filter(({ path, lines }) => lines > (longFiles[path]?.[0] ?? 450));
  assert.deepEqual(wrong, []);
});

test("every reason for a long source names an existing long source", () => {
  assert.deepEqual(
    Object.keys(longFiles).filter((path) => !existsSync(pathOf(path))),
    [],
  );
});

test("files are in kebab-case", () => {
  const wrong = code.filter(
    (path) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d|\.config)?\.tsx?$/.test(basename(path)),
  );
  assert.deepEqual(wrong, []);
});

/** This file contains the texts that it searches for. */
const own = "test/repository/files.test.ts";

const refused = /^(utils?|helpers?|common|misc|managers?|data|info|process|handle)$/i;

/**
 * A command's file and its test are named after the command, `ninefold data`, and a page's files
 * after its URL, `/data`.
 */
const namedForUsers =
  /^src\/cli\/commands\/data(\.test)?\.ts$|^console\/src\/(pages\/data\/|words\/\w+\/data\.ts$)/;

test("no file or folder has a meaningless name", () => {
  const wordsOf = (path: string) => path.split(/[/.-]/);
  const wrong = code.filter((path) =>
    wordsOf(path.replace(namedForUsers, "")).some((word) => refused.test(word)),
  );
  assert.deepEqual(wrong, []);
});

test("no declaration has a meaningless name", () => {
  const form = /\b(?:function|const|let|class|interface|type)\s+([A-Za-z_$][\w$]*)/g;
  const saysNothing = (name: string) => refused.test(name) || /(utils?|helpers?|manager)$/i.test(name);
  const wrong = sources
    .filter((path) => !isTest(path))
    .flatMap((path) =>
      [...textOf(path).matchAll(form)]
        .map((hit) => hit[1] as string)
        .filter(saysNothing)
        .map((name) => `${path}: ${name}`),
    );
  assert.deepEqual(wrong, []);
});

test("no text says that it is unfinished", () => {
  const form = /(\/\/|\*)\s*(TODO|FIXME|HACK|XXX)\b|@ts-ignore|@ts-expect-error|\.(skip|only|todo)\(/;
  const wrong = code.filter(
    (path) => path !== own && (form.test(textOf(path)) || /\bas any\b/.test(codeOf(path))),
  );
  assert.deepEqual(wrong, []);
});

test("no file contains a machine's path or a download address", () => {
  const texts = [
    ...code,
    ...filesUnder("docs"),
    ...filesUnder("examples", ".md"),
    ...filesUnder("test", ".md"),
    ...filesUnder("bin"),
    ...filesUnder(".ci"),
    ...[
      "README.md",
      "ARCHITECTURE.md",
      "CONTRIBUTING.md",
      "CHANGELOG.md",
      "package.json",
      "package-lock.json",
      ".npmrc",
    ],
  ];
  const marks = [
    "/(work|farm|home|Users)/",
    "/tmp/" + "bash_jobs",
    "https?://" + "registry[.]",
    // A package of this repository is linked by its folder.
    '"resolved"' + ': "\\w+:',
  ];
  const form = new RegExp(marks.map((mark) => (mark.startsWith("/(") ? `["'\` (]${mark}` : mark)).join("|"));
  assert.deepEqual(
    texts.filter((path) => path !== own && form.test(textOf(path))),
    [],
  );
});

test("no store of a service is tracked", () => {
  const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: pathOf("."), encoding: "utf8" })
    .split("\0")
    .filter((path) => path !== "" && existsSync(pathOf(path)));
  const isStore = (path: string) =>
    /\.(token|lock)$/.test(path) ||
    readFileSync(pathOf(path)).subarray(0, 15).toString() === "SQLite format 3";
  assert.deepEqual(tracked.filter(isStore), []);
});
