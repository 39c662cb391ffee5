/** Exact decimals: unit tests. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import {
  addDecimals,
  canonicalDecimal,
  compareDecimals,
  decimalOf,
  divideDecimals,
  fixedDecimal,
  multiplyDecimals,
  readDecimal,
  roundDecimal,
  subtractDecimals,
} from "./decimal.ts";

const decimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }), fc.nat({ max: 8 }))
  .map(([units, scale]) => canonicalDecimal(readDecimal(scaleText(units, scale)) as string));

function scaleText(units: bigint, scale: number): string {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return units < 0n ? `-${text}` : text;
}

describe("decimals", () => {
  it("keep their written form, and are compared by value", () => {
    const forms = {
      "007.50": ["7.50", "7.5"],
      "-0": ["0", "0"],
      "-0.00": ["0.00", "0"],
      "10": ["10", "10"],
      "100.0": ["100.0", "100"],
      "-1.20": ["-1.20", "-1.2"],
      "0.001": ["0.001", "0.001"],
    };
    for (const [text, [kept, canonical]] of Object.entries(forms)) {
      assert.equal(readDecimal(text), kept);
      assert.equal(canonicalDecimal(kept as string), canonical);
      assert.equal(compareDecimals(kept as string, canonical as string), 0);
    }
    for (const text of ["", "1.", ".5", "1e3", "+1", "1,5", " 1", "9".repeat(401)])
      assert.equal(readDecimal(text), undefined, text);
  });

  it("the digits of a number", () => {
    assert.equal(decimalOf(0.1), "0.1");
    assert.equal(decimalOf(1e21), "1000000000000000000000");
    assert.equal(decimalOf(1.5e-7), "0.00000015");
    assert.equal(decimalOf(-0), "0");
    assert.equal(decimalOf(Number.NaN), null);
  });

  it("follow the rules of arithmetic exactly", () => {
    fc.assert(
      fc.property(decimal, decimal, decimal, (a, b, c) => {
        assert.equal(addDecimals(a, b), addDecimals(b, a));
        assert.equal(subtractDecimals(addDecimals(a, b) as string, b), a);
        assert.equal(
          multiplyDecimals(a, addDecimals(b, c) as string),
          addDecimals(multiplyDecimals(a, b) as string, multiplyDecimals(a, c) as string),
        );
        assert.equal(Math.sign(compareDecimals(a, b)) + Math.sign(compareDecimals(b, a)), 0);
        assert.equal(compareDecimals(a, b) === 0, a === b);
      }),
      { numRuns: times(100) },
    );
  });

  it("divide to eighteen digits, cut toward zero", () => {
    assert.equal(divideDecimals("2", "3"), "0.666666666666666666");
    assert.equal(divideDecimals("-1", "3"), "-0.333333333333333333");
    assert.equal(divideDecimals("1", "0"), null);
    assert.equal(divideDecimals("10", "4"), "2.5");
  });

  it("round by the given mode", () => {
    assert.equal(roundDecimal("2.345", 2, "nearest"), "2.35");
    assert.equal(roundDecimal("-2.345", 2, "nearest"), "-2.35");
    assert.equal(roundDecimal("-2.1", 0, "down"), "-3");
    assert.equal(roundDecimal("-2.9", 0, "up"), "-2");
    assert.equal(roundDecimal("2.1", 0, "up"), "3");
    assert.equal(roundDecimal("-0.4", 0, "nearest"), "0");
    assert.equal(fixedDecimal("12.5", 3), "12.500");
    assert.equal(fixedDecimal("12.5", 0), "13");
  });
});
