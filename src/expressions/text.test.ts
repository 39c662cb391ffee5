/** Texts by code points: unit tests. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import { codePointLength, codePointSlice, compareText } from "./text.ts";

const text = fc.string({ unit: "binary", maxLength: 6 });

describe("texts by code points", () => {
  it("have the order of their UTF-8 bytes", () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        assert.equal(Math.sign(compareText(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
      { numRuns: times(300) },
    );
  });

  it("are as long as they have code points", () => {
    fc.assert(
      fc.property(text, (a) => assert.equal(codePointLength(a), Array.from(a).length)),
      { numRuns: times(200) },
    );
  });

  it("are cut between code points only", () => {
    assert.equal(codePointSlice("a\u{1F600}b", 0, 2), "a\u{1F600}");
    assert.equal(codePointSlice("abc", 2, 1), null);
    assert.equal(codePointSlice("abc", 3), "");
  });
});
