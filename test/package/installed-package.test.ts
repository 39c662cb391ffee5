/**
 * Installed package as it is published: built and packed from a checkout without a build, with its
 * own address. It is laid out as an installation, without the sources next to it.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { pathOf } from "../repository/repository.ts";
import { checkOut, git, withThisNode } from "./checkout.ts";

const folder = mkdtempSync(join(tmpdir(), "ninefold-package-"));
const installed = join(folder, "node_modules", "ninefold");

const checkout = join(folder, "checkout");
const address = "https://github.com/ada/ninefold";

before(() => {
  checkOut(checkout);
  git(checkout, "remote", "add", "origin", "git@github.com:ada/ninefold.git");
  execFileSync("npm", ["run", "--silent", "package", "--", "--to", folder], {
    cwd: checkout,
    env: withThisNode,
    stdio: "pipe",
  });
  const archive = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  assert.ok(archive);
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, archive), "-C", installed, "--strip-components=1"]);
  // Installs its dependencies and nothing else, in the layout of npm.
  const { dependencies } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  const needed = new Set<string>();
  const add = (name: string): void => {
    if (needed.has(name)) return;
    needed.add(name);
    const own = JSON.parse(readFileSync(pathOf(`node_modules/${name}/package.json`), "utf8"));
    for (const further of Object.keys(own.dependencies ?? {})) add(further);
  };
  for (const name of Object.keys(dependencies)) add(name);
  for (const name of needed) {
    mkdirSync(dirname(join(folder, "node_modules", name)), { recursive: true });
    symlinkSync(pathOf(`node_modules/${name}`), join(folder, "node_modules", name), "dir");
  }
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the installed command. */
function ninefold(...args: readonly string[]): string {
  const bin = join(installed, "bin", "ninefold");
  return execFileSync(process.execPath, [bin, ...args], {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

test("the installed package writes a documentation site with everything that belongs to it", () => {
  ninefold("export", "docs", join(installed, "examples", "parcel-desk.md"), "--out", join(folder, "site"));
  for (const name of ["site.css", "site.js"]) {
    const source = readFileSync(pathOf(`src/outputs/docs/assets/${name}`), "utf8");
    assert.equal(readFileSync(join(folder, "site", name), "utf8"), source);
  }
  assert.match(
    readFileSync(join(folder, "site", "minisearch.js"), "utf8"),
    /Luca Ongaro[\s\S]*global\.MiniSearch/,
  );
  assert.match(readFileSync(join(folder, "site", "resource-Parcel.html"), "utf8"), /<svg class="diagram"/);
});

test("the installed package contains the built console", () => {
  const page = readFileSync(join(installed, "dist", "console", "index.html"), "utf8");
  const named = [...page.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map((hit) => hit[1] as string);
  assert.equal(named.length, 2);
  for (const path of named) assert.ok(readFileSync(join(installed, "dist", "console", path)).byteLength > 0);
});

/** The links of each page in the folder. */
function linksOf(place: string): readonly (readonly [page: string, target: string])[] {
  return globSync("**/*.md", { cwd: place }).flatMap((page) =>
    [...readFileSync(join(place, page), "utf8").matchAll(/\]\(([^)\s]+)\)/g)].map(
      (hit) => [page, hit[1] as string] as const,
    ),
  );
}

/** Whether a link has no target in its package. */
function leadsOut(place: string, page: string, target: string): boolean {
  const path = target.replace(/#.*$/, "");
  return !/^[a-z]+:/.test(target) && !existsSync(join(place, dirname(page), path));
}

test("every link of the installed pages leads to an installed file or to the packed commit", () => {
  const links = linksOf(installed);
  assert.ok(links.length > 1000);
  assert.deepEqual(
    links.filter(([page, target]) => leadsOut(installed, page, target)),
    [],
  );
  const commit = git(checkout, "rev-parse", "HEAD");
  const absolute = links.filter(([, target]) => target.startsWith(address));
  const form = new RegExp(`^${address}/(?:blob|tree|raw)/${commit}/([^#]+)`);
  const wrong = absolute.filter(
    ([, target]) => !existsSync(join(checkout, form.exec(target)?.[1] ?? "none")),
  );
  assert.deepEqual(wrong, []);
  // A README is also read outside the repository, so it has no relative links and embeds its
  // pictures by address.
  const alone = links.filter(([page, target]) => page === "README.md" && !/^(https:|#)/.test(target));
  assert.deepEqual(alone, []);
  const pictures = absolute.filter(([page, target]) => page === "README.md" && target.endsWith(".png"));
  assert.equal(pictures.length, 2);
  for (const [, target] of pictures) assert.ok(target.startsWith(`${address}/raw/`));
  assert.ok(absolute.some(([page]) => page === "CONTRIBUTING.md"));
});

test("the package names its repository and its bug tracker; packing doesn't change the checkout", () => {
  const { homepage, bugs, repository } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8"));
  assert.deepEqual(
    { homepage, bugs, repository },
    {
      homepage: `${address}#readme`,
      bugs: { url: `${address}/issues` },
      repository: { type: "git", url: `git+${address}.git` },
    },
  );
  assert.equal(git(checkout, "status", "--porcelain"), "");
});

test("the installed package exports the same names as the sources", async () => {
  for (const [name, source] of [
    ["index", "src/index.ts"],
    ["kit/index", "src/kit/index.ts"],
  ]) {
    const names = async (path: string) => Object.keys(await import(pathToFileURL(path).href)).toSorted();
    assert.deepEqual(
      await names(join(installed, "dist", `${name}.js`)),
      await names(pathOf(source as string)),
    );
    assert.ok(existsSync(join(installed, "dist", `${name}.d.ts`)));
  }
});

test("files that code looks up next to itself exist: threads, pages, examples", async () => {
  const desk = join(installed, "examples", "parcel-desk.md");
  // A worker compiles the document. Others lay out its states, generate its outputs and run its
  // scenarios.
  assert.match(ninefold("check", desk), /0 errors, 0 warnings, 1 gap/);
  assert.match(ninefold("help", "card"), /^# /);
  assert.match(ninefold("new", "--example", "helpdesk", join(folder, "new.md")), /new\.md/);
  assert.ok(existsSync(join(installed, "dist", "store", "sqlite", "reading", "reader-thread.js")));
  const { startSandbox } = await import(pathToFileURL(join(installed, "dist", "kit", "index.js")).href);
  const sandbox = await startSandbox({ document: desk, inProcess: true });
  try {
    const headers = { Authorization: `Bearer ${sandbox.token}`, "Content-Type": "application/json" };
    for (const [path, body] of [
      ["/api/states?resource=Parcel", null],
      ["/api/scenarios/run", "{}"],
      ["/openapi.json", null],
    ] as const) {
      const method = body === null ? "GET" : "POST";
      const answer = await fetch(`${sandbox.operations}${path}`, { method, headers, body });
      assert.equal(answer.status, 200, `${path}: ${await answer.text()}`);
    }
  } finally {
    await sandbox.close();
  }
});

test("the installed package contains no tests, and no TypeScript except declarations and examples", () => {
  const files = execFileSync("find", [join(installed, "dist"), "-type", "f"], { encoding: "utf8" })
    .trim()
    .split("\n");
  assert.deepEqual(
    files.filter((file) => /\.test\.|(?<!\.d)\.ts$/.test(file)),
    [],
  );
});
