/** Limits and versions: what headers, paths and descriptions show is stated, proposed or kept as evidence. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { accept } from "../../worklist/accept.ts";
import { workListOf } from "../../worklist/worklist.ts";
import { importFile } from "../formats.ts";

interface Parts {
  readonly parameters?: readonly object[];
  readonly headers?: object;
  readonly server?: string;
  readonly path?: string;
  readonly limited?: string;
}

/** A description with two operations, which have the same parameters and headers. */
function imported({ parameters = [], headers, server = "/", path = "/pets", limited = "Slow down" }: Parts) {
  const ok = { description: "The pets", ...(headers ? { headers } : {}) };
  const operation = { parameters, responses: { 204: ok, 429: { description: limited } } };
  const { text } = importFile("openapi", {
    name: "api.json",
    text: JSON.stringify({
      openapi: "3.1.0",
      info: { title: "Pets", version: "4.2" },
      servers: [{ url: server }],
      paths: { [path]: { get: operation, delete: operation } },
    }),
    readRelative: () => undefined,
    only: [],
  });
  assertSound(text);
  return text;
}

function assertSound(text: string): void {
  const { diagnostics } = compile(text, { file: "api.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
}

const kindsOf = (text: string) => workListOf("api.md", text).proposals.map(({ kind }) => kind);
const versionHeader = (schema: object, more: object = {}) => [
  { name: "Pet-Version", in: "header", schema: { type: "string", ...schema }, ...more },
];
const headers = (names: readonly string[], more: object = {}) =>
  Object.fromEntries(names.map((name) => [name, { schema: { type: "integer" }, ...more }]));

function part(text: string, name: string): string {
  const rest = text.slice(text.indexOf(`\n## ${name}`));
  const end = rest.indexOf("\n## ", 4);
  return rest.slice(0, end === -1 ? undefined : end).replace(/ +/g, " ");
}

test("a required header with one value states the scheme, and so does one with that default", () => {
  const required = imported({ parameters: versionHeader({ enum: ["2026-01-01"] }, { required: true }) });
  assert.match(
    part(required, "Versioning"),
    /- Scheme: header `Pet-Version`\n- Compat.*\n\n.*\n.*\n\| 2026-01-01 \| current \|/,
  );
  assert.doesNotMatch(required, /\| Pet-Version +\| header/);
  const initial = imported({ parameters: versionHeader({ const: "v2", default: "v2" }) });
  assert.match(part(initial, "Versioning"), /- Scheme: header `Pet-Version`\n- Default: v2\n/);
});

test("several values are proposed if requests without the header are decided", () => {
  const values = { enum: ["2025-06-01", "2026-01-01"] };
  const text = imported({ parameters: versionHeader(values, { required: true }) });
  assert.match(
    text,
    /openapi versions: header Pet-Version, required, values 2025-06-01 2026-01-01, 2 of 2 operations/,
  );
  assert.match(text, /- Version scheme: not shown\n/);
  const { text: answered } = accept("api.md", text, ["versions"]);
  assertSound(answered);
  assert.match(part(answered, "Versioning"), /\| 2026-01-01 \| current \|\n\| 2025-06-01 \| not shown \|/);
  assert.doesNotMatch(answered, /\| Pet-Version +\| header/);
  assert.ok(!kindsOf(imported({ parameters: versionHeader(values) })).includes("versions"));
  const example = { required: true, example: "2026-01-01" };
  assert.ok(kindsOf(imported({ parameters: versionHeader({}, example) })).includes("versions"));
});

test("a version in the base path is proposed, one in paths is evidence", () => {
  const text = imported({ server: "https://api.example.com/v2/pets" });
  assert.match(text, /openapi versions: base path \/v2; info\.version 4\.2 -->/);
  const { text: answered } = accept("api.md", text, ["versions"]);
  assertSound(answered);
  assert.match(answered, /- Base path: \/pets\n/);
  assert.match(part(answered, "Versioning"), /- Scheme: path prefix\n[\s\S]*\| v2 \| current \|/);
  const below = imported({ path: "/v3/pets" });
  assert.match(below, /openapi versions: paths below \/v3; info\.version 4\.2 -->/);
  assert.ok(!kindsOf(below).includes("versions"));
});

test("headers of limits are evidence, and no number is made up", () => {
  const text = imported({
    headers: { ...headers(["X-RateLimit-Limit"], { example: 5000 }), ...headers(["Retry-After"]) },
  });
  assert.match(
    text,
    /openapi limits: 2 of 2 operations have X-RateLimit-Limit, Retry-After; X-RateLimit-Limit example 5000 -->/,
  );
  assert.match(part(text, "Limits"), /- Rate limits: not shown\n/);
  assert.ok(!kindsOf(text).includes("rate-limits"));
});

test("a number of requests for a time is proposed, with its headers", () => {
  const names = ["X-RateLimit-Limit", "X-RateLimit-Remaining"];
  const reset = {
    "X-RateLimit-Reset": { description: "In Unix epoch seconds", schema: { type: "integer" } },
  };
  const limited = "At most 5,000 requests per hour and 250 calls per minute.";
  const text = imported({ headers: { ...headers(names), ...reset }, limited });
  const { text: answered } = accept("api.md", text, ["rate-limits"]);
  assertSound(answered);
  const limits = part(answered, "Limits");
  assert.match(
    limits,
    /\| rate hour \| 5000 per hour \| not shown \|\n\| rate minute \| 250 per minute \| not shown \|/,
  );
  assert.match(limits, /- Rate headers: X-RateLimit \(limit, remaining, reset as unix seconds\)\n/);
  assert.doesNotMatch(answered, /Header: X-RateLimit/);
  const { text: unknown } = accept("api.md", imported({ headers: headers(names), limited: "100 per day" }), [
    "rate-limits",
  ]);
  assert.match(part(unknown, "Limits"), /\| rate \| 100 per day \| not shown \|/);
  const twice = imported({ limited: "100 requests per day, or 500 per day with a plan" });
  assert.ok(!kindsOf(twice).includes("rate-limits"));
});
