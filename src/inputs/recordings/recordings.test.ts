/** HAR, Postman and AsyncAPI: places and names are stated, types are not, and no secret is written. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { silentTerminal } from "../../../test/terminal.ts";
import { compile } from "../../compile.ts";
import { createLocalTarget } from "../../scenarios/local-target.ts";
import { runScenario } from "../../verify/run-scenario.ts";
import { accept } from "../../worklist/accept.ts";
import { type FormatName, importFile } from "../formats.ts";

const imported = (format: FormatName, file: object) =>
  importFile(format, {
    name: "file.json",
    text: JSON.stringify(file),
    readRelative: () => undefined,
    only: [],
  });

const json = (text: unknown) => ({ mimeType: "application/json", size: 9, text: JSON.stringify(text) });
const entry = (method: string, url: string, more: object = {}, response: object = {}) => ({
  request: { method, url, headers: [], ...more },
  response: { status: 200, content: json({}), ...response },
});
const placesOf = ({ secrets }: ReturnType<typeof imported>) =>
  secrets.places.map(({ place, requests }) => `${place}: ${requests.join(", ")}`);
const har = (...entries: readonly object[]) => imported("har", { log: { entries } });

test("a recording's secrets are replaced and listed by their places", () => {
  const made = har(
    entry(
      "POST",
      "https://user:pw0rd@api.example.com/reset/k9Jx82LmQpZ71vTb6RwY?access_token=abc&page=2#frag9",
      {
        headers: [
          { name: "Authorization", value: "Bearer sk_live_1" },
          { name: "Cookie", value: "sid=QQQ" },
          { name: "X-Api-Key", value: "kkk" },
        ],
        postData: json({
          password: "hunter2",
          note: "Zt81LmQpK9x7vTb6RwYJ",
          inner: { client_secret: "zzz" },
          q7Lm29xKpZt81vTb6RwY: 1,
          name: "Ada",
        }),
      },
      { headers: [{ name: "Set-Cookie", value: "sid=RRR" }] },
    ),
  );
  const { text, secrets } = made;
  const leaks = /pw0rd|k9Jx|abc|frag9|sk_live|QQQ|kkk|hunter2|Zt81|zzz|q7Lm|RRR/;
  assert.doesNotMatch(text, leaks);
  assert.match(text, /### POST \/reset\/\{reset_id\}\n/);
  assert.match(text, /a credential in the header Authorization/);
  assert.match(text, /body name: example "Ada"/);
  assert.match(text, /query page: example "2"/);
  assert.equal(secrets.count, 10);
  assert.deepEqual(placesOf(made), [
    "password of the URL: 1",
    "header Authorization: 1",
    "header Cookie: 1",
    "header X-Api-Key: 1",
    "response header Set-Cookie: 1",
    "query access_token: 1",
    "body password: 1",
    "body note: 1",
    "body inner.client_secret: 1",
    "body …: 1",
  ]);
  assert.doesNotMatch(JSON.stringify(secrets), leaks);
});

test("an example of an input has no credential of a header, and no password of a URL", () => {
  const sent = { note: "sess77", site: "https://ada:ppp3@a.example/", deep: [{ pin: 4711 }] };
  const made = har(
    entry("POST", "https://api.example.com/sites?back=sess77", {
      headers: [{ name: "Authorization", value: "Bearer sess77" }],
      postData: json(sent),
    }),
    entry("POST", "https://api.example.com/sites", { postData: json({ site: "https://b.example/" }) }),
    entry("POST", "https://api.example.com/sites", { postData: json({ deep: [{ pin: 4712 }] }) }),
  );
  assert.doesNotMatch(made.text, /sess77|ppp3|4711/);
  assert.match(made.text, /body site: example a secret/);
  assert.deepEqual(placesOf(made), [
    "header Authorization: 1",
    "query back: 1",
    "body note: 1",
    "body site: 1",
    "body deep.pin: 1, 3",
  ]);
});

test("the places of secrets are bounded", () => {
  const entries = Array.from({ length: 300 }, (_, index) =>
    entry("GET", `https://api.example.com/pets?token_${index}=abc${index}&key=k`),
  );
  const { secrets } = har(...entries);
  assert.equal(secrets.count, 301);
  assert.equal(secrets.places.length, 200);
  assert.equal(secrets.elsewhere, 101);
  const key = secrets.places.find(({ place }) => place === "query key");
  assert.deepEqual(key, { place: "query key", requests: [1, 2, 3, 4, 5], more: 295 });
});

test("credentials of a collection are listed, and its variables are none", () => {
  const made = imported("postman", {
    info: { name: "Pets" },
    auth: { type: "bearer", bearer: [{ key: "token", value: "coll-token-1" }] },
    item: [
      { name: "folder", item: [{ request: { method: "GET", url: "https://a.example/pets" } }] },
      {
        request: {
          method: "POST",
          url: "https://a.example/pets?api_key=kkk9",
          auth: { type: "basic", basic: { username: "ada", password: "ppp3" } },
          header: [
            { key: "Authorization", value: "Bearer {{token}}" },
            { key: "X-Api-Key", value: "kkk8" },
          ],
          body: { mode: "raw", raw: JSON.stringify({ name: "Rex", secret: "sss7" }) },
        },
      },
    ],
  });
  assert.doesNotMatch(made.text, /coll-token-1|kkk|ppp3|sss7/);
  assert.deepEqual(placesOf(made), [
    "auth bearer.token: ",
    "header X-Api-Key: 2",
    "auth basic.password: 2",
    "query api_key: 2",
    "body secret: 2",
  ]);
});

test("secrets of recorded responses are replaced: by key, by form, in URLs, and those of headers", () => {
  const made = har(
    entry(
      "GET",
      "https://api.example.com/sessions/42",
      { headers: [{ name: "Authorization", value: "Bearer sess77" }] },
      {
        content: json({
          id: "sess77",
          refresh_token: "rrr1",
          links: ["https://a.example/x?api_key=uuu2", "https://ada:ppp3@a.example/"],
          made: { note: "see Zt81LmQpK9x7vTb6RwYJ now" },
          owner_id: "usr_Zt81LmQpK9x7vTb6RwYJ",
          pin: 1234,
        }),
      },
    ),
  );
  const { text, secrets } = made;
  assert.doesNotMatch(text, /sess77|rrr1|uuu2|ppp3|see Zt81|1234/);
  assert.match(text, /<!-- openapi example: .*"owner_id":"usr_Zt81LmQpK9x7vTb6RwYJ"/);
  assert.equal(secrets.count, 7);
  assert.deepEqual(placesOf(made), [
    "header Authorization: 1",
    "response body id: 1",
    "response body refresh_token: 1",
    "response body links: 1",
    "response body made.note: 1",
    "response body pin: 1",
  ]);
});

test("a recorded exchange is proposed as a scenario once the operation is stated, with its records", async () => {
  const cart = { id: "crt_1", name: "Picnic", count: 2 };
  const page = (records: readonly object[]) => ({ content: json({ items: records }) });
  const { text } = har(
    entry("POST", "https://api.example.com/carts", { postData: json({ name: "Gone" }) }, { status: 422 }),
    entry(
      "POST",
      "https://api.example.com/carts",
      { postData: json({ name: "Picnic", count: 2 }) },
      { status: 201, content: json(cart) },
    ),
    entry(
      "GET",
      "https://api.example.com/carts?name=Picnic",
      {},
      page([cart, { id: "crt_2", name: "Picnic" }]),
    ),
    entry("GET", "https://api.example.com/carts/crt_1", {}, { content: json(cart) }),
  );
  const written = [
    [/- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown\n/, resource],
    [
      /(### POST \/carts\n[\s\S]*?)- Does: not shown\n(- Fails: .*\n)?([\s\S]*?)- Returns: .*\n\n\|[\s\S]*?\n\n/,
      "$1- Does: create Cart\n- Body: name, count\n- Returns: 201 Cart\n\n",
    ],
    [
      /(### GET \/carts\n[\s\S]*?)- Does: not shown\n[\s\S]*?\n\n\|[\s\S]*?\n\n/,
      '$1- Does: list Cart\n- Query: name?\n- Returns: 200 `{"items": page.items.map(c, Cart(c))}`\n\n',
    ],
    [
      /(### GET \/carts\/\{cart_id\}\n[\s\S]*?)- Does: not shown\n[\s\S]*?\n\n/,
      "$1- Does: read Cart\n- Returns: 200 Cart\n\n",
    ],
  ] as const;
  const document = written.reduce((of, [from, to]) => of.replace(from, to), text);
  const made = accept("carts.md", document, ["scenarios"]).text;
  const { model } = compile(made, { file: "carts.md" });
  assert.ok(model);
  assert.deepEqual(
    model.scenarios.map(({ name }) => name),
    [
      "GET /carts as in its example",
      "POST /carts as in its example",
      "GET /carts/{cart_id} as in its example",
    ],
  );
  for (const scenario of model.scenarios) {
    const target = await createLocalTarget(model, silentTerminal);
    const { outcome, failures } = await runScenario(model, scenario, target, "r1").finally(() =>
      target.close(),
    );
    assert.deepEqual([outcome, failures], ["passed", []], scenario.name);
  }
  assert.match(made, /GET \/carts\?name=Picnic\n/);
  assert.match(made, /- Given: `Cart with id = "crt_1", name = "Picnic", count = 2 as record`/);
});

const resource = `### Cart

- Identifier: id, made by \`"crt_" + random(8)\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| count | integer | required |
`;

test("a recording's paths are grouped by identifiers, and types of examples are not shown", () => {
  const { text, counts } = har(
    entry("GET", "https://api.example.com/pets?limit=5", {}, { content: json([{ id: "blue", age: 3 }]) }),
    entry("GET", "https://api.example.com/pets/blue"),
    entry("GET", "https://api.example.com/pets/42", {}, { status: 404 }),
    entry("GET", "https://cdn.example.com/a.js", {}, { content: { mimeType: "text/javascript" } }),
    entry("GET", "https://other.example.com/count"),
  );
  assert.equal(text.match(/^### /gm)?.length, 2);
  assert.match(text, /### GET \/pets\/\{pet_id\}\n\n<!-- [^\n]*seen 200 \(1\); seen 404 \(1\)/);
  assert.match(text, /\| limit \| query \| not shown \| +\| not shown \|/);
  assert.match(text, /seen 200 \(1\) with id, age/);
  assert.match(text, /1 requests to other\.example\.com, which are left out/);
  assert.match(text, /1 requests for pages, scripts/);
  assert.deepEqual(counts.get("input types"), { stated: 0, open: 1, comment: 0 });
});

test("a saved response of a collection is an example, too, without its secrets", () => {
  const { text } = imported("postman", {
    info: { name: "Pets" },
    item: [
      {
        name: "Make a pet",
        request: {
          method: "POST",
          url: "{{baseUrl}}/pets?dry=1",
          body: { mode: "raw", raw: '{"name": "Rex", "pin": "9876"}' },
        },
        response: [{ code: 201, header: [], body: '{"id": "pet_1", "token": "ttt1"}' }],
      },
    ],
  });
  const body = '{"name":"Rex","pin":"a secret"}';
  const response = '{"id":"pet_1","token":"a secret"}';
  const example = `{"parameters":{"query":{"dry":"1"}},"body":${body},"status":201,"response":${response}}`;
  assert.ok(text.includes(`<!-- openapi example: ${example} -->`), text);
  assert.doesNotMatch(text, /9876|ttt1/);
});

test("a collection gives endpoints, names of inputs and where the credential goes", () => {
  const { text } = imported("postman", {
    info: { name: "Pets" },
    auth: { type: "bearer", bearer: [{ key: "token", value: "hidden1" }] },
    item: [
      {
        name: "Folder",
        item: [
          {
            name: "Make a pet",
            request: {
              method: "POST",
              url: "{{baseUrl}}/owners/:owner/pets/{{pet}}?dry=1",
              body: { mode: "urlencoded", urlencoded: [{ key: "name", value: "Rex" }] },
            },
          },
        ],
      },
    ],
  });
  assert.match(text, /### POST \/owners\/\{owner\}\/pets\/\{pet\}\n\nMake a pet\.\n/);
  assert.match(text, /- Placement: header Authorization, after Bearer/);
  assert.match(text, /- Accepts: application\/x-www-form-urlencoded/);
  assert.match(text, /\| name +\| body +\| not shown \|/);
  assert.match(text, /\| dry +\| query +\| not shown \|/);
  assert.doesNotMatch(text, /hidden1/);
});

test("AsyncAPI: what the application sends are events, in each version", () => {
  const payload = { type: "object", properties: { id: { type: "string" } } };
  const message = { name: "pet.made", payload };
  const row = /\| pet\.made \| not shown \| PetMadePayload \|/;
  const second = imported("asyncapi", {
    asyncapi: "2.6.0",
    channels: {
      "pet.made": { subscribe: { message: { $ref: "#/components/messages/made" } } },
      orders: { publish: { message: { name: "order", payload } } },
    },
    components: { messages: { made: message } },
  }).text;
  assert.match(second, row);
  assert.match(second, /orders: a message that the application receives/);
  const third = imported("asyncapi", {
    asyncapi: "3.0.0",
    channels: { pets: { messages: { made: message } } },
    operations: {
      send: { action: "send", channel: { $ref: "#/channels/pets" } },
      receive: { action: "receive", messages: [{ name: "order" }] },
    },
  }).text;
  assert.match(third, row);
  assert.match(third, /order: a message that the application receives/);
  const first = imported("asyncapi", {
    asyncapi: "1.2.0",
    topics: { "pet.made": { subscribe: { payload } } },
  }).text;
  assert.match(first, row);
});

test("a wrong format is rejected with the format of the file", () => {
  assert.throws(() => imported("har", { openapi: "3.1.0" }), /is an OpenAPI description\. .*import openapi`/);
  assert.throws(() => imported("openapi", { log: { entries: [] } }), /is a HAR recording\. .*import har`/);
  assert.throws(
    () => imported("asyncapi", { info: {}, item: [] }),
    /is a Postman collection\. .*import postman`/,
  );
  assert.throws(() => imported("postman", { a: 1 }), /is not a Postman collection: .* is missing/);
});

test("a collection's bodies have variables, comments and GraphQL, and its disabled parameters are names", () => {
  const request = (path: string, body: object, query: readonly object[] = []) => ({
    name: path,
    request: {
      method: "POST",
      body,
      url: { raw: `{{baseUrl}}/${path}`, host: ["{{baseUrl}}"], path: [path], query },
    },
  });
  const { text } = imported("postman", {
    info: { name: "Shop", schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json" },
    item: [
      request(
        "orders",
        {
          mode: "raw",
          raw: '{"sku": "a//b", // the article\n "count": {{count}}, "at": "{{at}}"}',
          options: { raw: { language: "json" } },
        },
        [{ key: "status", value: "open", disabled: true }],
      ),
      request("graphql", { mode: "graphql", graphql: { query: "{ me { id } }", variables: "{}" } }),
      request("blob", { mode: "file", file: { src: "a.bin" } }),
    ],
  });
  for (const row of [
    "sku       | body",
    "count     | body",
    "at        | body",
    "status    | query",
    "query     | body",
    "variables | body",
  ])
    assert.match(text, new RegExp(`^\\| ${row.replace(/ +/g, " +").replace("|", "\\|")}`, "m"), row);
  assert.match(text, /a body of application\/octet-stream/);
});
