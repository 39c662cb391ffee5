/**
 * Imports of Ninefold's own exports with their extensions: the import states what an extension
 * states, with the same meaning. The guide's table lists what the import leaves open.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { importFile } from "../../src/inputs/formats.ts";
import type { JsonSchema } from "../../src/fields/json-schema.ts";
import type { Endpoint, Model } from "../../src/model/model.ts";
import {
  documentExtension,
  resourceExtension,
  statesExtension,
} from "../../src/outputs/openapi/extensions.ts";
import { openapiDocument, openapiOutput } from "../../src/outputs/openapi/openapi.ts";
import { createReporter } from "../../src/diagnostics/diagnostic.ts";
import { createSource } from "../../src/source/source.ts";
import { formatDocument } from "../../src/syntax/format.ts";
import { errorsExtension } from "../../src/outputs/openapi/error-table.ts";
import { itemsOf, typeText } from "../../src/outputs/openapi/item-texts.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { textOf } from "../repository/repository.ts";
import type { Document } from "./documents.ts";
import {
  endpointKey,
  fullExport,
  importedFrom,
  importedWithExtensions,
  oracleDocuments,
} from "./oracle-imports.ts";

/** Statements that are equal in both documents. */
const tally = { operations: 0, states: 0, limits: 0, errors: 0 };

/** Endpoints that the document states and the import leaves open, as the guide counts them. */
const open: string[] = [];

for (const document of oracleDocuments)
  test(`${document.path}: the statements of its extensions are read back`, () => {
    const made = imported(document);
    assert.deepEqual(comparedOperations(document.model, made), []);
    assert.deepEqual(comparedStates(document.model, made), []);
    assert.deepEqual(comparedLimits(document.model, made), []);
  });

for (const document of oracleDocuments)
  test(`${document.path}: an identifier of a stated record is no input without a meaning`, () => {
    const opened = imported(document).endpoints.flatMap(({ method, path, inputs }) =>
      inputs
        .filter((input) => input.in === "path" && path.text.includes(`{${input.name}}`))
        .map(({ name }) => `${method} ${path.text}: ${name}`),
    );
    const stated = document.model.endpoints.flatMap(({ inputs }) =>
      inputs.filter((input) => input.in === "path"),
    );
    if (stated.length === 0) assert.deepEqual(opened, []);
  });

for (const document of oracleDocuments)
  test(`${document.path}: part 1 and the errors of part 7 are read back`, () => {
    const made = imported(document);
    assert.deepEqual(purposeOf(made), purposeOf(document.model));
    assert.deepEqual(comparedErrors(document.model, made), []);
    assert.deepEqual(openStatuses(document.model, made), []);
  });

for (const document of oracleDocuments)
  test(`${document.path}: the types of fields are read back`, () => {
    assert.deepEqual(comparedTypes(document.model, imported(document)), []);
  });

for (const document of oracleDocuments)
  test(`${document.path}: an export with the document is read back as the document`, () => {
    const file = openapiDocument(wireOf(document.model), "3.1", []);
    const text = JSON.stringify({ ...file, ...documentExtension(document.model, file) });
    const source = createSource(document.path, document.model.text);
    assert.equal(importedFrom(document, text), formatDocument(source, createReporter(source)));
  });

test("a document in a file that was changed after its export is not read", async () => {
  const document = oracleDocuments.find(({ name }) => name === "parcel-desk");
  assert.ok(document);
  const options = { openapi: "3.1", extensions: "document", format: "yaml" };
  const [file] = (await openapiOutput.generate(document.model, options)).files;
  assert.ok(file);
  assert.match(importedFrom(document, file.text), /^### Scenario: /m);
  const changed = importedFrom(document, file.text.replace("/parcels/{id}:", "/parcels/{id}/{other}:"));
  assert.doesNotMatch(changed, /^### Scenario: /m);
  assert.match(changed, /<!-- openapi #\/x-ninefold-document: the file was changed after its export/);
});

test("an export says each error by its message, its code or its condition", () => {
  for (const document of oracleDocuments)
    assert.doesNotMatch(fullExport(document), /"description":"[^"]* 2"/);
});

test("the creation of identifiers is counted as the document states it", () => {
  const document = oracleDocuments.find(({ name }) => name === "parcel-desk");
  assert.ok(document);
  const options = { name: "a.json", text: fullExport(document), readRelative: () => undefined, only: [] };
  const { counts } = importFile("openapi", options);
  assert.deepEqual(counts.get("how identifiers are made"), { stated: 2, open: 0, comment: 0 });
});

test("`security: []` without schemes states that there is no authentication", () => {
  const document = oracleDocuments.find(({ model }) => model.authentication.schemes.length === 0);
  assert.ok(document);
  assert.match(importedWithExtensions(document), /^- Scheme: none$/m);
});

test("a parameter for the rest of a path is read back", () => {
  const document = oracleDocuments.find(({ name }) => name === "s3");
  assert.ok(document);
  const paths = imported(document).endpoints.map(({ method, path }) => `${method} ${path.text}`);
  const rests = document.model.endpoints.filter(({ path }) => path.text.includes("..."));
  assert.ok(rests.length > 0);
  for (const { method, path } of rests) assert.ok(paths.includes(`${method} ${path.text}`), path.text);
});

test("the guide counts the endpoints that stay open", () => {
  const all = oracleDocuments.flatMap(({ model }) => model.endpoints).length;
  const guide = textOf("docs/guides/import.md").replaceAll(/\s+/g, " ");
  assert.match(guide, new RegExp(`Of the ${all} endpoints of the ${oracleDocuments.length} documents`));
  assert.match(guide, new RegExp(`the import states ${all - open.length}\\.`));
});

test("the test compares many statements", () => {
  assert.ok(tally.operations >= 90, `${tally.operations} operations`);
  assert.ok(tally.states >= 30, `${tally.states} resources with states`);
  assert.ok(tally.errors >= 300, `${tally.errors} rows of part 7`);
  assert.ok(tally.limits >= 25, `${tally.limits} limits`);
});

function imported(document: Document): Model {
  const { model, diagnostics } = compile(importedWithExtensions(document), { file: `${document.name}.md` });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error"),
    [],
  );
  assert.ok(model);
  return model;
}

/** Returns the operation of an endpoint, with its conditions. */
function statementOf(endpoint: Endpoint): JsonSchema {
  const { allowed, fails, idempotency } = endpoint;
  return {
    items: itemsOf(endpoint),
    allowed: allowed.flatMap((rule) => (rule.kind === "condition" ? [rule.condition.text] : [])),
    fails: fails.map(({ code, when }) => `${code} when ${when.text}`),
    ...(idempotency ? { key: [idempotency.in, idempotency.name, idempotency.milliseconds ?? null] } : {}),
  };
}

function comparedOperations(truth: Model, made: Model): readonly string[] {
  const own = new Map(
    truth.endpoints.map((endpoint) => [endpointKey(truth, endpoint.method, endpoint.path.text), endpoint]),
  );
  return made.endpoints.flatMap((endpoint) => {
    const key = endpointKey(made, endpoint.method, endpoint.path.text);
    const true_ = own.get(key);
    if (true_ && endpoint.gap && !true_.gap) open.push(key);
    if (!true_ || endpoint.gap || isRecognised(endpoint)) return [];
    const [stated, meant] = [statementOf(endpoint), statementOf(true_)].map((schema) =>
      JSON.stringify(schema),
    );
    if (stated === meant) tally.operations += 1;
    return stated === meant ? [] : [`${key}: ${stated}, not ${meant}`];
  });
}

/** Whether an operation without any other item than open statuses may come from a recogniser. */
function isRecognised(endpoint: Endpoint): boolean {
  const items = itemsOf(endpoint).filter(({ item }) => item !== "Fails");
  const [deed] = endpoint.does;
  return items.length === 1 && /^(read|create|update)$/.test(deed?.kind ?? "");
}

function comparedStates(truth: Model, made: Model): readonly string[] {
  const [meant, stated] = [truth, made].map((model) =>
    wireOf(model).resources.map((resource) => ({ name: resource.name, states: statesExtension(resource) })),
  );
  return (stated ?? []).flatMap(({ name, states }) => {
    const own = meant?.find((resource) => resource.name === name)?.states;
    if (!states || !own) return states ? [`${name} has no states`] : [];
    const isOpen = JSON.stringify(states).includes("not shown");
    tally.states += 1;
    return isOpen || JSON.stringify(states) === JSON.stringify(own)
      ? []
      : [`${JSON.stringify(states)}, not ${JSON.stringify(own)}`];
  });
}

function purposeOf({ purpose }: Model): readonly (readonly [string, string])[] {
  return Object.entries(purpose).map(([item, text]) => [item, String(text).replace(/\s+/g, " ").trim()]);
}

/**
 * The rows of part 7 that are neither equal nor open. A row may be open where its condition or its
 * texts name what the file doesn't have.
 */
function comparedErrors(truth: Model, made: Model): readonly string[] {
  const [meant, stated] = [truth, made].map((model) => {
    const extension = errorsExtension(wireOf(model));
    return { ...extension, rows: extension["rows"] as readonly JsonSchema[] };
  });
  const rows = (stated?.rows ?? []).flatMap((row, index) => {
    const own = meant?.rows[index];
    const isOpen = made.errors.rows[index]?.gaps.length !== 0;
    tally.errors += isOpen ? 0 : 1;
    const same = { ...row, when: withoutBase(row) };
    return isOpen || JSON.stringify(same) === JSON.stringify({ ...own, when: withoutBase(own ?? {}) })
      ? []
      : [`${JSON.stringify(row)}, not ${JSON.stringify(own)}`];
  });
  return stated?.rows.length === meant?.rows.length ? rows : [...rows, "another number of rows"];
}

/** Conditions without names of schemes, which are keys in the file. */
function withoutBase(row: JsonSchema): JsonSchema[string] {
  return JSON.parse(JSON.stringify(row["when"] ?? []).replace(/scheme [\w ]+/g, "scheme"));
}

/** Endpoints with stated items whose statuses are open, where the document leaves none open. */
function openStatuses(truth: Model, made: Model): readonly string[] {
  const open = truth.endpoints.filter(({ openFails }) => openFails !== undefined);
  const known = new Set(open.map((endpoint) => endpointKey(truth, endpoint.method, endpoint.path.text)));
  return made.endpoints.flatMap((endpoint) => {
    const key = endpointKey(made, endpoint.method, endpoint.path.text);
    const isStated = !endpoint.gap && !isRecognised(endpoint) && endpoint.does.length > 0;
    return isStated && endpoint.openFails && !known.has(key) ? [key] : [];
  });
}

/** References and texts with a meaning that have another type than in the document. */
function comparedTypes(truth: Model, made: Model): readonly string[] {
  const records = made.resources.filter(({ identifier }) => identifier.kind !== "none");
  const names = new Set(records.map(({ name }) => name));
  const wire = wireOf(truth);
  return records.flatMap(({ name, fields }) => {
    const own = wire.resources.find((resource) => resource.name === name);
    // A resource that is returned by a shape of its own isn't in the file.
    if (!own?.shown || !resourceExtension(own, wire.schemas[own.shown] ?? {})) return [];
    return fields.flatMap((field) => {
      const same = own.resource.fields.find((candidate) => candidate.name === field.name);
      const referred = same && typeText(same.type)?.split(" ").at(-1);
      const isKnown = same && (referred === undefined || /^[a-z]/.test(referred) || names.has(referred));
      if (!isKnown || field.open || field.gap || typeText(same.type) === typeText(field.type)) return [];
      // A field whose rule names what the file doesn't have is open.
      if (field.type.kind === "json") return [];
      return [`${name}.${field.name}: ${field.type.kind}, not ${typeText(same.type)}`];
    });
  });
}

function comparedLimits(truth: Model, made: Model): readonly string[] {
  const textOf = ({ limits }: Model): readonly string[] => [
    ...limits.rates.map(({ name, count, periodMs, burst, per }) =>
      JSON.stringify([name, count, periodMs, burst, typeof per === "string" ? per : per.text]),
    ),
    ...limits.bodyBytes.map(({ bytes }) => `body ${bytes}`),
    ...limits.timeoutsMs.map(({ milliseconds }) => `time-out ${milliseconds}`),
  ];
  const meant = textOf(truth);
  tally.limits += textOf(made).length;
  return textOf(made).filter((row) => !meant.includes(row));
}

test("extensions with values that no document can hold are left open, and the import has no error", () => {
  const document = oracleDocuments.find(({ name }) => name === "subscriptions");
  assert.ok(document);
  const file = JSON.parse(fullExport(document));
  const texts: [owner: Record<string, unknown>, key: string][] = [];
  const visit = (value: unknown, isWithin: boolean): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (isWithin && typeof inner === "string") texts.push([value as Record<string, unknown>, key]);
      visit(inner, isWithin || key.startsWith("x-ninefold-"));
    }
  };
  visit(file, false);
  assert.ok(texts.length > 100);
  for (const bad of ["`", "when `x`", "## Errors", "a | b", "x\ny", "<!-- a", "not shown", "", 7, null, []]) {
    // Every seventh text is tested at once, because errors hide one another.
    for (let first = 0; first < 7; first += 3) {
      const kept = texts.map(([owner, key]) => owner[key]);
      for (const [index, [owner, key]] of texts.entries()) if (index % 7 === first) owner[key] = bad;
      const { diagnostics } = compile(importedFrom(document, JSON.stringify(file)), { file: "a.md" });
      assert.deepEqual(
        diagnostics.filter(({ severity }) => severity === "error"),
        [],
        String(bad),
      );
      for (const [index, [owner, key]] of texts.entries()) owner[key] = kept[index];
    }
  }
});
