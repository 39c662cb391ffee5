/**
 * Tokens of another service: Ninefold fetches the public keys from the document's URL, over a real
 * socket.
 */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { libraryModel } from "../documents/library.ts";
import { silentTerminal as terminal } from "../terminal.ts";

const startMs = Date.parse("2026-11-20T12:00:00Z");

const resources = `### Reader

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | required |
| name | string | required |

### Book

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | required |
| title | string | required |`;

const endpoints = `### GET /me

- Does: answer
- Returns: 200 \`{"name": caller.name, "groups": caller.claims.groups, "first": caller.claims.realm.name}\`

### POST /books

- Does: create Book
- Body: id, title
- Allowed: \`"editors" in caller.claims.groups\`
- Returns: 201 Book`;

const parts = (url: string) => ({
  resources: `${resources}\n`,
  states: "- States: none\n- Transitions: none",
  endpoints,
  authentication: `### Scheme: token

- Placement: header Authorization, after Bearer
- Credentials: Reader by id, from claim sub
- Signed with: RS256, keys at ${url}
- Issuer: https://issuer.example.test
- Audience: library`,
});

test("tokens are verified with the keys at a URL, and a rotated key is found", async () => {
  const keys: object[] = [];
  const server = createServer((_request, response) => response.end(JSON.stringify({ keys })));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  const { port } = server.address() as AddressInfo;
  const model = libraryModel(parts(`http://127.0.0.1:${port}/jwks`));
  const clock = createMovableClock(startMs);
  const signer = async (kid: string) => {
    const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
    keys.push({ ...(await exportJWK(publicKey)), kid, use: "sig", alg: "RS256" });
    return (groups: readonly string[]) =>
      new SignJWT({ sub: "r1", groups: [...groups], realm: { name: "north" } })
        .setProtectedHeader({ alg: "RS256", kid })
        .setIssuer("https://issuer.example.test")
        .setAudience("library")
        .setExpirationTime(new Date(startMs + 3_600_000))
        .sign(privateKey);
  };
  for (const allowPrivateAddresses of [true, false]) {
    keys.length = 0;
    const store = await openModelStore(model, ":memory:", terminal);
    const service = await openService(
      model,
      store,
      { clock, log: silentLog },
      { origin: () => "http://localhost", allowPrivateAddresses },
    );
    try {
      await store.write(async (transaction) => transaction.insert("Reader", { id: "r1", name: "Ada" }));
      const request = async (method: string, target: string, token: string, body?: string) => {
        const headers = [
          ["Authorization", `Bearer ${token}`],
          ["Content-Type", "application/json"],
        ] as const;
        const answer = await service.fetch(
          createRequest({ method, target, headers, ...(body ? { body } : {}) }),
        );
        return { status: answer.status, json: JSON.parse(String(answer.body)) as Record<string, unknown> };
      };
      const first = await signer("k1");
      if (!allowPrivateAddresses) {
        assert.equal((await request("GET", "/me", await first([]))).status, 503);
        continue;
      }
      assert.deepEqual(await request("GET", "/me", await first(["readers"])), {
        status: 200,
        json: { name: "Ada", groups: ["readers"], first: "north" },
      });
      const book = '{"id": "b1", "title": "Emma"}';
      assert.equal((await request("POST", "/books", await first(["readers"]), book)).status, 403);
      assert.deepEqual(await request("POST", "/books", await first(["editors"]), book), {
        status: 201,
        json: { id: "b1", title: "Emma" },
      });
      keys.length = 0;
      const second = await signer("k2");
      assert.equal((await request("GET", "/me", await second([]))).status, 401);
      clock.moveBy(30_000);
      assert.equal((await request("GET", "/me", await second([]))).status, 200);
      assert.equal((await request("GET", "/me", await first([]))).status, 401);
    } finally {
      await service.close();
      await store.close();
    }
  }
  await new Promise((resolve) => server.close(resolve));
});
