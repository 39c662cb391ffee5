/**
 * The sources of the documentation site: every page is in its navigation, and anchors match those
 * of code hosts.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { navigation } from "../../site/navigation.ts";
import { anchorOf, pageOf, siteLink, sitePages } from "../../site/pages.ts";
import { filesUnder } from "../repository/repository.ts";

test("the index of the documentation names each page", () => {
  const links = JSON.stringify(navigation());
  const missing = filesUnder("docs", ".md")
    .filter((path) => !/^docs\/(diagnostics\/.+\/|README)/.test(path))
    .map((path) => `"/${pageOf(path).replace(/(?:index)?\.md$/, "")}"`)
    .filter((link) => !links.includes(link));
  assert.deepEqual(missing, []);
});

test("a link to a file or folder of the repository leads to its page", () => {
  assert.equal(siteLink("docs/guides/ci.md", "../README.md#reference"), "../index.md#reference");
  assert.equal(
    siteLink("docs/guides/production.md", "../../deploy/Dockerfile"),
    "../../deploy/Dockerfile.md",
  );
  assert.equal(siteLink("index.md", "examples/twins"), "examples/twins/index.md");
  assert.equal(siteLink("index.md", "https://example.com/"), "https://example.com/");
  const paths = sitePages().map(({ path }) => path);
  for (const path of ["deploy/Dockerfile.md", "examples/twins/index.md", "examples/twins/stripe.md"])
    assert.ok(paths.includes(path), path);
});

test("the anchor of a heading is the one that code hosts give it", () => {
  assert.equal(anchorOf("Part 5: Authentication"), "part-5-authentication");
  assert.equal(anchorOf("`check --from`, and what it's for"), "check---from-and-what-its-for");
});
