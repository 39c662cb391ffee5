/** Prefix ranges: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import { compareText, lowerAscii } from "../../expressions/text.ts";
import { prefixRange } from "./prefix-range.ts";

/** Characters at the borders of upper and lower case, of the surrogates, and of all code points. */
const letter = fc.constantFrom("@", "A", "Z", "[", "`", "a", "z", "{", "\ud7ff", "\ue000", "\u{10ffff}", "é");
const text = fc.array(letter, { minLength: 0, maxLength: 4 }).map((characters) => characters.join(""));
const prefix = fc.array(letter, { minLength: 1, maxLength: 3 }).map((characters) => characters.join(""));

test("a range contains the texts with the prefix, and no others", () => {
  fc.assert(
    fc.property(prefix, text, fc.boolean(), (begins, end, isAnyCase) => {
      for (const name of [begins + end, end, lowerAscii(begins) + end]) {
        const { from, below } = prefixRange(begins, isAnyCase);
        const read = (given: string) => (isAnyCase ? lowerAscii(given) : given);
        const isIn =
          compareText(read(name), read(from)) >= 0 &&
          (below === undefined || compareText(read(name), read(below)) < 0);
        assert.equal(isIn, read(name).startsWith(read(begins)), JSON.stringify([begins, name, isAnyCase]));
      }
    }),
  );
});
