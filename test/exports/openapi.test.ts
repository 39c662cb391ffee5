/**
 * OpenAPI files of every example and twin: two third-party validators accept them, and they satisfy
 * Ninefold's own invariants.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { Validator } from "@seriousme/openapi-schema-validator";
import { compile } from "../../src/compile.ts";
import { openapiDocument, openapiOutput } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { soon } from "../processor-time.ts";
import { shownDocuments, testDocuments } from "./documents.ts";
import { largeDocument } from "./large-document.ts";
import type { OpenapiFile } from "./openapi-judge.ts";
import { brokenRules } from "./openapi-rules.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("openapi");

async function fileOf(model: Parameters<typeof wireOf>[0], options: Readonly<Record<string, string>> = {}) {
  const { files } = await openapiOutput.generate(model, { openapi: "3.1", format: "json", ...options });
  return (files[0] as { text: string }).text;
}

/**
 * The OpenAPI files of each document: in both versions of OpenAPI, and for each version of the
 * document.
 */
const written: { readonly path: string; readonly file: string; readonly json: object }[] = [];
for (const { name, model } of shownDocuments) {
  const versions = wireOf(model).versions.map((version) => version.name);
  for (const openapi of ["3.1", "3.2"])
    for (const version of versions.length === 0 ? [undefined] : versions) {
      const text = await fileOf(model, { openapi, ...(version === undefined ? {} : { version }) });
      const path = join(folder, `${name}-${version ?? "only"}-${openapi}.json`);
      writeFileSync(path, text);
      written.push({ path, file: basename(path), json: JSON.parse(text) as object });
    }
}

/**
 * Warnings that come from a document's content: no part has a licence, and endpoints may have
 * overlapping paths. A schema that only a stream's events use is referenced in Ninefold's
 * extension, which Redocly doesn't check; `usedSchemas` ensures that no schema is unused.
 */
const explained = new Set(["info-license", "no-ambiguous-paths", "no-unused-components"]);

interface Report {
  readonly ruleId: string;
  readonly severity: string;
  readonly message: string;
}

test("Redocly's recommended rules report only explained warnings", {
  timeout: 300_000,
}, async () => {
  const cli = createRequire(import.meta.url)
    .resolve("@redocly/cli/package.json")
    .replace("package.json", "bin/cli.js");
  const paths = written.map((file) => file.path);
  const { stdout } = await promisify(execFile)(process.execPath, [cli, "lint", "--format=json", ...paths], {
    cwd: folder,
    maxBuffer: 64 * 1024 * 1024,
    env: { PATH: process.env["PATH"], REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" },
  }).catch((error: { stdout: string }) => error);
  // One JSON object for each file, without separators.
  const problems = stdout
    .replaceAll(/^\}\{$/gm, "}\n{")
    .split(/^(?=\{$)/m)
    .flatMap((text) => {
      const reported = /^\{[\s\S]*^\}/m.exec(text)?.[0];
      return reported === undefined ? [] : (JSON.parse(reported) as { problems: readonly Report[] }).problems;
    });
  const reported = problems.filter((problem) => !explained.has(problem.ruleId));
  assert.deepEqual(
    reported.map((report) => `${report.severity} ${report.ruleId}: ${report.message}`),
    [],
  );
  assert.ok(problems.length >= written.length, "the rules were checked for every file");
});

for (const { file, json } of written) {
  test(`${file} is valid by a second validator`, async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(json) as never);
    assert.ok(valid, JSON.stringify(errors));
  });
}

for (const { path, model } of [...shownDocuments, ...testDocuments]) {
  test(`${path}: names, links, examples and extensions of its OpenAPI are correct`, async () => {
    assert.deepEqual(brokenRules(JSON.parse(await fileOf(model)) as OpenapiFile), []);
  });
}

test("the responses of examples and twins are described by their keys, choices and merges included", () => {
  for (const { path, model } of shownDocuments) {
    const bare = Object.entries(wireOf(model).schemas).filter(([, schema]) =>
      /^\{("type":"object")?\}$/.test(JSON.stringify(schema)),
    );
    assert.deepEqual(
      bare.map(([name]) => name),
      [],
      path,
    );
  }
});

test("a body that is a single input is described as that input, in the media types of its endpoint", () => {
  const { model } = testDocuments.find(
    (document) => document.name === "endpoints-bodies",
  ) as (typeof testDocuments)[0];
  const body = wireOf(model).operations.find(({ method }) => method === "PATCH")?.body;
  assert.deepEqual(body, {
    required: true,
    mediaTypes: [{ type: "application/json-patch+json", kind: "json" }],
    schema: { type: "array", items: { $ref: "#/components/schemas/PatchInput" }, maxItems: 100 },
    jsonInForms: [],
  });
});

test("a second request with a key is described as rejected only if the document rejects it rather than waits", () => {
  const conflictsOf = (name: string, id: string) => {
    const { model } = shownDocuments.find(
      (shownDocument) => shownDocument.name === name,
    ) as (typeof shownDocuments)[0];
    const { refusals } = wireOf(model).operations.find((operation) => operation.id === id) ?? assert.fail(id);
    return refusals
      .filter((refusal) => refusal.status === 409)
      .flatMap((refusal) => refusal.errors.map((error) => error.name));
  };
  assert.ok(!conflictsOf("parcel-desk", "createParcel").includes("idempotency_in_progress"));
  assert.ok(conflictsOf("stripe", "createPaymentIntent").includes("idempotency_key_in_use"));
});

test("the same document gives the same bytes", async () => {
  for (const { model } of shownDocuments) {
    const again = JSON.parse(JSON.stringify(model)) as typeof model;
    assert.equal(await fileOf(again, { format: "yaml" }), await fileOf(model, { format: "yaml" }));
  }
});

test("a document whose nine parts are gaps exports a valid, empty file that lists them", async () => {
  const { model } = shownDocuments.find(
    (shownDocument) => shownDocument.name === "unidentified-service",
  ) as (typeof shownDocuments)[0];
  const { files, notes } = await openapiOutput.generate(model, { openapi: "3.1", format: "json" });
  const file = JSON.parse(files[0]?.text ?? "") as { paths: object; "x-ninefold-gaps": unknown[] };
  assert.deepEqual(file.paths, {});
  assert.equal(file["x-ninefold-gaps"].length, 26);
  assert.equal(notes.length, 26);
});

test("the export time of 1,000 endpoints grows linearly", () => {
  const { model } = compile(largeDocument(1_000), { file: "large.md" });
  assert.equal(model?.endpoints.length, 1_000);
  const wire = soon("the wire view", () => wireOf(model as NonNullable<typeof model>));
  const file = soon("its OpenAPI", () => openapiDocument(wire, "3.1", []));
  assert.equal(Object.keys(file["paths"] as object).length, 600);
});
