/** HAR, Postman and AsyncAPI: places and names are stated, types are not, and no secret is written. */
import assert from "node:assert/strict";
import { test } from "node:test";
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
const har = (...entries: readonly object[]) => imported("har", { log: { entries } });

test("a recording's secrets are replaced and counted", () => {
  const { text, secrets } = har(
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
  const leaks = /pw0rd|k9Jx|abc|frag9|sk_live|QQQ|kkk|hunter2|Zt81|zzz|q7Lm|RRR/;
  assert.doesNotMatch(text, leaks);
  assert.match(text, /### POST \/reset\/\{reset_id\}\n/);
  assert.match(text, /a credential in the header Authorization/);
  assert.match(text, /body name: example "Ada"/);
  assert.match(text, /query page: example "2"/);
  assert.equal(secrets, 9);
});

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
