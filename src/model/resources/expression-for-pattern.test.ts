/** Expressions for the patterns of identifiers: what they make matches the pattern. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { expressionForPattern } from "./expression-for-pattern.ts";

const cases: readonly (readonly [pattern: string, expression: string | undefined])[] = [
  ["^cus_[A-Za-z0-9]{20}$", '"cus_" + random(20)'],
  ["^[a-zA-Z0-9_-]+$", "random(14)"],
  ["^\\w+$", "random(14)"],
  ["^(A-Z)+$", undefined],
  ["^QU[0-9a-fA-F]{32}$", '"QU" + hex(randomBytes(16))'],
  ["^[0-9a-f]{24}$", "hex(randomBytes(12))"],
  ["^[0-9a-f]{25}$", undefined],
  ["^[0-9a-f]{1,25}$", "hex(randomBytes(7))"],
  ["^book_[a-z0-9]{8,20}$", '"book_" + lower(random(14))'],
  ["^book_[a-z0-9]{2,6}$", '"book_" + lower(random(6))'],
  ["^book_[a-z0-9]{16,}$", '"book_" + lower(random(16))'],
  ["^[0-9]{4}$", undefined],
  ["^[^a-z0-9]{4}$", undefined],
  ["^se-\\d+$", undefined],
  ["(?s:.*?)(?:[a-z0-9])(?s:.*)", undefined],
];

for (const [pattern, expression] of cases)
  test(`an expression for ${pattern}`, () => assert.equal(expressionForPattern(pattern), expression));
