/**
 * `export jsonschema`: every file is valid, self-contained JSON Schema 2020-12, and events of the
 * scenarios match their files.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Model } from "../../src/model/model.ts";
import { defaultVersion } from "../../src/model/versions/version-order.ts";
import { jsonSchemaOutput } from "../../src/outputs/json-schema/json-schema.ts";
import { runOf, shownDocuments, testDocuments } from "./documents.ts";
import { memoizeBy } from "../../src/support/memoize-by.ts";
import { createAjv, type Schema } from "./openapi-judge.ts";

async function filesOf(model: Model, version?: string): Promise<ReadonlyMap<string, Schema>> {
  const { files } = await jsonSchemaOutput.generate(model, { version });
  return new Map(files.map(({ path, text }) => [path, JSON.parse(text) as Schema]));
}

/** Validates schemas; the schemas of one file are removed before the next. */
const ajv = createAjv();

interface Index {
  readonly schemas: readonly { readonly name: string; readonly kind: string; readonly path: string }[];
  readonly gaps: readonly unknown[];
}

for (const document of [...shownDocuments, ...testDocuments]) {
  const { path, model } = document;
  test(`${path}: each JSON Schema file is self-contained`, async () => {
    const files = await filesOf(model);
    const { schemas } = files.get("index.json") as unknown as Index;
    assert.deepEqual(
      schemas.map((schema) => schema.path).toSorted(),
      [...files.keys()].filter((name) => name !== "index.json").toSorted(),
    );
    for (const [name, schema] of files) {
      if (name === "index.json") continue;
      assert.ok(ajv.validateSchema(schema), `${name}: ${ajv.errorsText(ajv.errors)}`);
      // Each file is self-contained: the schemas of others are removed.
      assert.doesNotThrow(() => ajv.compile(schema), name);
      ajv.removeSchema();
    }
  });

  test(`${path}: the events of its scenarios match their files`, async () => {
    // Events are serialized in the version of `Default`.
    const files = await filesOf(model, defaultVersion(model.versioning));
    const { schemas } = files.get("index.json") as unknown as Index;
    const byEvent = new Map(
      schemas.filter((schema) => schema.kind === "event").map((schema) => [schema.name, schema.path]),
    );
    const validatorOf = memoizeBy((schema: Schema) => createAjv().compile(schema));
    const wrong = (await runOf(document)).events.flatMap(({ type, payload }) => {
      const file = byEvent.get(type);
      if (file === undefined) return [`${type} has no file`];
      const validate = validatorOf(files.get(file) as Schema);
      return validate(payload)
        ? []
        : [`${type}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(payload)}`];
    });
    assert.deepEqual([...new Set(wrong)], []);
  });
}

test("a document of gaps has only the schema of errors, and lists its gaps", async () => {
  const { model } = shownDocuments.find(
    (shownDocument) => shownDocument.name === "unidentified-service",
  ) as (typeof shownDocuments)[0];
  const { schemas, gaps } = (await filesOf(model)).get("index.json") as unknown as Index;
  assert.deepEqual(
    schemas.map((schema) => schema.name),
    ["Problem"],
  );
  assert.equal(gaps.length, 26);
});
