/**
 * Default texts: the engine's messages for problems without a Message in part 7, and the names that
 * the engine reserves.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { serveDocument, smallDocument, standing } from "./serve-document.ts";

test("a code without a Message is named in a complete sentence", async (t) => {
  const endpoints = standing.endpoints.replace(
    "- Does: create Note\n",
    '- Does: create Note\n- Fails: too_much when `this.text == "much"`\n',
  );
  const errors =
    "- Payload shape: problem details\n\n| Code | Status | When |\n|---|---|---|\n| too_much | 409 | |";
  const served = await serveDocument(smallDocument({ endpoints, errors }));
  t.after(() => served.close());
  const answer = await served.send("POST", "/notes", { body: { text: "much" } });
  assert.equal(answer.status, 409, answer.body);
  assert.equal(answer.json.detail, "The service rejects the request: too_much.");
});

test("a problem without a Message is a complete sentence", async (t) => {
  const endpoints = standing.endpoints.replace(
    "- Does: read Note\n",
    "- Does: read Note\n- Allowed: any caller\n",
  );
  const authentication = "### Scheme: key\n\n- Placement: header X-Key\n- Credentials: Note by key";
  const resources = `${standing.resources}\n| key | credential | |`;
  const served = await serveDocument(smallDocument({ endpoints, authentication, resources }));
  t.after(() => served.close());
  const { json } = await served.send("GET", "/notes/1");
  assert.equal(json.detail, "Not authenticated: the request needs a credential.");
});

test("a problem with a code has the code as its title, and an unknown path is its subject", async (t) => {
  const endpoints = `${standing.endpoints}\n\n### GET /teapot\n\n- Does: answer\n- Returns: short_and_stout`;
  const errors =
    "- Payload shape: problem details\n\n| Code | Status | When |\n|---|---|---|\n| short_and_stout | 418 | |";
  const served = await serveDocument(smallDocument({ endpoints, errors }));
  t.after(() => served.close());
  assert.equal((await served.send("GET", "/teapot")).json.title, "Short and stout");
  assert.match((await served.send("GET", "/")).json.detail, /^Unknown path: the address is not a path/);
});

for (const name of ["old", "created", "page", "event", "error"])
  test(`a Let called ${name} would hide a name of the engine`, () => {
    const endpoints = standing.endpoints.replace(
      "- Does: create Note\n",
      `- Does: create Note\n- Let: ${name} = \`1\`\n`,
    );
    const { diagnostics } = compile(smallDocument({ endpoints }), { file: "notes.md" });
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code),
      ["endpoints/name-taken"],
    );
  });
