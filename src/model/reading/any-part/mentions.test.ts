/** Mentions of a name in an expression's text: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { mentions, mentionsMember } from "./mentions.ts";

test("a name alone is a mention, but not after a dot or in a text", () => {
  assert.ok(mentions("page.items.map(p, p.id)", "page"));
  assert.ok(!mentions("this.page + 1", "page"));
  assert.ok(!mentions('"page" + title', "page"));
  assert.ok(!mentions("'it\\'s a page'", "page"));
  assert.ok(!mentions("pages.first()", "page"));
});

test("a member is mentioned by a dot or by an index", () => {
  assert.ok(mentionsMember("this.name == path.repo", "path", "repo"));
  assert.ok(mentionsMember('path["repo"] == this.name', "path", "repo"));
  assert.ok(mentionsMember("path . repo", "path", "repo"));
  assert.ok(mentionsMember("path[query.name]", "path", "repo"));
  assert.ok(!mentionsMember('path[ "owner" ]', "path", "repo"));
  assert.ok(!mentionsMember("path.repository == 1", "path", "repo"));
  assert.ok(!mentionsMember("this.path.repo == 1", "path", "repo"));
  assert.ok(!mentionsMember("path == repo", "path", "repo"));
});
