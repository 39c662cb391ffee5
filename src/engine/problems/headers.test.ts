/** Problem headers: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemDetail } from "../problem.ts";
import { problemHeaders } from "./headers.ts";

const rows: readonly (readonly [string, Partial<ProblemDetail>, readonly (readonly [string, string])[]])[] = [
  ["what blames nothing of the kind has none", {}, []],
  ["methods that there are", { methods: ["GET", "PUT"] }, [["Allow", "GET, PUT"]]],
  [
    "a line for each challenge",
    { challenges: ["Basic", "Bearer"] },
    [
      ["WWW-Authenticate", "Basic"],
      ["WWW-Authenticate", "Bearer"],
    ],
  ],
  [
    "media types under the method's own name",
    { accepts: { header: "Accept-Patch", mediaTypes: ["a/b", "c/d"] } },
    [["Accept-Patch", "a/b, c/d"]],
  ],
  ["when it may be tried again, be it at once", { retryAfterSeconds: 0 }, [["Retry-After", "0"]]],
  [
    "an end of the connection where the next request can't be found",
    { isUnreadable: true },
    [["Connection", "close"]],
  ],
  ["what is allowed besides a transition is no method", { allowed: ["ship"] }, []],
];

for (const [title, facts, expected] of rows) {
  test(`headers of a rejection: ${title}`, () => {
    assert.deepEqual(problemHeaders({ condition: "internal", problem: "is so", ...facts }), expected);
  });
}
