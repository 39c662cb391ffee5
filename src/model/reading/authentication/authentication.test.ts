/** Part 5, authentication: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compileLibrary, libraryModel } from "../../../../test/documents/library.ts";

const record = (resource: string) => ({ kind: "record", resource });

test("a key leads to the account that is calling", () => {
  const { authentication } = libraryModel();
  assert.equal(authentication.none, false);
  assert.equal(authentication.gap, undefined);
  assert.deepEqual(authentication.caller, record("Account"));
  const [scheme] = authentication.schemes;
  assert.equal(scheme?.name, "key");
  assert.deepEqual(scheme?.credentials?.by, ["secret"]);
  assert.equal(scheme?.credentials?.for, "account");
});

test("`Caller` states the caller if it isn't the found record", () => {
  const { authentication } = libraryModel({
    authentication:
      '### Scheme: key\n\n- Caller: `this.account`\n- Placement: query key\n- Credentials: Key by secret\n- Realm: "the library"',
  });
  assert.deepEqual(authentication.caller, record("Account"));
  assert.equal(authentication.schemes[0]?.caller?.text, "this.account");
  assert.equal(authentication.schemes[0]?.realm, "the library");
});

test("basic authentication takes two fields, a signature an expression over the request", () => {
  const { authentication } = libraryModel({
    authentication: `### Scheme: basic

- Placement: basic user and password
- Credentials: Account by sid and auth_token

### Scheme: signed

- Placement: header X-Key
- Credentials: Key by secret, for account
- Signature: header X-Signature, \`hex(hmac("sha256", credential.signing, request.body))\``,
  });
  const [basic, signed] = authentication.schemes;
  assert.deepEqual(basic?.credentials?.by, ["sid", "auth_token"]);
  assert.equal(signed?.signature?.header, "X-Signature");
  assert.deepEqual(authentication.caller, record("Account"));
});

test("tokens have an algorithm, a key, an issuer, an audience and a lifetime", () => {
  const { authentication } = libraryModel({
    authentication: `### Scheme: token

- Placement: header Authorization, after Bearer
- Credentials: Account by sid, from claim sub
- Signed with: RS256, keys at <https://id.example/keys>
- Issuer: https://id.example
- Audience: library
- Lifetime: 30 days`,
  });
  const [
    {
      position: _where,
      placement: _placement,
      signedAt: _at,
      credentials,
      signedWith,
      ...rest
    } = assert.fail(),
  ] = authentication.schemes;
  assert.equal(credentials?.fromClaim, "sub");
  assert.equal(signedWith && "keysAt" in signedWith && signedWith.keysAt, "https://id.example/keys");
  assert.deepEqual(rest, {
    name: "token",
    callerType: record("Account"),
    issuer: "https://id.example",
    audience: "library",
    lifetimeMs: 2_592_000_000,
  });
});

test("`Scheme: none` answers all three items", () => {
  const { model } = compileLibrary({ authentication: "- Scheme: none" });
  assert.equal(model?.authentication.none, true);
  assert.deepEqual(model?.authentication.caller, { kind: "null" });
  const answers = model?.ledger
    .filter((entry) => entry.part === "authentication")
    .map((entry) => entry.answer);
  assert.deepEqual(answers, ["none", "none", "none"]);
});

test("a part without stated callers is a gap, and `caller` may be anything", () => {
  for (const authentication of [
    "Authentication scheme, credentials and placement: not shown.",
    "Nothing is known.",
  ]) {
    const { model, diagnostics } = compileLibrary({ authentication });
    assert.equal(model?.authentication.gap?.item, "scheme");
    assert.deepEqual(model?.authentication.caller, { kind: "any" });
    assert.deepEqual(
      diagnostics.filter(({ kind, severity }) => kind === "mistake" && severity === "error"),
      [],
    );
  }
});

test("each scheme states its `caller`; the part as a whole only if all have the same", () => {
  const { model, diagnostics } = compileLibrary({
    endpoints: '### GET /me\n\n- Scheme: key\n- Does: answer\n- Returns: 200 `{"known": caller != null}`',
    authentication:
      "### Scheme: key\n\n- Placement: query key\n- Credentials: Key by secret\n\n### Scheme: account\n\n- Placement: query account\n- Credentials: Key by secret\n- Caller: `this.account`",
  });
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  assert.deepEqual(model?.authentication.caller, { kind: "any" });
  assert.deepEqual(
    model?.authentication.schemes.map((scheme) => scheme.callerType),
    [record("Key"), record("Account")],
  );
});
