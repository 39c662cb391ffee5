/**
 * The package: the files that it names exist, and the documentation of its commands is accurate.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { commands as entries } from "../../src/cli/commands/index.ts";
import { outputs } from "../../src/outputs/index.ts";
import { blocksOf } from "./pages.ts";
import { filesUnder, pathOf, textOf } from "./repository.ts";

const commands = await Promise.all(entries.map((entry) => entry.load()));
const manifest = JSON.parse(textOf("package.json"));
const pages = [
  "README.md",
  "ARCHITECTURE.md",
  "CONTRIBUTING.md",
  "CHANGELOG.md",
  ...filesUnder("docs", ".md"),
  ...filesUnder("examples", ".md"),
];

test("every file that the package lists exists, or is built", () => {
  const missing = (manifest.files as string[]).filter(
    (path) => path !== "dist" && !existsSync(pathOf(path.replace(/\/\*.*$/, ""))),
  );
  assert.deepEqual(missing, []);
  for (const path of Object.values<string>(manifest.bin)) assert.ok(existsSync(pathOf(path)), path);
});

test("the lockfile has the manifest's version and licence", () => {
  const lock = JSON.parse(textOf("package-lock.json"));
  const { version, dependencies, devDependencies } = lock.packages[""];
  assert.deepEqual(
    { version, dependencies, devDependencies },
    {
      version: manifest.version,
      dependencies: manifest.dependencies,
      devDependencies: manifest.devDependencies,
    },
  );
});

test("the lockfile has the packages of every platform, as `npm ci` requires", () => {
  const { packages } = JSON.parse(textOf("package-lock.json"));
  const missing = Object.entries<{ optionalDependencies?: object }>(packages).flatMap(([path, installed]) =>
    Object.keys(installed.optionalDependencies ?? {})
      .filter(
        (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
      )
      .map((name) => `${path}: ${name}`),
  );
  assert.deepEqual(missing, []);
});

test("every npm script that a text names exists", () => {
  const built = ["ci", "install", "pack", "publish", "init", "pkg", "root"];
  const wrong = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\bnpm (?:run )?([a-z][\w:-]*)/g)]
      .map((hit) => hit[1] as string)
      .filter(
        (name) =>
          !built.includes(name) &&
          !(name in manifest.scripts) &&
          !["makes", "script", "scripts"].includes(name),
      )
      .map((name) => `${page}: npm ${name}`),
  );
  assert.deepEqual(wrong, []);
});

test("the README's part of a document equals the example", () => {
  const piece = blocksOf("README.md").find((block) => block.language === "markdown")?.text ?? "";
  const heading = piece.split("\n")[0] as string;
  const section = textOf("examples/parcel-desk.md")
    .split(/^(?=###? )/m)
    .find((part) => part.startsWith(`${heading}\n`));
  const lines = section?.split("\n") ?? [];
  assert.deepEqual(
    piece.split("\n").filter((line) => !lines.includes(line)),
    [],
  );
});

test("every command that a text names exists, and the README lists all of them", () => {
  const known = commands.map((command) => command.name);
  const wrong = pages.flatMap((page) =>
    [...textOf(page).matchAll(/`(?:npx )?(?:bin\/)?ninefold ([a-z]+)/g)]
      .map((hit) => hit[1] as string)
      .filter((name) => name !== "help" && !known.includes(name))
      .map((name) => `${page}: ninefold ${name}`),
  );
  assert.deepEqual(wrong, []);
  const listed = [...textOf("README.md").matchAll(/^\| `ninefold ([a-z]+)/gm)].map((hit) => hit[1]);
  assert.deepEqual(listed.toSorted(), known.toSorted());
});

for (const command of commands) {
  test(`the help of ${command.name} lists each of its options, and no other`, () => {
    const source = textOf(`src/cli/commands/${command.name}.ts`);
    const taken = [...source.matchAll(/"?\b([a-z][a-z-]*)"?: \{ type: "(?:string|boolean)"/g)].map(
      (hit) => hit[1],
    );
    if (command.name === "export")
      taken.push(...outputs.flatMap((output) => output.options.map(({ name }) => name)));
    const reported = [...command.usage.matchAll(/--([a-z][a-z-]*)/g)].map((hit) => hit[1]);
    assert.deepEqual([...new Set(reported)].toSorted(), [...new Set(taken)].toSorted());
  });
}

/** Returns the anchors that code hosts generate for a page's headings. */
function anchorsOf(page: string): readonly string[] {
  return [...textOf(page).matchAll(/^#{1,6} (.+)$/gm)].map((hit) =>
    (hit[1] as string)
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}

test("every link between the repository's pages has a target", () => {
  const leads = (page: string, target: string, anchor: string | undefined): boolean => {
    const path = target === "" ? page : join(dirname(page), target);
    return existsSync(pathOf(path)) && (anchor === undefined || anchorsOf(path).includes(anchor));
  };
  const wrong = pages.flatMap((page) =>
    [...textOf(page).matchAll(/\]\(([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter((hit) => !/^[a-z]+:/.test(hit[1] as string))
      .filter((hit) => !leads(page, hit[1] as string, hit[2]))
      .map((hit) => `${page}: ${hit[0]}`),
  );
  assert.deepEqual(wrong, []);
});
