/** Callbacks, schemes with scopes and the payload of errors: what is stated, and what is proposed. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { importFile } from "../../inputs/formats.ts";
import { accept } from "../accept.ts";
import { workListOf } from "../worklist.ts";

const text = { type: "string" };
const shape = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const json = (schema: object) => ({ content: { "application/json": { schema } } });
const answer = (schema: object) => ({ description: "Bad.", ...json(schema) });
const failures = { 400: answer(shape("Failure")), 409: answer(shape("Failure")) };

const jobs = {
  openapi: "3.0.3",
  info: { title: "Jobs", version: "1" },
  security: [{ login: ["read", "write"] }],
  paths: {
    "/jobs": {
      get: { responses: { 200: answer({ type: "array", items: shape("Job") }), ...failures } },
      post: {
        security: [{ login: ["jobs:write"] }, { login: ["admin"] }],
        requestBody: json({ type: "object", required: ["url"], properties: { url: text } }),
        callbacks: {
          done: { "{$request.body#/url}": { post: { requestBody: json(shape("Done")) } } },
        },
        responses: { 201: answer(shape("Job")), ...failures },
      },
    },
    "/jobs/{jobId}": {
      get: {
        security: [],
        parameters: [{ name: "jobId", in: "path", required: true, schema: text }],
        responses: { 200: answer(shape("Job")), ...failures },
      },
    },
    "/status": {
      get: { security: [{}, { login: ["read"] }], responses: { 204: { description: "" } } },
    },
  },
  components: {
    securitySchemes: {
      login: {
        type: "oauth2",
        flows: { implicit: { scopes: { read: "", write: "", "jobs:write": "", admin: "" } } },
      },
    },
    schemas: {
      Job: { type: "object", required: ["id"], properties: { id: { ...text, readOnly: true }, url: text } },
      Done: { type: "object", properties: { job: text } },
      Failure: {
        type: "object",
        required: ["error"],
        properties: {
          error: {
            type: "object",
            required: ["code", "message", "ok"],
            properties: {
              code: text,
              message: text,
              ok: { type: "boolean", enum: [false] },
              field: text,
              extra: text,
            },
          },
        },
      },
    },
  },
};

function imported(description: object): string {
  const name = "jobs.json";
  const options = { name, text: JSON.stringify(description), readRelative: () => undefined, only: [] };
  return importFile("openapi", options).text;
}

const kindsIn = (document: string) => workListOf("jobs.md", document).proposals.map(({ kind }) => kind);

test("a callback is an event with its payload, and its address is in a comment", () => {
  const made = imported(jobs);
  assert.match(made, /\n\| done +\| not shown +\| Done +\|\n/);
  assert.match(made, /#\/paths\/~1jobs\/post: callback done to \{\$request\.body#\/url\};/);
});

test("callbacks of one name with different payloads are one event, and a comment", () => {
  const second = {
    ...jobs.paths["/jobs"].post,
    callbacks: { done: { x: { post: { requestBody: json(shape("Job")) } } } },
  };
  const made = imported({ ...jobs, paths: { ...jobs.paths, "/tasks": { post: second } } });
  assert.equal(made.match(/^\| done +\|/gm)?.length, 1);
  assert.match(
    made,
    /#\/paths\/~1tasks\/post\/callbacks\/done\/x: an event of the name done with another payload/,
  );
});

test("an operation whose security is empty or optional is for anyone", () => {
  const made = imported(jobs);
  assert.match(made, /### GET \/jobs\/\{jobId\}\n\n- Does: read Job\n- Allowed: anyone\n/);
  assert.match(made, /### GET \/status\n[\s\S]*?- Allowed: anyone\n/);
  assert.equal(made.match(/- Allowed: /g)?.length, 2);
});

test("scopes are proposed by name only, and become conditions of the token's record", () => {
  const made = imported(jobs);
  assert.ok(kindsIn(made).includes("scopes"));
  const all = accept("jobs.md", made, ["likely", "possible"]).text;
  assert.match(all, /- Placement: header Authorization, after Bearer\n- Credentials: not shown\n/);
  const scoped = accept("jobs.md", made, ["scopes"]).text;
  assert.match(scoped, /- Placement: header Authorization, after Bearer\n- Credentials: LoginToken by key\n/);
  assert.match(
    scoped,
    /### LoginToken\n[\s\S]*?\| scopes +\| list of one of read, write, jobs:write, admin +\| required +\|/,
  );
  assert.match(scoped, /- Allowed: `"jobs:write" in caller\.scopes \|\| "admin" in caller\.scopes`/);
  assert.match(scoped, /- Allowed: `"read" in caller\.scopes && "write" in caller\.scopes`/);
});

test("a scope that is no plain word, or of another scheme too, is a gap instead of a condition", () => {
  const odd = { ...jobs, security: [{ login: ['a" || true || "b'] }] };
  const gaps = accept("jobs.md", imported(odd), ["scopes"]).text;
  assert.match(gaps, /### GET \/jobs\n[\s\S]*?- Does: not shown\n- Allowed: not shown\n/);
  assert.doesNotMatch(gaps, /- Allowed: .*true/);
  const key = { type: "apiKey", in: "header", name: "X-Key" };
  const either = {
    ...jobs,
    security: [{ login: ["read"] }, { key: [] }],
    components: { ...jobs.components, securitySchemes: { ...jobs.components.securitySchemes, key } },
  };
  const made = accept("jobs.md", imported(either), ["scopes"]).text;
  assert.doesNotMatch(made, /"read" in caller/);
  assert.match(made, /### GET \/jobs\n[\s\S]*?- Allowed: not shown\n/);
});

test("the payload of errors is proposed from the names of the members that errors always have", () => {
  const made = accept("jobs.md", imported(jobs), ["error-payload"]).text;
  assert.ok(
    made.includes(
      '{"error": {"code": error.code, "message": error.message, "ok": false, "field?": error.field}}',
    ),
    made,
  );
});

test("no payload is proposed with an unexplained member, for one status, or for some of the errors", () => {
  const { Failure } = jobs.components.schemas;
  const { error } = Failure.properties;
  const withFailure = (schema: object) => ({
    ...jobs,
    components: { ...jobs.components, schemas: { ...jobs.components.schemas, Failure: schema } },
  });
  const required = {
    ...Failure,
    properties: { error: { ...error, required: [...error.required, "extra"] } },
  };
  assert.ok(!kindsIn(imported(withFailure(required))).includes("error-payload"));
  const endless = { type: "object", required: ["error"], properties: { error: shape("Failure") } };
  assert.ok(!kindsIn(imported(withFailure(endless))).includes("error-payload"));
  const list = { type: "array", items: text };
  assert.ok(!kindsIn(imported(withFailure(list))).includes("error-payload"));
});

test("errors of the media type of RFC 9457 are problem details, if Ninefold sends their members", () => {
  const withErrors = (required: readonly string[]) => {
    const schema = {
      type: "object",
      required,
      properties: { title: text, status: { type: "integer" }, trace: text },
    };
    const error = { description: "", content: { "application/problem+json": { schema } } };
    const responses = { 204: { description: "" }, 400: error, 404: structuredClone(error) };
    return imported({ ...jobs, paths: { "/status": { get: { responses } } } });
  };
  const made = accept("jobs.md", withErrors(["title"]), ["error-payload"]).text;
  assert.match(made, /- Payload shape: problem details\n/);
  assert.ok(!kindsIn(withErrors(["title", "trace"])).includes("error-payload"));
});
