/** Media types (part 4, `Accepts`): which bodies are accepted, and how each is parsed. */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { compile } from "../../src/compile.ts";
import { serveDocument, smallDocument } from "./serve-document.ts";

async function serve(t: TestContext, endpoints: string, resources?: string) {
  const served = await serveDocument(
    smallDocument({ endpoints, ...(resources === undefined ? {} : { resources }) }),
  );
  t.after(() => served.close());
  return (path: string, contentType: string | undefined, body: string) =>
    served.send("POST", path, {
      body,
      headers: contentType === undefined ? {} : { "Content-Type": contentType },
    });
}

const form = "application/x-www-form-urlencoded";

test("a body without a Content-Type is rejected if JSON is accepted, and otherwise has the first type", async (t) => {
  const send = await serve(
    t,
    `### POST /json

- Does: answer
- Returns: 200 \`{"a": body.a}\`

| Input | In | Type |
|---|---|---|
| a | body | string |

### POST /both

- Does: answer
- Accepts: ${form}, application/json
- Returns: 200 \`{"a": body.a}\`

| Input | In | Type |
|---|---|---|
| a | body | string |

### POST /form

- Does: answer
- Accepts: ${form}
- Returns: 200 \`{"a": body.a}\`

| Input | In | Type |
|---|---|---|
| a | body | string |`,
  );
  const bare = await send("/json", undefined, '{"a": "b"}');
  assert.equal(bare.status, 415, bare.body);
  assert.match(bare.body, /a body without Content-Type is not accepted here, application\/json is/);
  assert.equal((await send("/both", undefined, "a=b")).status, 415);
  assert.deepEqual((await send("/form", undefined, "a=b")).json, { a: "b" });
  // A request without a body needs no type.
  assert.equal((await send("/json", undefined, "")).status, 200);
});

test("a range of types is accepted, type by type", async (t) => {
  const send = await serve(
    t,
    `### POST /texts

- Does: answer
- Accepts: text/*
- Returns: 200 \`{"size": size(request.body)}\`

### POST /applications

- Does: answer
- Accepts: application/*
- Returns: 200 \`{"a": body.a}\`

| Input | In | Type |
|---|---|---|
| a | body | string |`,
  );
  assert.deepEqual((await send("/texts", "text/plain", "hello")).json, { size: 5 });
  assert.deepEqual((await send("/texts", "text/csv; charset=utf-8", "a,b")).json, { size: 3 });
  const refused = await send("/texts", "image/png", "x");
  assert.deepEqual(
    [refused.status, refused.headers.find(([name]) => name === "Accept-Post")?.[1]],
    [415, "text/*"],
  );
  assert.equal((await send("/texts", "text/*", "x")).status, 415);
  assert.deepEqual((await send("/applications", "application/json", '{"a": "b"}')).json, { a: "b" });
  assert.deepEqual((await send("/applications", "application/vnd.x+json", '{"a": "b"}')).json, { a: "b" });
  assert.deepEqual((await send("/applications", form, "a=b")).json, { a: "b" });
  assert.equal((await send("/applications", "application/xml", "<a/>")).status, 415);
});

test("`Body is` reads a text of any accepted type by the type of its input", async (t) => {
  const endpoint = (path: string, type: string, accepts = "application/json, text/plain") => `### POST ${path}

- Does: answer
- Accepts: ${accepts}
- Body is: doc
- Returns: 200 \`{"got": body.doc}\`

| Input | In | Type | Rules |
|---|---|---|---|
| doc | body | ${type} | required |`;
  const send = await serve(
    t,
    [
      endpoint("/string", "string"),
      endpoint("/only", "string", "text/plain"),
      endpoint("/integer", "integer"),
      endpoint("/either", "integer or string"),
      endpoint("/word", "one of on, off", "text/*"),
    ].join("\n\n"),
  );
  const got = async (path: string, type: string, body: string) => {
    const answer = await send(path, type, body);
    return answer.status === 200 ? answer.json.got : answer.status;
  };
  assert.equal(await got("/string", "text/plain", "a=b&c \u00fc"), "a=b&c \u00fc");
  assert.equal(await got("/string", "application/json", '"x"'), "x");
  assert.equal(await got("/string", "text/html", "x"), 415);
  assert.equal(await got("/only", "text/plain", "[1]"), "[1]");
  assert.equal(await got("/integer", "text/plain", "5"), 5);
  assert.equal(await got("/integer", "text/plain", "5.5"), 422);
  assert.equal(await got("/either", "text/plain", "5"), 5);
  assert.equal(await got("/either", "text/plain", "five"), "five");
  assert.equal(await got("/word", "text/plain", "on"), "on");
  assert.equal(await got("/word", "text/plain", "off "), 422);
});

test("a JSON part of a form is parsed as JSON, and a file is not a text", async (t) => {
  const send = await serve(
    t,
    `### POST /people

- Does: create Person
- Accepts: multipart/form-data
- Body: name, address?, tags?, spots?, any?
- Returns: 201 Person`,
    `### Person

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| address | Address | nullable |
| tags | list of string | nullable |
| spots | list of Address | nullable |
| any | json | nullable |

### Address

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| city | string | required |
| zip | string | nullable |`,
  );
  const multipart = async (...parts: readonly (readonly [name: string, type: string, content: string])[]) => {
    const text = parts.map(
      ([name, type, content]) =>
        `--b\r\nContent-Disposition: form-data; name="${name.replace(";", '"; filename="')}"\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`,
    );
    const answer = await send("/people", "multipart/form-data; boundary=b", `${text.join("")}--b--`);
    return answer.status === 201 ? answer.json : `${answer.status} ${answer.json.detail}`;
  };
  const name = ["name", "text/plain", "Ada"] as const;
  const json = "application/json";
  const made = await multipart(
    name,
    ["address", json, '{"city": "Paris"}'],
    ["tags", json, '["a", "b"]'],
    ["spots", json, '{"city": "Rome"}'],
    ["spots", json, '{"city": "Bonn", "zip": "5"}'],
    ["any;blob", json, '{"x": [1]}'],
  );
  assert.deepEqual(made, {
    id: 1,
    name: "Ada",
    address: { city: "Paris", zip: null },
    tags: ["a", "b"],
    spots: [
      { city: "Rome", zip: null },
      { city: "Bonn", zip: "5" },
    ],
    any: { x: [1] },
  });
  assert.match(await multipart(name, ["address", json, '{"zip": "1"}']), /address.city is required/);
  assert.match(await multipart(["name", json, "5"]), /name must be a string/);
  assert.match(await multipart(name, ["any;x.bin", "image/x", "x"]), /any must be text, not a file/);
  assert.equal(
    (await multipart(["name", json, '"Ada"'], ["address[city]", "text/plain", "Oslo"])).address.city,
    "Oslo",
  );
});

test("a choice between bytes and the body is bytes, whichever is chosen", async (t) => {
  const send = await serve(
    t,
    `### POST /chosen

- Does: answer
- Accepts: text/plain, application/octet-stream
- Returns: 200 \`{"plain": base64(request.body), "chosen": base64(query.zip == "1" ? unbase64("aGk=") : request.body)}\`

| Input | In | Type |
|---|---|---|
| zip | query | string |`,
  );
  for (const type of ["text/plain", "application/octet-stream"])
    for (const [query, chosen] of [
      ["", "aGVsbG8="],
      ["?zip=0", "aGVsbG8="],
      ["?zip=1", "aGk="],
    ] as const) {
      const { status, json } = await send(`/chosen${query}`, type, "hello");
      assert.deepEqual([status, json], [200, { plain: "aGVsbG8=", chosen }]);
    }
});

test("`request.body` is bytes, whatever is accepted: `check` rejects a text in the same choice", () => {
  const mistakes = (accepts: string, expression: string) =>
    compile(
      smallDocument({
        endpoints: `### POST /any\n\n- Does: answer\n${accepts}- Returns: 200 \`{"value": ${expression}}\``,
      }),
      { file: "any.md" },
    )
      .diagnostics.filter(({ severity }) => severity === "error")
      .map(({ message }) => message);
  const types = [
    "text/plain",
    "text/csv, text/plain",
    "application/octet-stream",
    "image/*",
    "text/*, image/png",
  ];
  for (const accepts of ["", ...types.map((type) => `- Accepts: ${type}\n`)]) {
    assert.deepEqual(mistakes(accepts, '"x" + request.body'), [
      'Invalid operands of "+": a string and bytes.',
    ]);
    for (const right of [
      'base64(unbase64("AQI=") + request.body)',
      '"x" + string(request.body)',
      "size(request.body)",
    ])
      assert.deepEqual(mistakes(accepts, right), [], `${accepts}${right}`);
  }
});
