/** Repository address of the package. A package without one can be tried but not published. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, test } from "node:test";
import { absoluteLinks } from "../../scripts/packing/absolute-links.ts";
import { addressOf, NoAddress, pageOf } from "../../scripts/packing/address.ts";
import { checkOut, git, withThisNode } from "./checkout.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("address");

test("a remote is converted to its public page", () => {
  const page = "https://git.example.com/team/ninefold";
  for (const remote of [
    "https://git.example.com/team/ninefold",
    "https://git.example.com/team/ninefold.git",
    "https://git.example.com/team/ninefold/",
    "git@git.example.com:team/ninefold.git",
    "ssh://git@git.example.com:2222/team/ninefold.git",
    "git+ssh://git@git.example.com/team/ninefold.git",
    "git+https://git.example.com/team/ninefold.git",
    // A user name and a password in the address are not published.
    "https://ada:secret@git.example.com/team/ninefold.git",
  ])
    assert.equal(pageOf(remote), page, remote);
  assert.equal(pageOf("git@gitlab.com:a/b/c.git"), "https://gitlab.com/a/b/c");
  assert.equal(pageOf("https://git.example.com:8443/a/b"), "https://git.example.com:8443/a/b");
});

test("a non-public address is reported without its password", () => {
  for (const remote of [
    "",
    "origin",
    "/srv/git/ninefold.git",
    "../ninefold",
    "file:///srv/git/ninefold.git",
    "C:\\git\\ninefold",
    "http://git.example.com/team/ninefold",
    "git@work:team/ninefold.git",
    "https://localhost/team/ninefold",
    "https://127.0.0.1/team/ninefold",
    "https://nas.local/team/ninefold",
    "https://git.example.com",
    "https://git.example.com/ninefold",
    "https://git.example.com/team/ninefold?ref=1",
    "https://git.example.com/team/nine fold",
    "https://git example.com/team/ninefold",
    "https://ada:secret@localhost/team/ninefold",
  ])
    assert.throws(
      () => pageOf(remote),
      (error: unknown) => error instanceof NoAddress && !error.message.includes("secret"),
      remote,
    );
});

test("links lead to the version's tag if the commit has it, otherwise to the commit, in the form of each host", () => {
  const place = join(folder, "hosts");
  mkdirSync(place);
  git(place, "init", "--quiet");
  const stated = (repository: string | undefined, like?: string) =>
    addressOf(place, { repository, like, version: "1.2.3" });
  assert.throws(() => stated("https://github.com/a/b"), /no commit/);
  git(place, "commit", "--quiet", "--allow-empty", "--message", "First");
  const commit = git(place, "rev-parse", "HEAD");
  assert.throws(() => stated(undefined), /no git remote `origin`/);
  git(place, "remote", "add", "origin", "git@github.com:a/b.git");
  assert.equal(stated(undefined).page, "https://github.com/a/b");
  assert.equal(stated("https://gitlab.com/c/d").page, "https://gitlab.com/c/d");
  const linked = (repository: string, like?: string) => {
    const { issues, shown, raw } = stated(repository, like);
    return [issues, shown("a b.md", false), shown("docs", true), raw("c.png")].map((link) =>
      link.replace(repository, "").replace(commit, "COMMIT"),
    );
  };
  assert.deepEqual(linked("https://github.com/a/b"), [
    "/issues",
    "/blob/COMMIT/a%20b.md",
    "/tree/COMMIT/docs",
    "/raw/COMMIT/c.png",
  ]);
  const gitlab = ["/-/issues", "/-/blob/COMMIT/a%20b.md", "/-/tree/COMMIT/docs", "/-/raw/COMMIT/c.png"];
  assert.deepEqual(linked("https://gitlab.com/a/b"), gitlab);
  assert.throws(
    () => stated("https://git.example.com/a/b"),
    /how git\.example\.com links a file isn't known/,
  );
  assert.deepEqual(linked("https://git.example.com/a/b", "gitlab"), gitlab);
  git(place, "tag", "v1.2.3");
  assert.deepEqual(linked("https://codeberg.org/a/b"), [
    "/issues",
    "/src/tag/v1.2.3/a%20b.md",
    "/src/tag/v1.2.3/docs",
    "/raw/tag/v1.2.3/c.png",
  ]);
  // A folder within another checkout has no address of its own.
  mkdirSync(join(place, "within"));
  assert.throws(() => addressOf(join(place, "within"), { version: "1.2.3" }), /no git remote/);
});

test("code is unchanged, and a broken link is a mistake", () => {
  const packed = join(folder, "packed");
  const whole = join(folder, "whole");
  for (const place of [packed, whole]) mkdirSync(join(place, "docs"), { recursive: true });
  for (const file of ["a.md", "out.md", "out.png"]) writeFileSync(join(whole, "docs", file), "");
  writeFileSync(join(packed, "docs", "a.md"), "");
  const address = {
    page: "P",
    issues: "I",
    shown: (path: string, isFolder: boolean) => `S/${path}${isFolder ? "/" : ""}`,
    raw: (path: string) => `R/${path}`,
  };
  const linked = (text: string, page = "docs/a.md") =>
    absoluteLinks(text, page, { packed, checkout: whole, address });
  assert.equal(linked("[x](a.md), [y](out.md#z), [w](#here)"), "[x](a.md), [y](S/docs/out.md#z), [w](#here)");
  assert.equal(
    linked("[![p](out.png)](out.md) ![p](out.png)"),
    "[![p](R/docs/out.png)](S/docs/out.md) ![p](R/docs/out.png)",
  );
  assert.equal(linked("[`code` here](out.md)"), "[`code` here](S/docs/out.md)");
  const code = "`[x](out.md)` ``[x](out.md) ` ``\n```md\n[x](out.md)\n```\n[x](https://example.com/a)";
  assert.equal(linked(code), code);
  assert.equal(linked("[x](docs/a.md) [d](docs)", "README.md"), "[x](S/docs/a.md) [d](S/docs/)");
  assert.throws(() => linked("[x](none.md)"), /docs\/a\.md links none\.md/);
  assert.throws(() => linked("[x](../../none.md)"), /links/);
});

/** A checkout without a remote, with a placeholder for the build. */
const checkout = join(folder, "checkout");
before(() => {
  checkOut(checkout);
  mkdirSync(join(checkout, "dist"));
});

const run = (command: string, ...args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: checkout,
    env: withThisNode,
    encoding: "utf8",
  });
  return { status, stdout, reported: stderr };
};

test("without an address it packs with a notice, and npm publishes neither the checkout nor the package", () => {
  const to = join(folder, "without");
  mkdirSync(to);
  const { status, stdout, reported } = run("npm", "run", "--silent", "package", "--", "--to", to, "--built");
  assert.deepEqual([status, stdout], [0, `${readdirSync(to)[0]}\n`]);
  assert.match(reported, /^No address is stated, so that .* no git remote `origin`\. .*--repository.*\n$/);
  const archive = join(to, stdout.trim());
  execFileSync("tar", ["-xzf", archive, "-C", to]);
  const packed = JSON.parse(readFileSync(join(to, "package", "package.json"), "utf8"));
  assert.deepEqual([packed.private, packed.repository, packed.homepage], [true, undefined, undefined]);
  const page = "package/README.md";
  assert.equal(readFileSync(join(to, page), "utf8"), readFileSync(join(checkout, "README.md"), "utf8"));

  const refused = run("npm", "publish", "--dry-run");
  assert.notEqual(refused.status, 0);
  assert.match(
    refused.reported,
    /^Not published: no address is stated: this checkout has no git remote `origin`\..*$/m,
  );
  // An address without a server, so that nothing is sent.
  const registry = "127.0.0.1:9/";
  const asOwner = ["--fetch-retries=0", `--registry=http://${registry}`, `--//${registry}:_authToken=none`];
  assert.match(run("npm", "publish", archive, ...asOwner).reported, /EPRIVATE/);
});

test("an unusable remote is reported by its name, and a usable one leads to the publish steps", () => {
  const refused = () => run(process.execPath, "scripts/packing/plain-npm.ts", "publish");
  git(checkout, "remote", "add", "origin", "/srv/git/ninefold.git");
  assert.deepEqual(refused(), {
    status: 1,
    stdout: "",
    reported: `Not published: no address is stated: "/srv/git/ninefold.git" is no address that others can open. It takes https://host/owner/name, or git@host:owner/name.git.\n`,
  });
  const { reported } = run(process.execPath, "scripts/packing/plain-npm.ts", "pack");
  assert.match(reported, /^no address is stated: .*\n$/);
  git(checkout, "remote", "set-url", "origin", "git@github.com:ada/ninefold.git");
  assert.match(
    refused().reported,
    /^Not published: npm alone states no address\. `npm run package` states https:\/\/github\.com\/ada\/ninefold, then `npm publish ninefold-.*\.tgz`\.\n$/,
  );
});
