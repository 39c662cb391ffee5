/** Requested version (part 9): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersioningPart } from "../model.ts";
import { requestedVersion, withVersion } from "./request-version.ts";

const position = {
  start: { line: 1, column: 1, offset: 0 },
  end: { line: 1, column: 1, offset: 0 },
};

function part(scheme: VersioningPart["scheme"]): VersioningPart {
  const versions = [
    { name: "2.0", status: "current", changes: [], position },
    { name: "1.0", status: "supported", changes: [], position },
  ] as const;
  return { ...(scheme ? { scheme } : {}), default: "oldest", versions, storedChanges: [] };
}

const get = (target: string, ...headers: readonly { readonly name: string; readonly value: string }[]) => ({
  target,
  headers,
});

const schemes = [
  ["header", part({ kind: "header", name: "Api-Version" }), get("/a", { name: "api-version", value: "1.0" })],
  ["query", part({ kind: "query", name: "v" }), get("/a?v=1.0")],
  ["path prefix", part({ kind: "path prefix" }), get("/1.0/a")],
  [
    "media type",
    part({ kind: "media type" }),
    get("/a", { name: "Accept", value: "application/vnd.x.1.0+json" }),
  ],
] as const;

for (const [name, versioning, older] of schemes) {
  test(`${name}: a request that names no version uses the current one, and says so when it is copied`, () => {
    assert.equal(requestedVersion(versioning, get("/a")), "2.0");
    const copied = withVersion(versioning, "2.0", get("/a"));
    assert.notDeepEqual(copied, get("/a"));
    assert.equal(requestedVersion(versioning, copied), "2.0");
  });

  test(`${name}: a request that names a version keeps it`, () => {
    assert.equal(requestedVersion(versioning, older), "1.0");
    assert.deepEqual(withVersion(versioning, "2.0", older), older);
  });
}

test("a version is appended after the parameters of a target", () => {
  assert.equal(
    withVersion(part({ kind: "query", name: "v" }), "a b", get("/a?limit=2")).target,
    "/a?limit=2&v=a%20b",
  );
});

test("an Accept header without a version leaves it to the default", () => {
  const request = get("/a", { name: "Accept", value: "text/csv" });
  assert.equal(requestedVersion(part({ kind: "media type" }), request), undefined);
  assert.deepEqual(withVersion(part({ kind: "media type" }), "2.0", request), request);
});

test("without versions, a request stays as it is", () => {
  const none = { versions: [], storedChanges: [] };
  assert.equal(requestedVersion(none, get("/a")), undefined);
  assert.deepEqual(withVersion(none, "2.0", get("/a")), get("/a"));
});
