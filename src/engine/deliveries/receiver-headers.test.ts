/** Webhook headers from records (`- Headers:`): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Value } from "../../expressions/value.ts";
import { addGivenHeaders } from "./receiver-headers.ts";
import { senderLimits } from "./limits.ts";

function given(headers: Value, own: Record<string, string> = {}) {
  const all = { ...own };
  const why = addGivenHeaders(all, headers);
  return { all, why };
}

test("a map's headers are added to the others, except null values", () => {
  const { all, why } = given({ "X-Token": "a", "x-count": 7, "x-none": null }, { accept: "b" });
  assert.deepEqual([all, why], [{ accept: "b", "X-Token": "a", "x-count": "7" }, undefined]);
  assert.deepEqual(given(null, { accept: "b" }), { all: { accept: "b" }, why: undefined });
});

test("a value that is not a map adds no headers, and the reason is reported", () => {
  for (const value of ["text", 7, ["x-token"]]) assert.equal(given(value).why, "its headers are not a map");
});

test("a map may add the maximum number of headers, and no more", () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, "a"]));
  const { givenHeadersMax: most } = senderLimits;
  assert.equal(given(many(most)).why, undefined);
  assert.equal(Object.keys(given(many(most)).all).length, most);
  assert.match(
    given(many(most + 1)).why ?? "",
    new RegExp(`^it has ${most + 1} additional headers; the limit is ${most}`),
  );
});

test("a map can't set headers of the connection, the body or the signature, in any case", () => {
  for (const name of [
    "Host",
    "content-type",
    "Content-Length",
    "Connection",
    "proxy-anything",
    "Webhook-Signature",
  ])
    assert.match(given({ [name]: "a" }).why ?? "", /is reserved for the delivery itself$/);
  assert.equal(given({ "x-host": "a", "webhook-id-of-mine": "b" }).why, undefined);
});

test("a header is sent once, whatever its source and case", () => {
  assert.match(given({ "x-token": "a" }, { "X-Token": "b" }).why ?? "", /would be sent twice$/);
  assert.match(given({ "x-token": "a", "X-TOKEN": "b" }).why ?? "", /"X-TOKEN" would be sent twice$/);
  // A null value counts as absent.
  assert.deepEqual(given({ "x-token": null, "X-TOKEN": "b" }).all, { "X-TOKEN": "b" });
});

test("invalid header names and values are rejected, and no message contains a value", () => {
  assert.match(given({ "x token": "a" }).why ?? "", /"x token" can't be the name of a header$/);
  assert.match(given({ "": "a" }).why ?? "", /can't be the name of a header$/);
  for (const value of ["secret\r\nx: y", "secret\u0000", "secretś"]) {
    const { why = "" } = given({ "x-token": value });
    assert.match(why, /characters that headers can't contain$/);
    assert.ok(!why.includes("secret"));
  }
  assert.deepEqual(given({ "x-token": "tab\tand é" }).all, { "x-token": "tab\tand é" });
});
