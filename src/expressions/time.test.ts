/** Timestamps, dates and durations as text: unit tests. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fc, times } from "../../test/fixed-seed.ts";
import { formatDuration, readDate, readDuration, readTimestamp, startOfUnit, timestampAt } from "./time.ts";

describe("timestamps", () => {
  it("are read with any offset and kept in one form", () => {
    const forms = {
      "2026-11-20T10:00:00Z": "2026-11-20T10:00:00.000Z",
      "2026-11-20t10:00:00.123456789z": "2026-11-20T10:00:00.123Z",
      "2026-11-20T01:30:00+02:00": "2026-11-19T23:30:00.000Z",
      "2024-02-29T23:59:59-00:30": "2024-03-01T00:29:59.000Z",
      "0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
    };
    for (const [text, canonical] of Object.entries(forms)) assert.equal(readTimestamp(text), canonical);
  });

  it("are rejected if they are not a time", () => {
    for (const text of [
      "2026-11-20",
      "2026-02-29T00:00:00Z",
      "2026-11-20T24:00:00Z",
      "2026-11-20T10:00:60Z",
      "2026-11-20T10:00:00",
      "9999-12-31T23:59:59-01:00",
      "0000-12-31T23:59:59Z",
      "0001-01-01T00:00:00+00:01",
      "2026-11-20T10:00:00+24:00",
      "now",
    ]) {
      assert.equal(readTimestamp(text), undefined, text);
    }
  });

  it("begin with the year 1 and end with the year 9999", () => {
    assert.equal(timestampAt(Date.parse("0001-01-01T00:00:00.000Z") - 1), null);
    assert.equal(readDate("0000-12-31"), undefined);
    assert.equal(timestampAt(Date.UTC(9999, 11, 31, 23, 59, 59, 999) + 1), null);
    assert.equal(timestampAt(Number.NaN), null);
  });

  it("have the start of each unit", () => {
    const at = Date.parse("2026-01-01T00:00:00.001Z");
    assert.equal(timestampAt(startOfUnit("week", at)), "2025-12-29T00:00:00.000Z");
    assert.equal(
      timestampAt(startOfUnit("year", Date.parse("0050-05-05T00:00:00Z"))),
      "0050-01-01T00:00:00.000Z",
    );
  });
});

describe("dates", () => {
  it("must exist in the calendar", () => {
    assert.equal(readDate("2024-02-29"), "2024-02-29");
    for (const text of ["2026-02-29", "2026-13-01", "2026-1-1", "20261120"])
      assert.equal(readDate(text), undefined);
  });
});

describe("durations", () => {
  it("are read and written as CEL does", () => {
    const forms = {
      "1m30s": 90_000,
      "1.5h": 5_400_000,
      "-2s": -2000,
      "500ms": 500,
      "0.3s": 300,
      "1us": 0,
      "0": 0,
      "100h": 360_000_000,
    };
    for (const [text, milliseconds] of Object.entries(forms))
      assert.equal(readDuration(text), milliseconds, text);
    for (const text of ["", "5", "1d", "1x", "s", "1 s", `${"9".repeat(30)}h`])
      assert.equal(readDuration(text), undefined, text);
    assert.equal(formatDuration(86_400_000), "24h");
    assert.equal(formatDuration(-1500), "-1.5s");
    assert.equal(formatDuration(0), "0s");
    assert.equal(formatDuration(90_061_001), "25h1m1.001s");
  });

  it("are unchanged after writing and reading", () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e12, max: 1e12 }), (milliseconds) => {
        assert.equal(readDuration(formatDuration(milliseconds)), milliseconds);
      }),
      { numRuns: times(200) },
    );
  });
});
