/** Documents of a small desk, for tests of stored changes. */
import assert from "node:assert/strict";
import { compile } from "../../src/compile.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { openStore, type StoreOptions } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";

/** A document with these resources and this part 9. */
export function documentOf(resources: string, changes = "", states = ""): string {
  return `# Interface Specification: Desk

## What the service does

## Resources and their fields

${resources}

## States and transitions

${states}

## Endpoints

## Authentication

## Events

## Errors

## Limits

## Versioning

- Scheme: none

${changes}
`;
}

/** @param rows of the table of fields */
export function resource(name: string, ...rows: readonly string[]): string {
  return `### ${name}

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | string | |
${rows.map((row) => `| ${row} |\n`).join("")}`;
}

/** An embedded value. */
export function value(name: string, ...rows: readonly string[]): string {
  return `${resource(name, ...rows)
    .replace("Identifier: id, given", "Identifier: none")
    .replace("| id | string | |\n", "")}\n`;
}

/** A resource with a generated identifier. */
export function made(name: string, ...rows: readonly string[]): string {
  return `${resource(name, ...rows)
    .replace("given", "made by `uuid()`")
    .replace("| id | string |", "| id | uuid |")}\n`;
}

export function modelOf(text: string): Model {
  const { model, diagnostics } = compile(text, { file: "desk.md" });
  const errors = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  assert.deepEqual(
    errors.map(({ message, position }) => `${position.start.line}: ${message}`),
    [],
  );
  assert.ok(model);
  return model;
}

export async function open(text: string, path: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const model = modelOf(text);
  return openStore(model, meaningOf(model), { path, ...options });
}
