/** HMAC with a fixed key. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { test } from "node:test";
import { createKeyedHash } from "./keyed-hash.ts";

test("the keyed hash equals HMAC-SHA-256 for all lengths", () => {
  for (const bytes of [1, 32, 64, 65, 200]) {
    const key = randomBytes(bytes);
    const keyed = createKeyedHash(key);
    for (const text of ["", "sk_ada", "ü🦊", "x".repeat(1000)]) {
      assert.equal(keyed(text), createHmac("sha256", key).update(text).digest("base64url"));
    }
  }
});
