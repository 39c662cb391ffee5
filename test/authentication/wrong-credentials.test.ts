/**
 * Wrong credentials of every kind, for every placement and scheme of part 5: the status, the
 * challenge and the body (RFC 6750, 7617, 8725). Without a credential the status is 401 with a bare
 * challenge. A wrong credential gives 401, with `invalid_token` if the scheme is Bearer. A
 * malformed credential, or two at once, gives 400.
 */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { SignJWT } from "jose";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { smallDocument } from "../contracts/serve-document.ts";
import { silentTerminal } from "../terminal.ts";

const secret = "a secret of this test that is long enough";
const startMs = Date.parse("2026-11-20T12:00:00Z");
const realm = 'realm="Notes"';

const schemes = {
  bearer: { placement: "header Authorization, after Bearer or token", credentials: "Key by key, for user" },
  header: { placement: "header X-Api-Key", credentials: "Key by key, for user" },
  query: { placement: "query key", credentials: "Key by key, for user" },
  cookie: { placement: "cookie session", credentials: "Key by key, for user" },
  basic: { placement: "basic user", credentials: "Key by key, for user" },
  both: { placement: "basic user and password", credentials: "User by name and password" },
  jwt: {
    placement: "header Authorization, after Bearer",
    credentials: "User by name, from claim sub",
    more: ["Signed with: HS256, secret env TEST_SECRET", "Issuer: us", "Audience: notes"],
  },
  signed: {
    placement: "header X-Client",
    credentials: "Key by key, for user",
    more: ['Signature: header X-Signature, `hex(hmac("sha256", "k", request.body))`'],
  },
} as const;

type SchemeName = keyof typeof schemes;

const parts = {
  resources: `### User

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| password | password | |

### Key

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| key | credential | required |
| user | User | required |`,
  endpoints: Object.keys(schemes)
    .flatMap((name) => [endpoint(name, name), endpoint(`open-${name}`, name, "- Allowed: anyone\n")])
    .concat(endpoint("two", "bearer, header, query, cookie"))
    .join("\n\n"),
  authentication: Object.entries(schemes)
    .map(([name, scheme]) =>
      [
        `### Scheme: ${name}\n`,
        `- Placement: ${scheme.placement}`,
        `- Credentials: ${scheme.credentials}`,
        ...("more" in scheme ? scheme.more : []).map((item) => `- ${item}`),
      ].join("\n"),
    )
    .join("\n\n"),
  errors: `- Payload shape:

\`\`\`cel
{"code": error.code}
\`\`\`

| Code | Status | When |
|---|---|---|
| nobody | 401 | unauthenticated |
| bad | 401 | bad credential |
| malformed | 400 | malformed request |`,
};

function endpoint(path: string, scheme: string, more = ""): string {
  return `### GET /${path}\n\n- Does: answer\n- Scheme: ${scheme}\n${more}- Returns: 200 \`{"name": caller.name}\``;
}

const challenges: Readonly<Record<SchemeName, string>> = {
  bearer: `Bearer ${realm}`,
  header: `ApiKey ${realm}`,
  query: `ApiKey ${realm}`,
  cookie: `ApiKey ${realm}`,
  basic: `Basic ${realm}, charset="UTF-8"`,
  both: `Basic ${realm}, charset="UTF-8"`,
  jwt: `Bearer ${realm}`,
  signed: `ApiKey ${realm}`,
};

const base64 = (text: string) => Buffer.from(text).toString("base64");
const json64 = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

interface Carried {
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: string;
}

/** Returns the parts of a request with a credential in the scheme's placement. */
function placed(name: SchemeName, text: string): Carried {
  switch (name) {
    case "bearer":
    case "jwt":
      return { headers: { Authorization: `Bearer ${text}` } };
    case "header":
      return { headers: { "X-Api-Key": text } };
    case "query":
      return { query: `?key=${encodeURIComponent(text)}` };
    case "cookie":
      return { headers: { Cookie: `session=${text}` } };
    case "basic":
      return { headers: { Authorization: `Basic ${base64(`${text}:`)}` } };
    case "both":
      return { headers: { Authorization: `Basic ${base64(`ada:${text}`)}` } };
    case "signed":
      return { headers: { "X-Client": "key-ada", "X-Signature": text } };
  }
}

const claims = { iss: "us", aud: "notes", sub: "ada", iat: startMs / 1000, exp: startMs / 1000 + 60 };

function signed(payload: object, header: object = {}, key = secret): Promise<string> {
  return new SignJWT(payload as Record<string, unknown>)
    .setProtectedHeader({ alg: "HS256", ...header })
    .sign(new TextEncoder().encode(key));
}

const unsigned = (header: object, payload: object = claims) => `${json64(header)}.${json64(payload)}.`;

async function goodOf(name: SchemeName): Promise<string> {
  if (name === "jwt") return signed(claims);
  if (name === "both") return "correct horse";
  if (name === "signed") return createHmac("sha256", "k").update("").digest("hex");
  return "key-ada";
}

describe("wrong credentials", () => {
  let send: (path: string, carried: Carried) => Promise<{ status: number; challenge: unknown; body: string }>;
  let close: () => Promise<void>;

  before(async () => {
    const { model, diagnostics } = compile(smallDocument(parts), { file: "document.md" });
    assert.deepEqual(
      diagnostics
        .filter((diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity === "error")
        .map((diagnostic) => diagnostic.message),
      [],
    );
    assert.ok(model);
    const store = await openModelStore(model, ":memory:", silentTerminal);
    const service = await openService(
      model,
      store,
      { clock: createMovableClock(startMs), log: silentLog },
      { origin: () => "http://localhost", secret: () => secret },
    );
    const given = compile(
      smallDocument({
        ...parts,
        purpose: `- Purpose: a\n- Domain: b\n- Behaviour: c

### Scenario: given

- Given: User with name = "ada", password = "correct horse" as ada
- Given: Key with key = "key-ada", user = ada`,
      }),
      { file: "given.md" },
    ).model?.scenarios[0];
    for (const step of given?.steps ?? [])
      if (step.kind === "given") await createGivenRecords(service, [step], { names: givenNames });
    send = async (path, { headers = {}, query = "" }) => {
      const answer = await service.fetch(
        createRequest({ method: "GET", target: `/${path}${query}`, headers: Object.entries(headers) }),
      );
      const challenge = answer.headers
        .filter(([name]) => name === "WWW-Authenticate")
        .map(([, value]) => value);
      return { status: answer.status, challenge, body: String(answer.body) };
    };
    close = async () => {
      await service.close();
      await store.close();
    };
  });
  after(() => close());

  const reported = (name: SchemeName, error?: string) => [
    challenges[name] +
      (error !== undefined && challenges[name].startsWith("Bearer") ? `, error="${error}"` : ""),
  ];
  const refused = (name: SchemeName) => ({
    status: 401,
    challenge: reported(name, "invalid_token"),
    body: '{"code":"bad"}',
  });

  for (const name of Object.keys(schemes) as SchemeName[]) {
    describe(name, () => {
      test("no credential: 401 with a bare challenge, or no caller if none is required", async () => {
        assert.deepEqual(await send(name, {}), {
          status: 401,
          challenge: reported(name),
          body: '{"code":"nobody"}',
        });
        assert.deepEqual(await send(`open-${name}`, {}), {
          status: 200,
          challenge: [],
          body: '{"name":null}',
        });
      });

      test("valid: 200", async () => {
        const answer = await send(name, placed(name, await goodOf(name)));
        assert.deepEqual(answer, { status: 200, challenge: [], body: '{"name":"ada"}' });
      });

      for (const text of ["wrong", "x".repeat(9_000), "'; DROP TABLE key; --", "ключ"]) {
        test(`wrong (${text.slice(0, 10)}, ${text.length} characters): 401`, async () => {
          const sent = /[^\x20-\x7e]/.test(text) && name !== "basic" && name !== "both" && name !== "query";
          // A header can contain only ASCII characters; others are percent-encoded, and are just as
          // wrong.
          const carried = placed(name, sent ? encodeURIComponent(text) : text);
          const long = name === "query" && text.length > 8_000;
          if (long) {
            assert.equal((await send(name, carried)).status, 414);
            return;
          }
          assert.deepEqual(await send(name, carried), refused(name));
          assert.deepEqual(await send(`open-${name}`, carried), refused(name));
        });
      }
    });
  }

  const tokens: Readonly<Record<string, () => Promise<string> | string>> = {
    expired: () => signed({ ...claims, exp: startMs / 1000 - 61 }),
    "not valid yet": () => signed({ ...claims, nbf: startMs / 1000 + 3_600 }),
    "of another issuer": () => signed({ ...claims, iss: "them" }),
    "for another audience": () => signed({ ...claims, aud: "books" }),
    "without the claim": () => signed({ iss: "us", aud: "notes", exp: claims.exp }),
    "of an unknown caller": () => signed({ ...claims, sub: "eve" }),
    "signed with another key": () => signed(claims, {}, "another secret that is long enough too"),
    "of a wrong algorithm": () => signed(claims, { alg: "HS512" }),
    "with another algorithm in its header": async () => {
      const [, payload, signature] = (await signed(claims)).split(".");
      return `${json64({ alg: "HS512" })}.${payload}.${signature}`;
    },
    "of the algorithm none": () => unsigned({ alg: "none" }),
    "of the algorithm nOnE": () => unsigned({ alg: "nOnE", typ: "JWT" }),
    "of the algorithm none with a signature": async () =>
      unsigned({ alg: "none" }) + ((await signed(claims)).split(".")[2] ?? ""),
    "that carries its own key": () =>
      signed(claims, { jwk: { kty: "oct", k: base64("another") } }, "another secret that is long enough too"),
    "with an extension that isn't known": () =>
      signed(claims, { crit: ["exp"], exp: 1 }).catch(() => "x.y.z"),
    "larger than 8 KiB": () => signed({ ...claims, padding: "x".repeat(9_000) }),
    "of two parts": async () => (await signed(claims)).split(".").slice(0, 2).join("."),
    "of four parts": async () => `${await signed(claims)}.x`,
    "that is no JSON": () => `${base64("no")}.${base64("no")}.${base64("no")}`,
    "cut off": async () => (await signed(claims)).slice(0, -3),
  };
  for (const [words, make] of Object.entries(tokens)) {
    test(`a token ${words}: 401`, async () => {
      assert.deepEqual(await send("jwt", placed("jwt", await make())), refused("jwt"));
    });
  }

  const two: readonly Carried[] = [
    { headers: { Authorization: "Bearer key-ada", "X-Api-Key": "key-ada" } },
    { headers: { Authorization: "Bearer key-ada" }, query: "?key=key-ada" },
    { headers: { "X-Api-Key": "key-ada", Cookie: "session=key-ada" } },
    { headers: { Authorization: "Bearer wrong", Cookie: "session=wrong" } },
  ];
  for (const [at, carried] of two.entries()) {
    test(`two at once (${at + 1}): 400`, async () => {
      assert.deepEqual(await send("two", carried), {
        status: 400,
        challenge: [`Bearer ${realm}, error="invalid_request"`, `ApiKey ${realm}`],
        body: '{"code":"malformed"}',
      });
    });
  }

  const malformed: readonly (readonly [SchemeName, string])[] = [
    ["bearer", "Bearer"],
    ["bearer", "bearer "],
    ["bearer", "TOKEN"],
    ["jwt", "Bearer"],
    ["basic", "Basic"],
    ["both", "Basic "],
  ];
  for (const [name, Authorization] of malformed) {
    test(`nothing after the prefix (${Authorization}, ${name}): 400`, async () => {
      const expected = {
        status: 400,
        challenge: reported(name, "invalid_request"),
        body: '{"code":"malformed"}',
      };
      assert.deepEqual(await send(name, { headers: { Authorization } }), expected);
      assert.deepEqual(await send(`open-${name}`, { headers: { Authorization } }), expected);
    });
  }

  for (const Authorization of [
    "Basic %%%",
    "Basic a",
    `Basic ${base64("without a colon")}`,
    "Basic key-ada",
  ]) {
    test(`not the base64 of a pair (${Authorization}): 401`, async () => {
      for (const name of ["basic", "both"] as const)
        assert.deepEqual(await send(name, { headers: { Authorization } }), refused(name));
    });
  }

  for (const Authorization of ["key-ada", "Bearerkey-ada", "Digest key-ada"]) {
    test(`the syntax of another scheme (${Authorization}) is no credential`, async () => {
      assert.equal((await send("bearer", { headers: { Authorization } })).body, '{"code":"nobody"}');
    });
  }
});

const givenNames = new Map();
