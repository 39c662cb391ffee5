/**
 * Planted export faults: one fault at a time is planted in the export code, and the export tests
 * detect each.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { type Document, documentAt, runOf } from "./documents.ts";
import { faults } from "./faults.ts";
import type { OpenapiFile } from "./openapi-judge.ts";
import { brokenRules } from "./openapi-rules.ts";
import { problemsOf } from "./problems-of.ts";
import { exporterWithFault } from "./put-fault.ts";
import { type Exporter, exporter } from "./versions-of.ts";

/**
 * A few documents of every kind, to be fast: forms, expansions, older versions, streams, own
 * payloads.
 */
const judged = [
  "test/coverage/errors.md",
  "test/coverage/wire.md",
  "test/coverage/endpoints-lists.md",
  "test/coverage/endpoints-repeated.md",
  "test/coverage/versions.md",
  "test/contracts/ledger.md",
  "test/documents/issues.md",
  "test/documents/issue-log.md",
  "examples/conduit.md",
  "examples/twins/twilio.md",
  "examples/parcel-desk.md",
  "examples/twins/stripe.md",
].map(documentAt);

/** Returns the first violation in the exports. */
async function firstWrong(documents: readonly Document[], exportedBy: Exporter): Promise<string | undefined> {
  for (const document of documents) {
    const { model } = document;
    const file = exportedBy.openapiDocument(exportedBy.wireOf(model), "3.1", []) as unknown as OpenapiFile;
    const wrong = brokenRules(file)[0] ?? problemsOf(model, await runOf(document), exportedBy)[0];
    if (wrong !== undefined) return `${document.path}: ${wrong}`;
  }
  return undefined;
}

test("without a fault, nothing is reported", async () => {
  assert.equal(await firstWrong(judged, exporter), undefined);
});

for (const [at, { what }] of faults.entries())
  test(`a fault is detected: ${what}`, async () => {
    assert.notEqual(await firstWrong(judged, await exporterWithFault(at)), undefined);
  });
