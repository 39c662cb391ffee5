/** Changed types of a choice (`string or list of string`): stored values are checked at any depth. */
import assert from "node:assert/strict";
import type { Value } from "../../src/expressions/value.ts";
import { documentOf, resource } from "./desk.ts";
import { changed, refused, testOnEach } from "./support.ts";

testOnEach("the types of a choice, and those of its elements", async () => {
  const tags = (type: string, rule = "") => documentOf(resource("Item", `tags | ${type} | ${rule}`));
  const wrong: readonly (readonly [before: string, after: string, value: Value, rule?: string])[] = [
    ["string or list of string", "string or list of integer", ["a"]],
    ["string or list of one of a, b", "string or list of one of a, c", ["b"]],
    ["string or map of string", "string or map of integer", { key: "a" }],
    ["integer or string", "integer or email", "a"],
    ["integer or string", "integer or uuid", "a"],
    ["integer or list of string", "integer or list of uri", ["a"]],
    ["uuid or string", "uuid or string", "abcdef", "length ..3"],
  ];
  for (const [before, after, stored, rule] of wrong) {
    const { obstacles } = await refused(
      tags(before),
      [["Item", { id: "a", tags: stored }]],
      tags(after, rule),
    );
    assert.match(obstacles.join(), /^Item\.tags must .*, and 1 Item breaks that: .* \(a\)$/, after);
  }
  const right: readonly (readonly [before: string, after: string, value: Value])[] = [
    ["integer or string", "integer or email", "ada@example.com"],
    ["string or list of one of a, b", "string or list of one of a, c", ["a"]],
    ["integer or list of string", "integer or list of json", ["a"]],
    ["list of json", "integer or list of json", ["a", 5, null]],
  ];
  for (const [before, after, stored] of right)
    await changed(tags(before), [["Item", { id: "a", tags: stored }]], tags(after));
});
