/** Strict request parsing: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { bareObject } from "../../support/bare-object.ts";
import { headLimits, validateHead } from "./strict-request.ts";

/**
 * `server.test.ts` tests requests over a socket; this file tests how valid and invalid heads are
 * parsed.
 */
function judge(target: string, headers: readonly string[] = [], method = "GET") {
  return validateHead({ method, target, rawHeaders: ["Host", "api.example", ...headers] });
}

test("a path is split before it is decoded", () => {
  assert.deepEqual(judge("/a%2Fb/%C3%A4/c?d=%2F").head, {
    segments: ["a/b", "ä", "c"],
    path: "/a%2Fb/%C3%A4/c",
    query: "d=%2F",
    headers: Object.assign(bareObject(), { host: "api.example" }),
  });
});

test("a final slash adds no segment, and the root has none", () => {
  assert.deepEqual(judge("/a/").head?.segments, ["a"]);
  assert.deepEqual(judge("/").head?.segments, []);
  assert.deepEqual(judge("/?a=1").head?.segments, []);
});

test("an absolute URL of the service is parsed to its path", () => {
  assert.equal(judge("http://API.example/a?b=1").head?.path, "/a");
  assert.equal(judge("https://api.example").head?.path, "/");
  assert.equal(judge("http://api.example?a=1").head?.query, "a=1");
});

test("repeated headers are joined by commas, and cookies by semicolons", () => {
  const { head } = judge("/", ["Accept", "a/b", "accept", "c/d", "Cookie", "a=1", "cookie", "b=2"]);
  assert.equal(head?.headers["accept"], "a/b, c/d");
  assert.equal(head?.headers["cookie"], "a=1; b=2");
});

test("a header named like a member of Object is a plain key", () => {
  const { head } = judge("/", ["__proto__", "a", "constructor", "b"]);
  assert.equal(Object.entries(head?.headers ?? {}).find(([name]) => name === "__proto__")?.[1], "a");
  assert.equal(head?.headers["constructor"], "b");
  assert.equal(judge("/").head?.headers["constructor"], undefined);
});

test("a document may set smaller limits", () => {
  const request = { method: "GET", target: "/abcdef", rawHeaders: ["Host", "x"] };
  assert.deepEqual(validateHead(request, { ...headLimits, urlBytesMax: 5 }).refusal, {
    condition: "too large",
    status: 414,
    problem: "the target is longer than 5 bytes",
    limit: "5 bytes",
    limitName: "url",
  });
  assert.equal(validateHead(request, { ...headLimits, headerBytesMax: 5 }).refusal?.status, 431);
});

test("a rejection states the problem", () => {
  assert.equal(
    judge("/", ["Authorization", "a", "Authorization", "b"]).refusal?.problem,
    "the header Authorization occurs twice",
  );
  assert.equal(judge("/a//b").refusal?.problem, "the path has an empty segment");
});
