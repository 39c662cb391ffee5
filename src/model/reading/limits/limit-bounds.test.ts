/** Bounds of limits (3.8, column `Bound`): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Phrase, phraseOf } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { parseCount, parsePage, parseRate, parseRateHeaders, parseStored } from "./limit-bounds.ts";

function phrase(text: string): Phrase {
  return phraseOf(createSource("a.md", text), 0, text.length);
}

function plain(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) =>
      key === "source"
        ? undefined
        : inner && typeof inner === "object" && "start" in inner
          ? inner.text
          : inner,
    ),
  );
}

test("a rate is a number of requests in a time, optionally with a burst", () => {
  assert.deepEqual(parseRate(phrase("5000 per hour")), { count: 5000, periodMs: 3_600_000 });
  assert.deepEqual(parseRate(phrase("100 per second, burst 200")), {
    count: 100,
    periodMs: 1000,
    burst: 200,
  });
  assert.deepEqual(parseRate(phrase("`10 requests per 15 minutes`")), { count: 10, periodMs: 900_000 });
  assert.deepEqual(plain(parseRate(phrase("1 per day, burst not shown"))), {
    count: 1,
    periodMs: 86_400_000,
    burstOpen: "burst not shown",
  });
});

test("a rate without a number, of nothing, or in months can't be read", () => {
  for (const text of ["per hour", "0 per hour", "5 per month", "5 an hour", "5 per 0 seconds"]) {
    assert.deepEqual(plain(parseRate(phrase(text))), { unreadable: text });
  }
  assert.deepEqual(plain(parseRate(phrase("5 per hour, bursts 2"))), { unreadable: "bursts 2" });
  assert.deepEqual(plain(parseRate(phrase("5 per hour, burst 0"))), { unreadable: "burst 0" });
});

test("a page has a default, a maximum, and what happens above it, in any order", () => {
  assert.deepEqual(parsePage(phrase("default 20, maximum 100")), { default: 20, maximum: 100, open: [] });
  assert.deepEqual(parsePage(phrase("maximum 100, clamped")), { maximum: 100, over: "clamped", open: [] });
  assert.deepEqual(plain(parsePage(phrase("default 20, maximum not shown"))), {
    default: 20,
    open: [{ what: "maximum", phrase: "maximum not shown" }],
  });
  assert.deepEqual(plain(parsePage(phrase("default 20, minimum 1"))), { unreadable: "minimum 1" });
  assert.deepEqual(plain(parsePage(phrase("default 20, default 30"))), { unreadable: "default 30" });
  assert.deepEqual(plain(parsePage(phrase("clamped, refused"))), { unreadable: "refused" });
});

test("a quota counts records, optionally for each record of another resource, optionally by a condition", () => {
  assert.deepEqual(plain(parseStored(phrase("20 Prediction"))), { count: 20, resource: "Prediction" });
  assert.deepEqual(plain(parseStored(phrase('20 Prediction per Account where `this.status == "running"`'))), {
    count: 20,
    resource: "Prediction",
    per: "Account",
    where: '`this.status == "running"`',
  });
  assert.deepEqual(plain(parseStored(phrase("Prediction per Account"))), { unreadable: "Prediction" });
});

test("concurrent requests are a plain number", () => {
  assert.equal(parseCount(phrase("10")), 10);
  assert.equal(parseCount(phrase("10 requests")), 10);
  assert.equal(parseCount(phrase("0")), undefined);
  assert.equal(parseCount(phrase("many")), undefined);
});

test("rate headers are those of the IETF, the older ones, or none", () => {
  assert.equal(parseRateHeaders(phrase("RateLimit")), "RateLimit");
  assert.equal(parseRateHeaders(phrase("none")), "none");
  assert.deepEqual(parseRateHeaders(phrase("X-RateLimit (limit, remaining, used, reset as unix seconds)")), {
    fields: ["limit", "remaining", "used", "reset as unix seconds"],
  });
  assert.deepEqual(plain(parseRateHeaders(phrase("X-RateLimit (limit, limit)"))), {
    unreadable: "X-RateLimit (limit, limit)",
  });
  assert.deepEqual(plain(parseRateHeaders(phrase("X-Rate"))), { unreadable: "X-Rate" });
});
