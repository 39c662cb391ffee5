/** Content negotiation: unit tests of media types, `Accept` and content encodings. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { negotiate } from "./accept.ts";
import { readCookies } from "./cookies.ts";
import { bodyKind, parseMediaType, typesWithInputs } from "../../model/endpoints/media-type.ts";

const parsed = (text: string) => {
  const mediaType = parseMediaType(text);
  return mediaType && [mediaType.type, Object.fromEntries(mediaType.parameters)];
};

test("media types and their parameters are parsed", () => {
  assert.deepEqual(parsed("Application/JSON; Charset=UTF-8"), ["application/json", { charset: "UTF-8" }]);
  assert.deepEqual(parsed('a/b;c="d;\\"e" ; f=g;'), ["a/b", { c: 'd;"e', f: "g" }]);
  assert.deepEqual(parsed("a/b ;"), ["a/b", {}]);
  for (const text of ["", "json", "a/b/c", "a /b", "a/b; c", 'a/b; c="d', "a/b, c/d", "a/b;c=d e"])
    assert.equal(parseMediaType(text), undefined, text);
});

test("a body is parsed by the media types that the document accepts", () => {
  const form = "application/x-www-form-urlencoded";
  assert.equal(bodyKind("application/json; charset=utf-8"), "json");
  assert.equal(bodyKind("application/json; charset=latin1"), undefined);
  assert.equal(bodyKind(form), undefined);
  assert.equal(bodyKind(form, [form, "application/json"]), "form");
  assert.equal(bodyKind("text/plain", ["text/plain"]), "raw");
  assert.equal(bodyKind("text/plain", ["application/json"]), undefined);
  assert.equal(bodyKind("application/vnd.api+json", ["application/vnd.api+json"]), "json");
});

test("a body without a media type has the document's first type, and is never JSON", () => {
  const form = "application/x-www-form-urlencoded";
  assert.equal(bodyKind(undefined), undefined);
  assert.equal(bodyKind(undefined, [form]), "form");
  assert.equal(bodyKind(undefined, [form, "application/json"]), undefined);
  assert.equal(bodyKind(undefined, ["text/plain", "application/*"]), undefined);
  assert.equal(bodyKind(undefined, ["*/*"]), undefined);
  assert.equal(bodyKind(undefined, ["text/*", "image/png"]), "raw");
});

test("a merge patch is accepted if the document names its media type", () => {
  const merge = "application/merge-patch+json";
  assert.equal(bodyKind(merge, ["application/json"]), undefined);
  assert.equal(bodyKind(merge, ["application/*"]), undefined);
  assert.equal(bodyKind(merge, ["application/json", merge]), "merge");
  assert.equal(bodyKind("application/json", [merge]), undefined);
});

test("a media range matches every type of its group", () => {
  assert.equal(bodyKind("text/plain", ["text/*"]), "raw");
  assert.equal(bodyKind("text/csv; charset=utf-8", ["image/png", "text/*"]), "raw");
  assert.equal(bodyKind("image/png", ["text/*"]), undefined);
  assert.equal(bodyKind("application/json", ["application/*"]), "json");
  assert.equal(bodyKind("application/x-www-form-urlencoded", ["*/*"]), "form");
  // A client states a type, never a range.
  assert.equal(bodyKind("text/*", ["text/*"]), undefined);
  assert.equal(bodyKind("*/*", ["*/*"]), undefined);
  assert.deepEqual(typesWithInputs(["application/*", "text/plain", "application/json"]), [
    "application/json",
    "application/x-www-form-urlencoded",
  ]);
});

test("the offered type with the highest quality is chosen", () => {
  const offered = ["application/json", "text/csv"];
  assert.equal(negotiate(undefined, offered), "application/json");
  assert.equal(negotiate("*/*", offered), "application/json");
  assert.equal(negotiate("text/csv, application/json;q=0.5", offered), "text/csv");
  assert.equal(negotiate("text/*;q=0.9, */*;q=0.1", offered), "text/csv");
  assert.equal(negotiate("application/json;q=0, */*", offered), "text/csv");
  assert.equal(negotiate("image/png", offered), undefined);
  assert.equal(negotiate("nonsense", offered), "application/json");
  assert.equal(
    negotiate("application/json", ["application/json; charset=utf-8"]),
    "application/json; charset=utf-8",
  );
});

test("cookie values are used verbatim, and the first of a repeated name counts", () => {
  const cookies = readCookies('a=1; b="x y"; a=2; =3; c; __proto__=p; d=e=f');
  assert.deepEqual(Object.entries(cookies), [
    ["a", "1"],
    ["b", "x y"],
    ["__proto__", "p"],
    ["d", "e=f"],
  ]);
  assert.deepEqual(Object.keys(readCookies(undefined)), []);
});
