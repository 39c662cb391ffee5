/** Path router: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { soon } from "../../../test/processor-time.ts";
import type { PathSegment } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";
import { createRouter, type Route, type RouteResult } from "./path-router.ts";

/** Creates a route, such as `GET /a/{id}.json`, that returns its own text. */
function route(text: string): Route<string> {
  const [method, path] = text.split(" ") as [string, string];
  return { method, segments: path.split("/").filter(Boolean).map(segment), endpoint: text };
}

function segment(text: string): PathSegment {
  const match = /^(.*)\{(\w+)(\.\.\.)?\}(.*)$/.exec(text);
  if (!match) return { kind: "literal", text };
  return {
    kind: "parameter",
    before: match[1] as string,
    name: match[2] as string,
    behind: match[4] as string,
    ...(match[3] === undefined ? {} : { rest: true }),
  };
}

function find(routes: string[], request: string): RouteResult<string> {
  const [method, path] = request.split(" ") as [string, string];
  return createRouter(routes.map(route)).find(method, path.split("/").filter(Boolean), path.endsWith("/"));
}

function found(endpoint: string, parameters: Record<string, string> = {}): RouteResult<string> {
  return { kind: "found", endpoint, parameters: Object.assign(bareObject(), parameters) };
}

test("a literal segment takes precedence over a parameter", () => {
  const routes = ["GET /articles/{slug}", "GET /articles/feed"];
  assert.deepEqual(find(routes, "GET /articles/feed"), found("GET /articles/feed"));
  assert.deepEqual(find(routes, "GET /articles/other"), found("GET /articles/{slug}", { slug: "other" }));
});

test("literals take precedence from left to right", () => {
  const routes = ["GET /{a}/list", "GET /users/{b}"];
  assert.deepEqual(find(routes, "GET /users/list"), found("GET /users/{b}", { b: "list" }));
});

test("a parameter matches if the literal has no matching continuation", () => {
  const routes = ["GET /users/me/keys", "GET /users/{id}/posts"];
  assert.deepEqual(find(routes, "GET /users/me/posts"), found("GET /users/{id}/posts", { id: "me" }));
});

test("a path without the method does not hide a matching path that has it", () => {
  const routes = ["GET /articles/feed", "DELETE /articles/{slug}"];
  assert.deepEqual(find(routes, "DELETE /articles/feed"), found("DELETE /articles/{slug}", { slug: "feed" }));
});

test("a method without a route returns all methods of the path, and one matching route", () => {
  const routes = ["GET /articles/feed", "DELETE /articles/{slug}"];
  assert.deepEqual(find(routes, "PUT /articles/feed"), {
    kind: "method not allowed",
    allowed: ["DELETE", "GET", "HEAD"],
    instead: "GET /articles/feed",
  });
  assert.deepEqual(find(routes, "GET /articles"), { kind: "unknown path" });
  assert.deepEqual(find(routes, "GET /articles/a/b"), { kind: "unknown path" });
});

test("HEAD uses its own route, or else that of GET", () => {
  assert.deepEqual(find(["GET /a"], "HEAD /a"), found("GET /a"));
  assert.deepEqual(find(["GET /a", "HEAD /a"], "HEAD /a"), found("HEAD /a"));
});

test("a segment may have literal text around its parameter", () => {
  const routes = ["GET /Messages/{sid}.json", "GET /Messages/{sid}", "GET /Messages/v{n}.json"];
  assert.deepEqual(find(routes, "GET /Messages/SM1.json"), found("GET /Messages/{sid}.json", { sid: "SM1" }));
  assert.deepEqual(find(routes, "GET /Messages/v2.json"), found("GET /Messages/v{n}.json", { n: "2" }));
  assert.deepEqual(find(routes, "GET /Messages/SM1"), found("GET /Messages/{sid}", { sid: "SM1" }));
  assert.deepEqual(find(routes, "GET /Messages/.json"), found("GET /Messages/{sid}", { sid: ".json" }));
});

test("routes may name the parameter of a shared segment differently", () => {
  const routes = ["GET /users/{id}", "GET /users/{owner}/posts/{post}"];
  assert.deepEqual(
    find(routes, "GET /users/7/posts/8"),
    found("GET /users/{owner}/posts/{post}", { owner: "7", post: "8" }),
  );
});

test("a parameter named like a member of Object is a plain key", () => {
  const result = find(["GET /a/{constructor}/{__proto__}"], "GET /a/1/2");
  assert.equal(result.kind, "found");
  assert.deepEqual(Object.entries(result.kind === "found" ? result.parameters : {}), [
    ["constructor", "1"],
    ["__proto__", "2"],
  ]);
});

test("a search among ten thousand routes is fast", () => {
  const router = createRouter(Array.from({ length: 10_000 }, (_, n) => route(`GET /r${n}/{id}/x`)));
  soon("the search", () => {
    for (let n = 0; n < 10_000; n += 1) assert.equal(router.find("GET", [`r${n}`, "7", "x"]).kind, "found");
  });
});

test("a rest parameter matches only paths without another route, including their slashes", () => {
  const routes = ["GET /kv/{key...}", "GET /kv/{key...}/lock", "GET /kv/{key...}/{id}/lock", "GET /kv/{one}"];
  assert.deepEqual(find(routes, "GET /kv/a/b/c"), found("GET /kv/{key...}", { key: "a/b/c" }));
  assert.deepEqual(find(routes, "GET /kv/a/b/"), found("GET /kv/{key...}", { key: "a/b/" }));
  assert.deepEqual(find(routes, "GET /kv/a"), found("GET /kv/{one}", { one: "a" }));
  assert.deepEqual(find(routes, "GET /kv/a/lock"), found("GET /kv/{key...}/lock", { key: "a" }));
  assert.deepEqual(
    find(routes, "GET /kv/a/b/c/lock"),
    found("GET /kv/{key...}/{id}/lock", { key: "a/b", id: "c" }),
  );
  assert.deepEqual(find(routes, "GET /kv"), { kind: "unknown path" });
});

test("a rest of a thousand segments is searched in bounded time", () => {
  const routes = ["GET /{a}/{b...}/x/y", "GET /{b...}/x/z", "GET /{b...}/{c}/{d}/z"];
  const router = createRouter(routes.map(route));
  const long = Array.from({ length: 1000 }, () => "x");
  soon("the search", () => {
    for (let n = 0; n < 1000; n += 1) assert.equal(router.find("GET", long).kind, "unknown path");
  });
});
