/** Sort keys of decimals: their order. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc } from "../../../../test/fixed-seed.ts";
import { compareDecimals, readDecimal } from "../../../expressions/decimal.ts";
import { compareText } from "../../../expressions/text.ts";
import { decimalOrderKey } from "./decimal-order.ts";

test("sort keys of decimals have the order of the numbers", () => {
  const written = fc
    .tuple(fc.constantFrom("", "-"), fc.bigInt({ min: 0n, max: 10n ** 24n }), fc.stringMatching(/^\d{0,6}$/))
    .map(
      ([sign, whole, fraction]) =>
        readDecimal(`${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`) as string,
    );
  fc.assert(
    fc.property(written, written, (a, b) => {
      const keys = Math.sign(compareText(decimalOrderKey(a), decimalOrderKey(b)));
      assert.equal(keys, compareDecimals(a, b), `${a} and ${b}`);
    }),
  );
});

test("decimals that differ only after the point are in order, positive and negative", () => {
  const sorted = [
    "-10",
    "-1.5",
    "-1.25",
    "-1",
    "-0.5",
    "-0.05",
    "0",
    "0.05",
    "0.5",
    "1",
    "1.25",
    "1.5",
    "10",
  ];
  const keys = sorted.map(decimalOrderKey);
  assert.deepEqual([...keys].sort(compareText), keys);
});
