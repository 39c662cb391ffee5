/**
 * `examples/twins/openid.md`, driven by `openid-client`, which is certified by the OpenID
 * Foundation.
 */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createRemoteJWKSet, jwtVerify } from "jose";
import * as openid from "openid-client";
import { serveTwin, type Twin } from "./serve-twin.ts";

const redirectUri = "https://shop.test/back";
const secret = "a-secret-of-the-api";

describe("openid-client can't distinguish the twin from a provider:", () => {
  let twin: Twin;
  let shop: openid.Configuration;
  let api: openid.Configuration;

  const discover = async (id: string, authentication: openid.ClientAuth) => {
    // The client compares its own clock with the provider's, whose time the test sets.
    const skew = Math.round((twin.clock.now() - Date.now()) / 1000);
    const found = await openid.discovery(
      new URL(twin.origin),
      id,
      { [openid.clockSkew]: skew },
      authentication,
      { execute: [openid.allowInsecureRequests] },
    );
    // The client verifies signatures of ID tokens with the key set.
    openid.enableNonRepudiationChecks(found);
    return found;
  };

  /** Signs in as a browser does: the page, its form, and the redirect back to the client. */
  const signIn = async (url: URL, email: string) => {
    const page = await (await fetch(url)).text();
    const action = /action="([^"]*)"/
      .exec(page)?.[1]
      ?.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(code));
    const answer = await fetch(action as string, {
      method: "POST",
      body: new URLSearchParams({ email }),
      redirect: "manual",
    });
    return { status: answer.status, location: answer.headers.get("Location") };
  };

  const begin = async (scope = "openid profile email") => {
    const pkceCodeVerifier = openid.randomPKCECodeVerifier();
    const expectedNonce = openid.randomNonce();
    const expectedState = openid.randomState();
    const url = openid.buildAuthorizationUrl(shop, {
      redirect_uri: redirectUri,
      scope,
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: "S256",
      nonce: expectedNonce,
      state: expectedState,
    });
    return { url, checks: { pkceCodeVerifier, expectedNonce, expectedState, idTokenExpected: true } };
  };

  const tokensOf = async (email: string) => {
    const { url, checks } = await begin();
    const { location } = await signIn(url, email);
    return openid.authorizationCodeGrant(shop, new URL(location as string), checks);
  };

  const refused = (code: string) => (error: unknown) => {
    assert.ok(error instanceof openid.ResponseBodyError, String(error));
    assert.equal(error.error, code);
    return true;
  };

  before(async () => {
    twin = await serveTwin("openid", [
      `Client with client_id = "shop", redirect_uris = ["${redirectUri}"]`,
      `Client with client_id = "api", secret = "${secret}", redirect_uris = []`,
      `User with sub = "u1", email = "ada@example.com", name = "Ada"`,
      `Key with kid = "first"`,
    ]);
    shop = await discover("shop", openid.None());
    api = await discover("api", openid.ClientSecretPost(secret));
  });
  after(() => twin?.close());

  test("a user signs in with a code and PKCE, and the ID token identifies the user", async () => {
    const tokens = await tokensOf("ada@example.com");
    const claims = tokens.claims();
    assert.deepEqual(
      [claims?.iss, claims?.sub, claims?.aud, claims?.["name"]],
      [twin.origin, "u1", "shop", "Ada"],
    );
    assert.deepEqual([tokens.token_type, tokens.expires_in], ["bearer", 3600]);
    assert.deepEqual(await openid.fetchUserInfo(shop, tokens.access_token, "u1"), {
      sub: "u1",
      name: "Ada",
      email: "ada@example.com",
    });
  });

  test("a code is valid once, for its verifier, and for ten minutes", async () => {
    const { url, checks } = await begin();
    const back = new URL((await signIn(url, "ada@example.com")).location as string);
    const other = { ...checks, pkceCodeVerifier: openid.randomPKCECodeVerifier() };
    await assert.rejects(openid.authorizationCodeGrant(shop, back, other), refused("invalid_grant"));
    await openid.authorizationCodeGrant(shop, back, checks);
    await assert.rejects(openid.authorizationCodeGrant(shop, back, checks), refused("invalid_grant"));
    const late = await begin();
    const lateBack = new URL((await signIn(late.url, "ada@example.com")).location as string);
    await twin.pass(601_000);
    await assert.rejects(
      openid.authorizationCodeGrant(shop, lateBack, late.checks),
      refused("invalid_grant"),
    );
  });

  test("unknown users and foreign redirect addresses are rejected", async () => {
    const { url } = await begin();
    assert.deepEqual(await signIn(url, "eve@example.com"), { status: 400, location: null });
    url.searchParams.set("redirect_uri", "https://eve.test/");
    assert.equal((await fetch(url)).status, 401);
  });

  test("a refresh token rotates, and its reuse revokes the whole grant", async () => {
    const first = await tokensOf("ada@example.com");
    const second = await openid.refreshTokenGrant(shop, first.refresh_token as string);
    assert.notEqual(second.refresh_token, first.refresh_token);
    const isActive = async (token: string | undefined) =>
      (await openid.tokenIntrospection(api, token as string)).active;
    assert.equal(await isActive(first.access_token), false);
    assert.equal(await isActive(second.access_token), true);
    await assert.rejects(
      openid.refreshTokenGrant(shop, first.refresh_token as string),
      refused("invalid_grant"),
    );
    assert.equal(await isActive(second.access_token), false);
    assert.equal(await isActive(second.refresh_token), false);
    await assert.rejects(
      openid.refreshTokenGrant(shop, second.refresh_token as string),
      refused("invalid_grant"),
    );
  });

  test("introspection describes a token, only for clients with a secret", async () => {
    const { access_token: token } = await tokensOf("ada@example.com");
    assert.deepEqual(await openid.tokenIntrospection(api, token), {
      active: true,
      scope: "openid profile email",
      client_id: "shop",
      sub: "u1",
      token_type: "Bearer",
      iss: twin.origin,
    });
    await assert.rejects(openid.tokenIntrospection(shop, token), refused("invalid_client"));
    const wrong = await discover("api", openid.ClientSecretPost("wrong"));
    await assert.rejects(openid.tokenIntrospection(wrong, token), refused("invalid_client"));
    assert.deepEqual(await openid.tokenIntrospection(api, "unknown"), { active: false });
  });

  test("a revoked token, and one that is an hour old, are rejected", async () => {
    const tokens = await tokensOf("ada@example.com");
    await openid.tokenRevocation(shop, tokens.access_token);
    assert.equal((await openid.tokenIntrospection(api, tokens.access_token)).active, false);
    const { access_token: old } = await tokensOf("ada@example.com");
    await twin.pass(3_601_000);
    assert.equal((await openid.tokenIntrospection(api, old)).active, false);
    await assert.rejects(openid.fetchUserInfo(shop, old, "u1"));
    shop = await discover("shop", openid.None());
    api = await discover("api", openid.ClientSecretPost(secret));
  });

  test("a device waits until its user has decided elsewhere", async () => {
    const deviceGrant = "urn:ietf:params:oauth:grant-type:device_code";
    const decide = (code: string, agreed: string) =>
      fetch(`${twin.origin}/activate`, {
        method: "POST",
        body: new URLSearchParams({ user_code: code, email: "ada@example.com", agreed }),
      });
    const device = await openid.initiateDeviceAuthorization(shop, { scope: "openid" });
    const { device_code } = device;
    await assert.rejects(
      openid.genericGrantRequest(shop, deviceGrant, { device_code }),
      refused("authorization_pending"),
    );
    assert.equal((await decide(device.user_code, "true")).status, 204);
    const tokens = await openid.pollDeviceAuthorizationGrant(shop, device);
    assert.equal(tokens.claims()?.sub, "u1");
    await assert.rejects(
      openid.genericGrantRequest(shop, deviceGrant, { device_code }),
      refused("invalid_grant"),
    );
    const denied = await openid.initiateDeviceAuthorization(shop, { scope: "openid" });
    assert.equal((await decide(denied.user_code, "false")).status, 204);
    await assert.rejects(
      openid.genericGrantRequest(shop, deviceGrant, { device_code: denied.device_code }),
      refused("access_denied"),
    );
    const late = await openid.initiateDeviceAuthorization(shop, { scope: "openid" });
    await twin.pass(601_000);
    await assert.rejects(
      openid.genericGrantRequest(shop, deviceGrant, { device_code: late.device_code }),
      refused("expired_token"),
    );
    shop = await discover("shop", openid.None());
    api = await discover("api", openid.ClientSecretPost(secret));
  });

  test("a new key signs from then on, and tokens of the former key are still verified", async () => {
    const before = await tokensOf("ada@example.com");
    const made = await fetch(`${twin.origin}/keys`, {
      method: "POST",
      body: new URLSearchParams({ kid: "second" }),
    });
    assert.deepEqual([made.status, Object.keys((await made.json()) as object)], [201, ["kid", "made_at"]]);
    shop = await discover("shop", openid.None());
    const later = await tokensOf("ada@example.com");
    const keys = createRemoteJWKSet(new URL(`${twin.origin}/keys`));
    const verified = ({ id_token: token = "" }) =>
      jwtVerify(token, keys, {
        issuer: twin.origin,
        audience: "shop",
        currentDate: new Date(twin.clock.now()),
      });
    assert.equal((await verified(before)).protectedHeader.kid, "first");
    assert.equal((await verified(later)).protectedHeader.kid, "second");
  });
});
