/** Signed tokens (part 5): unit tests. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { base64url, type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";
import type { Model, Scheme } from "../../model/model.ts";
import { type Outbound, type OutboundResponse, OutboundFailed } from "../outbound/outbound.ts";
import { Problem } from "../problem.ts";
import { Tokens, type TokenOptions } from "./tokens.ts";

const startMs = Date.parse("2026-11-20T12:00:00Z");
const seconds = startMs / 1000;
const position = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 2, offset: 1 } };
const secret = new TextEncoder().encode(
  "a secret that is long enough for all digests that there are, or nearly",
);
const url = "https://keys.example.test/jwks";

function schemeOf(algorithm: string, more: Partial<Scheme> = {}): Scheme {
  const signedWith = algorithm.startsWith("HS")
    ? { algorithm, secretEnv: "JWT_SECRET", position }
    : { algorithm, keysAt: url, position };
  const credentials = { resource: "User", by: ["id"], fromClaim: "sub", position };
  return { name: "token", position, credentials, signedWith, ...more };
}

/** Tokens with a movable clock and one address that serves keys. */
function world(scheme: Scheme) {
  const state = { nowMs: startMs, keys: [] as object[], down: false, fetches: 0, warnings: [] as string[] };
  const outbound: Outbound = {
    async request(request): Promise<OutboundResponse> {
      state.fetches += 1;
      assert.deepEqual([request.url, request.timeoutMs, request.bytesMax], [url, 5000, 65_536]);
      if (state.down) throw new OutboundFailed("connection refused", false);
      return {
        status: 200,
        headers: {},
        body: new TextEncoder().encode(JSON.stringify({ keys: state.keys })),
      };
    },
  };
  const tokens = new Tokens({ authentication: { schemes: [scheme] }, ledger: [] } as unknown as Model, {
    secret: () => secret,
    now: () => state.nowMs,
    outbound,
    warn: (message) => state.warnings.push(message),
  });
  const subject = async (text: string) => (await tokens.verify(scheme, text))?.["sub"] ?? null;
  return { state, tokens, subject };
}

async function signer(algorithm: string, kid: string | undefined) {
  const { privateKey, publicKey } = await generateKeyPair(algorithm, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), use: "sig", ...(kid === undefined ? {} : { kid }) };
  const sign = (claims: JWTPayload = {}, header: object = {}, key: CryptoKey | Uint8Array = privateKey) =>
    new SignJWT({ sub: "u1", exp: seconds + 60, ...claims })
      .setProtectedHeader({ alg: algorithm, ...(kid === undefined ? {} : { kid }), ...header })
      .sign(key);
  return { jwk, sign, publicKey };
}

describe("tokens signed with a secret", () => {
  for (const algorithm of ["HS256", "HS384", "HS512"]) {
    test(`${algorithm}: a token of token(record) is valid until it expires`, async () => {
      const scheme = schemeOf(algorithm, { lifetimeMs: 60_000, issuer: "us", audience: "them" });
      const { state, tokens, subject } = world(scheme);
      const text = tokens.sign("User", { id: "u1", "#row": 1 });
      const claims = await tokens.verify(scheme, text);
      const expected = { sub: "u1", iat: seconds, exp: seconds + 60, iss: "us", aud: "them" };
      assert.deepEqual({ ...claims }, expected);
      state.nowMs += 59_000;
      assert.equal(await subject(text), "u1");
      state.nowMs += 1000;
      assert.equal(await subject(text), null);
    });
  }

  test("every other token is invalid", async () => {
    const scheme = schemeOf("HS256", { issuer: "us", audience: "them" });
    const { subject } = world(scheme);
    const good: JWTPayload = { sub: "u1", iss: "us", aud: ["them", "others"], exp: seconds + 60 };
    const sign = (claims: JWTPayload, header: object = {}, key = secret) =>
      new SignJWT(claims).setProtectedHeader({ alg: "HS256", ...header }).sign(key);
    assert.equal(await subject(await sign(good)), "u1");
    const unsigned = `${base64url.encode('{"alg":"none"}')}.${base64url.encode(JSON.stringify(good))}.`;
    const bad = {
      "another algorithm": await sign(good, { alg: "HS512" }),
      "no algorithm": unsigned,
      "another secret": await sign(
        good,
        {},
        new TextEncoder().encode("another secret, as long as the first one"),
      ),
      expired: await sign({ ...good, exp: seconds - 60 }),
      "no expiry": await sign({ sub: "u1", iss: "us", aud: "them" }),
      "not yet valid": await sign({ ...good, nbf: seconds + 120 }),
      "another issuer": await sign({ ...good, iss: "them" }),
      "another audience": await sign({ ...good, aud: "us" }),
      "no audience": await sign({ sub: "u1", iss: "us", exp: seconds + 60 }),
      "an unknown crit": await new SignJWT(good)
        .setProtectedHeader({ alg: "HS256", crit: ["x"], x: 1 })
        .sign(secret, { crit: { x: true } }),
      "too long": await sign({ ...good, text: "x".repeat(9000) }),
      "a changed claim": (await sign(good))
        .replace(/\..*\./, `.${base64url.encode(JSON.stringify(good))}.`)
        .replace(/.$/, "_"),
      "no token": "Bearer",
    };
    for (const [what, text] of Object.entries(bad)) assert.equal(await subject(text), null, what);
  });

  test("the clock of another issuer may differ by a minute, the service's own may not", async () => {
    const scheme = schemeOf("HS256");
    const { tokens, state, subject } = world(scheme);
    const sign = (claims: JWTPayload) =>
      new SignJWT({ sub: "u1", exp: seconds + 600, ...claims })
        .setProtectedHeader({ alg: "HS256" })
        .sign(secret);
    for (const [claims, isGood] of [
      [{ exp: seconds - 59 }, true],
      [{ exp: seconds - 60 }, false],
      [{ nbf: seconds + 60 }, true],
      [{ nbf: seconds + 61 }, false],
      [{ iat: seconds + 60 }, true],
      [{ iat: seconds + 61 }, false],
    ] as const)
      assert.equal(await subject(await sign(claims)), isGood ? "u1" : null, JSON.stringify(claims));
    const own = tokens.sign("User", { id: "u1", "#row": 1 });
    state.nowMs += 86_399_000;
    assert.equal(await subject(own), "u1");
    state.nowMs += 1000;
    assert.equal(await subject(own), null);
  });

  test("a token is valid for at most its lifetime, or without one for ten years", async () => {
    const sign = (claims: JWTPayload) =>
      new SignJWT({ sub: "u1", ...claims }).setProtectedHeader({ alg: "HS256" }).sign(secret);
    const tenYears = 10 * 366 * 86_400;
    const stated = world(schemeOf("HS256", { lifetimeMs: 3_600_000 }));
    const silent = world(schemeOf("HS256"));
    for (const [of, claims, isGood] of [
      [stated, { exp: seconds + 3660 }, true],
      [stated, { exp: seconds + 3661 }, false],
      [stated, { iat: seconds - 60, exp: seconds + 3600 }, true],
      [stated, { iat: seconds - 61, exp: seconds + 3600 }, false],
      [silent, { exp: seconds + tenYears }, true],
      [silent, { exp: seconds + tenYears + 1 }, false],
      [silent, { exp: 1e300 }, false],
    ] as const)
      assert.equal(await of.subject(await sign(claims)), isGood ? "u1" : null, JSON.stringify(claims));
  });

  test("a token is valid only in its canonical form", async () => {
    const { tokens, subject } = world(schemeOf("HS256"));
    const own = tokens.sign("User", { id: "u1", "#row": 1 });
    assert.equal(await subject(own), "u1");
    const [header = "", payload = "", signature = ""] = own.split(".");
    // The last character of 32 bytes has two unused bits.
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const last = alphabet.indexOf(signature.at(-1) ?? "");
    for (const more of [1, 2, 3])
      assert.equal(
        await subject(`${header}.${payload}.${signature.slice(0, -1)}${alphabet[last + more]}`),
        null,
      );
    for (const text of [`${own}=`, `${own}\n`, `${header}=.${payload}.${signature}`, `${header}.${payload}`])
      assert.equal(await subject(text), null, JSON.stringify(text));
  });
});

describe("the purpose of a token", () => {
  const user = schemeOf("HS256", { name: "user token" });
  const admin = schemeOf("HS256", {
    name: "admin token",
    credentials: { resource: "Admin", by: ["id"], fromClaim: "sub", position },
  });
  const tokensOf = (schemes: readonly Scheme[], more: Partial<TokenOptions> = {}) =>
    new Tokens({ authentication: { schemes }, ledger: [] } as unknown as Model, {
      secret: () => secret,
      now: () => startMs,
      outbound: {} as Outbound,
      ...more,
    });
  const older = new SignJWT({ sub: "1", exp: seconds + 60 })
    .setProtectedHeader({ alg: "HS256", typ: "JWT" })
    .sign(secret);

  test("a scheme accepts only its own tokens, whatever the names of the secrets", async () => {
    const elsewhere = { ...admin, signedWith: { algorithm: "HS256", secretEnv: "OTHER", position } };
    for (const other of [admin, elsewhere]) {
      const tokens = tokensOf([user, other]);
      const mine = tokens.sign("User", { id: 1, "#row": 1 });
      assert.equal((await tokens.verify(user, mine))?.["sub"], "1");
      assert.equal(await tokens.verify(other, mine), null);
      assert.equal(await tokens.verify(user, tokens.sign("Admin", { id: 1, "#row": 1 })), null);
    }
  });

  test("a token without a purpose is valid if it can belong to only one scheme", async () => {
    const text = await older;
    assert.equal((await tokensOf([user]).verify(user, text))?.["sub"], "1");
    assert.equal(await tokensOf([user, admin]).verify(user, text), null);
    const claims = { ...admin, audience: "admins" };
    assert.equal((await tokensOf([user, claims]).verify(user, text))?.["sub"], undefined);
    const both = tokensOf([{ ...user, audience: "users" }, claims]);
    const meant = await new SignJWT({ sub: "1", aud: "admins", exp: seconds + 60 })
      .setProtectedHeader({ alg: "HS256" })
      .sign(secret);
    assert.equal((await both.verify(claims, meant))?.["sub"], "1");
  });

  test("a scheme rejects its earlier tokens after its field or resource changed", async () => {
    const former = tokensOf([user]).sign("User", { id: 1, "#row": 1 });
    const now = { ...admin, name: "user token" };
    assert.equal(await tokensOf([now]).verify(now, former), null);
  });

  test("a token of a data space is invalid in other data spaces and outside of the sandbox", async () => {
    const text = tokensOf([user], { space: "one" }).sign("User", { id: 1, "#row": 1 });
    assert.equal((await tokensOf([user], { space: "one" }).verify(user, text))?.["sub"], "1");
    assert.equal(await tokensOf([user], { space: "two" }).verify(user, text), null);
    assert.equal(await tokensOf([user]).verify(user, text), null);
  });
});

describe("tokens signed with keys of a key set", () => {
  for (const algorithm of ["RS256", "PS256", "ES256", "EdDSA"]) {
    test(`${algorithm}: valid tokens are accepted, with one request for the keys`, async () => {
      const { state, subject } = world(schemeOf(algorithm));
      const { jwk, sign, publicKey } = await signer(algorithm, "k1");
      state.keys = [jwk];
      const text = await sign();
      assert.deepEqual([await subject(text), await subject(text), state.fetches], ["u1", "u1", 1]);
      // The known attack that uses the public key as a shared secret.
      const asSecret = new TextEncoder().encode(JSON.stringify(await exportJWK(publicKey)));
      assert.equal(await subject(await sign({}, { alg: "HS256" }, asSecret)), null);
      const other = await signer(algorithm, "k1");
      assert.equal(await subject(await other.sign()), null);
    });
  }

  test("clocks may differ by a minute", async () => {
    const { state, subject } = world(schemeOf("ES256"));
    const { jwk, sign } = await signer("ES256", "k1");
    state.keys = [jwk];
    assert.equal(await subject(await sign({ exp: seconds - 50 })), "u1");
    assert.equal(await subject(await sign({ exp: seconds - 70 })), null);
    assert.equal(await subject(await sign({ nbf: seconds + 50 })), "u1");
    assert.equal(await subject(await sign({ nbf: seconds + 70 })), null);
  });

  test("keys are rotated: a token with an unknown key makes at most one request in 30 seconds", async () => {
    const { state, subject } = world(schemeOf("ES256"));
    const [old, young] = [await signer("ES256", "k1"), await signer("ES256", "k2")];
    state.keys = [old.jwk];
    assert.equal(await subject(await old.sign()), "u1");
    state.keys = [old.jwk, young.jwk];
    assert.deepEqual([await subject(await young.sign()), state.fetches], [null, 1]);
    state.nowMs += 30_000;
    assert.deepEqual([await subject(await young.sign()), state.fetches], ["u1", 2]);
    state.keys = [young.jwk];
    state.nowMs += 600_000;
    const late = { exp: seconds + 7200 };
    assert.equal(await subject(await young.sign(late)), "u1");
    assert.deepEqual([await subject(await old.sign(late)), state.fetches], [null, 3]);
  });

  test("many tokens with unknown keys at once share one request", async () => {
    const { state, subject } = world(schemeOf("ES256"));
    const [old, young] = [await signer("ES256", "k1"), await signer("ES256", "k2")];
    state.keys = [old.jwk];
    await subject(await old.sign());
    state.nowMs += 30_000;
    state.keys = [young.jwk];
    const text = await young.sign();
    const found = await Promise.all(Array.from({ length: 20 }, () => subject(text)));
    assert.deepEqual([new Set(found), state.fetches], [new Set(["u1"]), 2]);
  });

  test("keys are used for an hour if they can't be fetched again; then no token can be verified", async () => {
    const { state, subject } = world(schemeOf("ES256"));
    const { jwk, sign } = await signer("ES256", "k1");
    state.keys = [jwk];
    const text = await sign({ exp: seconds + 100_000 });
    assert.equal(await subject(text), "u1");
    state.down = true;
    state.nowMs += 3_600_000;
    assert.equal(await subject(text), "u1");
    assert.match(state.warnings.join(), /connection refused/);
    state.nowMs += 1;
    await assert.rejects(
      subject(text),
      (error) => error instanceof Problem && error.details[0].condition === "unavailable",
    );
    state.down = false;
    state.nowMs += 30_000;
    assert.equal(await subject(text), "u1");
  });

  test("a token without a key id is verified with each matching key, except secrets and keys for other uses", async () => {
    const { state, subject } = world(schemeOf("ES256"));
    const [firstSigner, secondSigner] = [await signer("ES256", undefined), await signer("ES256", undefined)];
    state.keys = [firstSigner.jwk, secondSigner.jwk, { kty: "oct", k: base64url.encode(secret) }];
    assert.equal(await subject(await secondSigner.sign()), "u1");
    const third = await signer("ES256", undefined);
    assert.equal(await subject(await third.sign()), null);
    state.keys = [{ ...firstSigner.jwk, use: "enc" }];
    state.nowMs += 600_000;
    assert.equal(await subject(await firstSigner.sign({ exp: seconds + 10_000 })), null);
  });
});
