/**
 * Test suites of the guide in other test runners. They are written to files as a reader would do,
 * and run by vitest, Playwright and pytest. Like all pages, they run with the sources, or with the
 * package installed at `NINEFOLD_INSTALLED` (`test/package/walk.ts`).
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { browserLaunch } from "../browser/browser.ts";
import { blocksOf } from "../repository/pages.ts";
import { pathOf } from "../repository/repository.ts";
import { ownFolder } from "../own-folder.ts";

const {
  NINEFOLD_INSTALLED: installed,
  NINEFOLD_NODE: node = process.execPath,
  NODE_TEST_CONTEXT: _,
  ...environment
} = process.env;

const folder = ownFolder("runners");

/** Creates the files of a guide's section next to the examples. A comment names each file. */
function asTheGuideSays(section: string, ...packages: readonly string[]): string {
  const place = join(folder, section);
  mkdirSync(join(place, "node_modules"), { recursive: true });
  cpSync(pathOf("examples"), join(place, "examples"), { recursive: true });
  writeFileSync(join(place, "package.json"), `{"type": "module"}`);
  for (const { text } of blocksOf("docs/guides/testing.md", section))
    for (const piece of text.split(/^(?=(?:\/\/|#) \w[\w.-]*\.(?:js|py)$)/m)) {
      const [, name] = /^(?:\/\/|#) (\S+)\n/.exec(piece) ?? [];
      if (name !== undefined) writeFileSync(join(place, name), piece);
    }
  for (const name of packages) {
    mkdirSync(dirname(join(place, "node_modules", name)), { recursive: true });
    symlinkSync(pathOf(`node_modules/${name}`), join(place, "node_modules", name));
  }
  installNinefold(join(place, "node_modules", "ninefold"));
  return place;
}

function installNinefold(place: string): void {
  if (installed !== undefined) {
    symlinkSync(join(installed, "node_modules", "ninefold"), place);
    return;
  }
  mkdirSync(place);
  writeFileSync(
    join(place, "package.json"),
    JSON.stringify({ type: "module", exports: { "./testing": "./testing.js" } }),
  );
  const kit = pathToFileURL(pathOf("src/kit/index.ts")).href;
  writeFileSync(join(place, "testing.js"), `export * from ${JSON.stringify(kit)};\n`);
}

function run(place: string, path: string, command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: place,
    env: { ...environment, PATH: [path, dirname(node), environment["PATH"]].join(delimiter), NO_COLOR: "1" },
    encoding: "utf8",
  });
  assert.equal(status, 0, `${stdout}\n${stderr}`);
  return stdout;
}

test("the guide's suite works in vitest unchanged, with its workers in one sandbox", () => {
  const place = asTheGuideSays("vitest", "vitest");
  // The same tests again, for a second worker.
  cpSync(join(place, "desk.test.js"), join(place, "again.test.js"));
  const reported = run(place, "", node, pathOf("node_modules/vitest/vitest.mjs"), "run", "--maxWorkers=2");
  assert.match(reported, /Tests +4 passed \(4\)/);
});

test("the guide's suite works in Playwright unchanged", async () => {
  const place = asTheGuideSays("Playwright", "@playwright/test");
  // The browser of these tests, instead of the one that Playwright installs for a reader.
  const use = { launchOptions: await browserLaunch() };
  // Node runs the sources directly. Playwright would transpile them, which it never does with an
  // installed package.
  const build = { external: [`${pathOf("src")}/**`] };
  writeFileSync(
    join(place, "playwright.config.js"),
    `export default ${JSON.stringify({ workers: 1, use, build })};\n`,
  );
  const reported = run(
    place,
    "",
    node,
    pathOf("node_modules/@playwright/test/cli.js"),
    "test",
    "--reporter=line",
  );
  assert.match(reported, /2 passed/);
});

const pytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;

test("the guide's fixture works in pytest unchanged", {
  skip: pytest ? false : "there is no pytest here",
}, () => {
  const place = asTheGuideSays("pytest");
  const bin = join(place, "bin");
  mkdirSync(bin);
  const command =
    installed === undefined ? pathOf("bin/ninefold") : join(installed, "node_modules", ".bin", "ninefold");
  writeFileSync(join(bin, "ninefold"), `#!/bin/sh\nexec "${node}" "${command}" "$@"\n`);
  chmodSync(join(bin, "ninefold"), 0o755);
  assert.match(run(place, bin, "python3", "-m", "pytest", "-q", "-p", "no:cacheprovider"), /^2 passed/m);
});
