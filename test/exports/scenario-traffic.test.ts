/**
 * Scenario traffic: the exports describe the served API. Every request and response of every
 * scenario is validated by the OpenAPI file of its version.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { runOf, shownDocuments, testDocuments } from "./documents.ts";
import { problemsOf } from "./problems-of.ts";

for (const document of [...shownDocuments, ...testDocuments]) {
  test(`${document.path}: the requests and responses of its scenarios match its OpenAPI`, async () => {
    assert.deepEqual(problemsOf(document.model, await runOf(document)), []);
  });
}
