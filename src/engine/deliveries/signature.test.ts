/** Webhook signatures of Standard Webhooks: unit tests. */
import assert from "node:assert/strict";
import { createPublicKey, generateKeyPairSync, verify } from "node:crypto";
import { test } from "node:test";
import { Webhook } from "standardwebhooks";
import { standardSignature } from "./signature.ts";

const id = "msg_1";
const seconds = 1_800_000_000;
const body = '{"a":"ä"}';
const key = Buffer.from("a key of some length, as they are");
const secret = `whsec_${key.toString("base64")}`;

test("a library of Standard Webhooks accepts the signatures, with prefixed and with plain secrets", (t) => {
  // The library compares the signature's time with its own clock.
  t.mock.timers.enable({ apis: ["Date"], now: seconds * 1000 });
  for (const text of [secret, key.toString()]) {
    const signature = standardSignature([text], id, seconds, body) ?? "";
    const headers = {
      "webhook-id": id,
      "webhook-timestamp": String(seconds),
      "webhook-signature": signature,
    };
    assert.deepEqual(new Webhook(secret).verify(body, headers), { a: "ä" });
    assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
  }
});

test("several secrets give several signatures, so that either is valid during a rotation", () => {
  const both = standardSignature([secret, "other"], id, seconds, body)?.split(" ") ?? [];
  assert.deepEqual(both, [
    standardSignature([secret], id, seconds, body),
    standardSignature(["other"], id, seconds, body),
  ]);
});

test("a private key signs what its public key verifies", () => {
  const { privateKey } = generateKeyPairSync("ed25519");
  const seed = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  const signature = standardSignature([`whsk_${seed.toString("base64")}`], id, seconds, body) ?? "";
  assert.match(signature, /^v1a,/);
  const signed = Buffer.from(`${id}.${seconds}.${body}`);
  assert.ok(verify(null, signed, createPublicKey(privateKey), Buffer.from(signature.slice(4), "base64")));
});

test("without secrets, or if one of them can't sign, there is no signature", () => {
  for (const bad of ["whsec_", "", `whsk_${Buffer.alloc(31).toString("base64")}`])
    assert.equal(standardSignature([secret, bad], id, seconds, body), undefined);
  assert.equal(standardSignature([], id, seconds, body), undefined);
});
