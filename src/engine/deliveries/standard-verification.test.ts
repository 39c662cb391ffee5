/** Webhook signatures, verified as a standard verifier does. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { standardSignature } from "./signature.ts";
import { isSigned } from "./standard-verification.ts";

const secret = "whsec_c2VjcmV0LW9mLXRoaXMtdGVzdC1hbG9uZQ==";
const sentSeconds = 1_795_176_000;
const headers: Readonly<Record<string, string>> = {
  "webhook-id": "dlv_1",
  "webhook-timestamp": String(sentSeconds),
  "webhook-signature": `v1,b3RoZXI= ${standardSignature([secret], "dlv_1", sentSeconds, "{}")}`,
};
const judged = (changed: Readonly<Record<string, string | null>> = {}, afterSeconds = 0, text = "{}") =>
  isSigned(
    secret,
    (name) => (name in changed ? (changed[name] ?? null) : (headers[name] ?? null)),
    text,
    (sentSeconds + afterSeconds) * 1000,
  );

test("a signature is valid for five minutes before and after its time", () => {
  for (const [seconds, expected] of [
    [-301, false],
    [-300, true],
    [0, true],
    [300, true],
    [301, false],
  ] as const)
    assert.equal(judged({}, seconds), expected, String(seconds));
});

test("each signed part must be present and unchanged", () => {
  assert.equal(judged({}, 0, "{} "), false);
  for (const name of Object.keys(headers)) {
    assert.equal(judged({ [name]: null }), false, name);
    assert.equal(judged({ [name]: "" }), false, name);
    assert.equal(judged({ [name]: "1" }), false, name);
  }
  // The received text must equal the signed text, not only its number.
  assert.equal(judged({ "webhook-timestamp": `${sentSeconds}.0` }), false);
  assert.equal(judged({ "webhook-timestamp": ` ${sentSeconds}` }), false);
});
