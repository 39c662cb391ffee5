/** Field types: unit tests of accepted values. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fc } from "../../../test/fixed-seed.ts";
import type { Value } from "../../expressions/value.ts";
import type { Json } from "../../support/json.ts";
import type { PlainType } from "../type.ts";
import { compareDecimals } from "../../expressions/decimal.ts";
import { Refusal, scalarTypes } from "./index.ts";
import type { TimestampForm } from "../../expressions/writing/wire.ts";

const read = (kind: PlainType, json: Json, timestamps: TimestampForm = "milliseconds") =>
  wordsOf(scalarTypes[kind].read(json, { timestamps }));

const readText = (kind: PlainType, text: string, timestamps: TimestampForm = "milliseconds") =>
  wordsOf(scalarTypes[kind].readText(text, { timestamps }));

/** A refusal as `no: <predicate>`. */
const wordsOf = (value: Value | Refusal) => (value instanceof Refusal ? `no: ${value.words}` : value);

const isRefused = (value: unknown) => typeof value === "string" && value.startsWith("no: ");

test("integers are whole and within ±(2^53−1)", () => {
  assert.equal(read("integer", 1.0), 1);
  assert.equal(read("integer", 1e3), 1000);
  assert.ok(Object.is(read("integer", -0), 0));
  assert.equal(read("integer", Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
  assert.match(String(read("integer", 2 ** 53)), /must be between/);
  assert.equal(read("integer", 1.5), "no: must be an integer");
  assert.equal(read("integer", "1"), "no: must be an integer");
  assert.equal(readText("integer", "-12"), -12);
  assert.ok(Object.is(readText("integer", "-0"), 0));
  assert.match(String(readText("integer", "99999999999999999999")), /must be between/);
  for (const text of ["", "1.0", "1e3", "+1", " 1", "01", "0x1", "٣", "99999999999999999999"]) {
    assert.ok(isRefused(readText("integer", text)), text);
  }
});

test("numbers are finite", () => {
  assert.equal(read("number", 1.5), 1.5);
  assert.ok(isRefused(read("number", Number.POSITIVE_INFINITY)));
  assert.equal(readText("number", "-1.5e2"), -150);
  for (const text of ["1e400", "NaN", "Infinity", ".5", "1.", ""])
    assert.ok(isRefused(readText("number", text)), text);
});

test("decimals are texts as they were written, without needless zeros before the point", () => {
  const cases = {
    "12.50": "12.50",
    "007": "7",
    "-0.0": "0.0",
    "0": "0",
    "-00.10": "-0.10",
    "10": "10",
    "0.000": "0.000",
  };
  for (const [sent, kept] of Object.entries(cases)) assert.equal(read("decimal", sent), kept);
  for (const sent of ["", ".5", "5.", "+1", "1e3", "1,5", "--1", " 1", "1".repeat(101)])
    assert.ok(isRefused(read("decimal", sent)), sent);
  assert.ok(isRefused(read("decimal", 12.5)));
});

test("decimals are compared exactly", () => {
  const cents = fc.integer({ min: -1_000_000, max: 1_000_000 });
  const text = (n: number) =>
    scalarTypes.decimal.readText((n / 100).toFixed(2), { timestamps: "milliseconds" }) as string;
  fc.assert(
    fc.property(cents, cents, (a, b) =>
      assert.equal(Math.sign(compareDecimals(text(a), text(b))), Math.sign(a - b)),
    ),
  );
});

test("booleans are true or false", () => {
  assert.equal(read("boolean", false), false);
  assert.equal(readText("boolean", "true"), true);
  for (const json of ["true", 1, 0]) assert.ok(isRefused(read("boolean", json)));
  for (const text of ["1", "True", "yes", ""]) assert.ok(isRefused(readText("boolean", text)));
});

test("timestamps of any offset become UTC with milliseconds", () => {
  const cases: Record<string, string> = {
    "2026-11-20T10:00:00Z": "2026-11-20T10:00:00.000Z",
    "2026-11-20t10:00:00.1239z": "2026-11-20T10:00:00.123Z",
    "2026-11-20T00:30:00+01:00": "2026-11-19T23:30:00.000Z",
    "2026-12-31T23:30:00-01:00": "2027-01-01T00:30:00.000Z",
    "0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
    "2024-02-29T00:00:00Z": "2024-02-29T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
  };
  for (const [sent, kept] of Object.entries(cases)) assert.equal(read("timestamp", sent), kept);
  const wrong = [
    "2026-11-20",
    "2026-11-20T10:00:00",
    "2026-11-20 10:00:00Z",
    "2026-11-20T10:00:60Z",
    "2026-11-20T24:00:00Z",
    "2026-02-29T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-10T00:00:00Z",
    "9999-12-31T23:59:59-00:01",
    "0000-01-01T00:00:00+00:01",
    "0000-12-31T23:59:59Z",
    "0000-12-31T23:59:59-01:00",
    "10000-01-01T00:00:00Z",
    "2026-11-20T10:00:00+24:00",
    "2026-11-20T10:00Z",
    "",
  ];
  for (const sent of wrong) assert.ok(isRefused(read("timestamp", sent)), sent);
  assert.ok(isRefused(read("timestamp", 1_700_000_000)));
});

test("timestamps come in the form that the document names", () => {
  assert.equal(read("timestamp", 1_700_000_000, "unix seconds"), "2023-11-14T22:13:20.000Z");
  assert.equal(readText("timestamp", "1700000000", "unix seconds"), "2023-11-14T22:13:20.000Z");
  assert.equal(read("timestamp", 1_700_000_000_123, "unix milliseconds"), "2023-11-14T22:13:20.123Z");
  assert.equal(read("timestamp", "Fri, 20 Nov 2026 10:00:00 +0100", "RFC 2822"), "2026-11-20T09:00:00.000Z");
  assert.equal(read("timestamp", "20 Nov 2026 10:00:00 GMT", "RFC 2822"), "2026-11-20T10:00:00.000Z");
  for (const json of ["2026-11-20T10:00:00Z", 1.5, 1e15])
    assert.ok(isRefused(read("timestamp", json, "unix seconds")), String(json));
});

test("dates are days of the calendar", () => {
  assert.equal(read("date", "2024-02-29"), "2024-02-29");
  for (const sent of [
    "2026-02-29",
    "2026-11-31",
    "2026-1-1",
    "2026-11-20T00:00:00Z",
    "1900-02-29",
    "0000-12-31",
  ])
    assert.ok(isRefused(read("date", sent)), sent);
});

test("durations are read as CEL writes them", () => {
  const cases: Record<string, number> = {
    "1m30s": 90_000,
    "1.5h": 5_400_000,
    "-2s": -2000,
    "100ms": 100,
    "0": 0,
    "1h1m1s1ms": 3_661_001,
    "1000us": 1,
    "0.0001s": Number.NaN,
  };
  for (const [sent, kept] of Object.entries(cases)) {
    if (Number.isNaN(kept)) assert.ok(isRefused(read("duration", sent)), sent);
    else assert.equal(read("duration", sent), kept, sent);
  }
  for (const sent of ["", "1", "1 m", "m", "1d", "1m-30s", "1us", `${"9".repeat(15)}h`, "1s".repeat(200)])
    assert.ok(isRefused(read("duration", sent)), sent);
});

test("UUIDs are stored in lower case", () => {
  assert.equal(read("uuid", "019306A0-7B4F-7CC8-8F00-ABCDEFABCDEF"), "019306a0-7b4f-7cc8-8f00-abcdefabcdef");
  for (const sent of ["", "019306a07b4f7cc88f00abcdefabcdef", "{019306a0-7b4f-7cc8-8f00-abcdefabcdef}"])
    assert.ok(isRefused(read("uuid", sent)), sent);
});

test("email addresses are those that browsers accept", () => {
  for (const sent of ["a@b", "ada.l+x@ex-ample.co.uk", "grüße@straße.de", "o'x@a1.b2"])
    assert.equal(read("email", sent), sent);
  const wrong = [
    "",
    "a",
    "@b",
    "a@",
    "a@b@c",
    "a b@c.d",
    "a@-b.c",
    "a@b-.c",
    "a@b..c",
    "a@.b",
    `${"a".repeat(65)}@b.c`,
    `a@${"b".repeat(64)}.c`,
    "a@b.c\n",
    "a@b.c ",
  ];
  for (const sent of wrong) assert.ok(isRefused(read("email", sent)), sent);
});

test("URIs are absolute and contain nothing that a parser would drop", () => {
  for (const sent of [
    "https://example.com/a?b=c#d",
    "http://[::1]:8080/",
    "mailto:a@b.c",
    "urn:isbn:0451450523",
    "ftp://x/y",
    "https://bücher.example/",
  ]) {
    assert.equal(read("uri", sent), sent);
  }
  for (const sent of [
    "",
    "/a",
    "example.com",
    "//x",
    "http:x",
    "http:///x",
    "https://",
    "http://a b",
    " http://a",
    "http://a\n",
    "http://a\\b",
    "1a:b",
    "https://a:99999/",
  ]) {
    assert.ok(isRefused(read("uri", sent)), sent);
  }
});

test("texts contain no U+0000 and no half of a surrogate pair, at any depth", () => {
  for (const kind of ["string", "password", "credential", "json", "uri", "email"] as const) {
    for (const text of ["a\0b", "\ud800", "x\udc00"]) assert.ok(isRefused(read(kind, text)), kind);
  }
  assert.ok(isRefused(read("json", { a: ["\0"] })));
  assert.ok(isRefused(read("json", { "\ud800": 1 })));
});

test("json is copied unchanged, into objects without a prototype", () => {
  const sent = JSON.parse('{"__proto__": {"a": [1, 2.5, "x", null, true, {}]}, "constructor": 1e300}');
  const kept = read("json", sent) as object;
  assert.equal(Object.getPrototypeOf(kept), null);
  assert.equal(JSON.stringify(kept), JSON.stringify(sent));
  assert.match(String(read("json", { id: 2 ** 60 })), /would be rounded/);
  assert.ok(isRefused(read("json", JSON.parse("[".repeat(70) + "]".repeat(70)))));
});

const naughty = join(import.meta.dirname, "../../../../shared/test-data/blns.json");

test("unusual strings are stored unchanged or rejected, by every type", {
  skip: existsSync(naughty) ? false : "the list is not on this machine",
}, () => {
  for (const text of JSON.parse(readFileSync(naughty, "utf8")) as string[]) {
    assert.equal(
      read("string", text),
      text.includes("\0") ? "no: must not contain U+0000 or half of a surrogate pair" : text,
    );
    for (const kind of Object.keys(scalarTypes) as PlainType[]) {
      const value = scalarTypes[kind].readText(text, { timestamps: "milliseconds" });
      assert.ok(value !== undefined && value !== null, `${kind}: ${text}`);
    }
  }
});
