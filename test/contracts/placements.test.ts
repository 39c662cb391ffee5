/**
 * Credentials of every placement: the generated client, `explore` and the exports send what the
 * service reads (part 5, `Placement`).
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { callerWith } from "../../src/explore/stories/callers.ts";
import { valueFrom } from "../../src/explore/stories/story.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { loadClient } from "../client/package.ts";
import { serveModel } from "../client/serve.ts";
import { modelOf } from "../deliveries/serve-shop.ts";
import { smallDocument } from "./serve-document.ts";

const schemes = {
  plain: "header X-Key",
  word: "header Authorization, after Key",
  equals: "header Authorization, after Token token=",
  parameter: "header Authorization, after Player, parameter token",
  alone: "header X-Player, parameter token",
  pair: "basic user and password",
  encoded: "basic user and password, form-encoded",
} as const;

const isPair = (placement: string) => placement.startsWith("basic");
/** What form-encoding and a colon would change. */
const [user, secret] = ["Ada & Co", "k1%+ü c"];

const text = smallDocument({
  resources: `### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique |
| key | credential | required |`,
  endpoints: Object.keys(schemes)
    .map(
      (name) => `### GET /${name}

- Does: answer
- Scheme: ${name}
- Returns: 200 \`{"name": caller.name}\``,
    )
    .join("\n\n"),
  authentication: Object.entries(schemes)
    .map(
      ([name, placement]) => `### Scheme: ${name}

- Placement: ${placement}
- Credentials: User by ${isPair(placement) ? "name and key" : "key"}`,
    )
    .join("\n\n"),
});

const given = `- Given: \`User with name = "${user}", key = "${secret}"\`
- Given: \`User with name = "Eve", key = "plain-key"\``;

test("a client sends a credential at every placement, as the service reads it", async () => {
  const model = modelOf(text);
  const { client } = await loadClient(model);
  const served = await serveModel(model);
  try {
    await served.make(given);
    const called: string[] = [];
    for (const [name, placement] of Object.entries(schemes)) {
      const credentials = { [name]: isPair(placement) ? { user, password: secret } : "plain-key" };
      const connected = client["connect"]({ url: served.url, credentials, retries: 0 });
      const operation = Object.keys(client).find((key) => key.toLowerCase().endsWith(name));
      const answer = await client[operation as string](connected);
      called.push(`${name}: ${answer.name}`);
    }
    assert.deepEqual(
      called,
      Object.entries(schemes).map(([name, placement]) => `${name}: ${isPair(placement) ? user : "Eve"}`),
    );
  } finally {
    await served.close();
  }
});

test("explore sends a credential at every placement, as the service reads it", async () => {
  const model = modelOf(text);
  const served = await serveModel(model);
  try {
    await served.make(given);
    for (const scheme of model.authentication.schemes) {
      const pair = isPair(schemes[scheme.name as keyof typeof schemes]);
      const [caller] = callerWith(
        scheme,
        "someone",
        pair ? [user as string, secret as string] : ["plain-key"],
      );
      const bindings = { responses: new Map(), nowMs: () => 0, run: "" };
      const headers = (caller?.headers ?? []).map(([name, value]) => [name, valueFrom(value, bindings)]);
      const answer = await fetch(`${served.url}/${scheme.name}`, { headers: headers as [string, string][] });
      assert.equal(answer.status, 200, scheme.name);
    }
  } finally {
    await served.close();
  }
});

test("OpenAPI describes what surrounds a credential", () => {
  const { components } = openapiDocument(wireOf(modelOf(text)), "3.1", []) as {
    components: { securitySchemes: Record<string, Record<string, string>> };
  };
  assert.deepEqual(components.securitySchemes["parameter"], {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: 'parameter. After `Player`. In the parameter `token="…"`.',
  });
  assert.equal(
    components.securitySchemes["encoded"]?.["description"],
    "encoded: user and password, form-encoded.",
  );
});
