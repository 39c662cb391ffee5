/**
 * OpenAPI invariants: rules of every exported OpenAPI file, whatever the document. Each violation
 * is reported as a sentence.
 */
import { readdirSync } from "node:fs";
import { textOf } from "../repository/repository.ts";
import { createAjv, type OpenapiFile, type Schema } from "./openapi-judge.ts";

export function brokenRules(file: OpenapiFile): readonly string[] {
  const operations = operationsOf(file);
  return [
    ...repeatedIds(operations),
    ...operations.flatMap((operation) => wrongParameters(operation)),
    ...operations.flatMap((operation) => wrongLinks(operation, operations)),
    ...wrongExamples(file),
    ...wrongExtensions(file),
  ];
}

interface Found {
  readonly path: string;
  readonly operation: Schema;
}

function operationsOf({ paths }: OpenapiFile): readonly Found[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.values(item).map((operation) => ({ path, operation: operation as unknown as Schema })),
  );
}

function repeatedIds(operations: readonly Found[]): readonly string[] {
  const ids = operations.map((operation) => String(operation.operation["operationId"]));
  return ids
    .filter((id, at) => ids.indexOf(id) !== at || !/^[a-z][A-Za-z0-9]*$/.test(id))
    .map((id) => `the operationId ${id} occurs twice, or is no name of a method`);
}

/** Reports path parameters that differ from those of the operations, and duplicate parameters. */
function wrongParameters({ path, operation }: Found): readonly string[] {
  const parameters = (operation["parameters"] ?? []) as readonly { name: string; in: string }[];
  const inPath = parameters.filter((parameter) => parameter.in === "path").map((parameter) => parameter.name);
  const named = [...path.matchAll(/\{([^}]*)\}/g)].map((hit) => hit[1] as string);
  const keys = parameters.map((parameter) => `${parameter.in} ${parameter.name.toLowerCase()}`);
  return [
    ...(inPath.toSorted().join() === named.toSorted().join()
      ? []
      : [`${path} has other parameters than ${inPath}`]),
    ...keys
      .filter((key, at) => keys.indexOf(key) !== at)
      .map((key) => `${path}: the parameter ${key} occurs twice`),
  ];
}

/**
 * Reports links whose target doesn't exist, or whose parameters aren't in the response's schema.
 */
function wrongLinks({ operation }: Found, all: readonly Found[]): readonly string[] {
  const responses = Object.values((operation["responses"] ?? {}) as Record<string, Schema>);
  return responses.flatMap((response) =>
    Object.values((response["links"] ?? {}) as Record<string, Schema>).flatMap((link) => {
      const target = all.find((candidate) => candidate.operation["operationId"] === link["operationId"]);
      if (!target) return [`a link leads to ${String(link["operationId"])}, which isn't there`];
      const parameters = (target.operation["parameters"] ?? []) as readonly { name: string; in: string }[];
      const given = Object.keys(link["parameters"] as Schema)
        .toSorted()
        .join();
      const wanted = parameters
        .filter((parameter) => parameter.in === "path")
        .map((parameter) => `path.${parameter.name}`);
      return given === wanted.toSorted().join() ? [] : [`a link gives ${given}, and ${wanted} are wanted`];
    }),
  );
}

/** Reports examples that don't match their schema. */
function wrongExamples(file: OpenapiFile): readonly string[] {
  const ajv = createAjv();
  for (const [name, schema] of Object.entries(file.components.schemas))
    ajv.addSchema(JSON.parse(own(schema)) as Schema, `schema:${name}`);
  const wrong: string[] = [];
  walk(file, (node) => {
    const { examples, schema } = node as { examples?: Record<string, { value?: unknown }>; schema?: Schema };
    if (!schema || typeof examples !== "object" || Array.isArray(examples)) return;
    const validate = ajv.compile(JSON.parse(own(schema)) as Schema);
    for (const [name, { value }] of Object.entries(examples))
      if (!validate(value)) wrong.push(`the example ${name}: ${ajv.errorsText(validate.errors)}`);
  });
  return wrong;
}

/** Reports `x-ninefold-…` extensions that violate `docs/extensions/`. */
function wrongExtensions(file: OpenapiFile): readonly string[] {
  const ajv = createAjv();
  const judges = new Map(
    readdirSync(new URL("../../docs/extensions/", import.meta.url)).map((name) => [
      name.replace(/\.schema\.json$/, ""),
      ajv.compile(JSON.parse(textOf(`docs/extensions/${name}`)) as Schema),
    ]),
  );
  const wrong: string[] = [];
  walk(file, (node) => {
    for (const [key, value] of Object.entries(node)) {
      if (!key.startsWith("x-ninefold-") || key === "x-ninefold-query") continue;
      const judge = judges.get(key);
      if (!judge) wrong.push(`${key} has no schema in docs/extensions/`);
      else if (!judge(value)) wrong.push(`${key}: ${ajv.errorsText(judge.errors)}`);
    }
  });
  return wrong;
}

function own(schema: Schema): string {
  return JSON.stringify(schema).replaceAll('"#/components/schemas/', '"schema:');
}

function walk(value: unknown, visit: (schema: Schema) => void): void {
  if (Array.isArray(value)) for (const item of value) walk(item, visit);
  else if (typeof value === "object" && value !== null) {
    visit(value as Schema);
    for (const member of Object.values(value)) walk(member, visit);
  }
}
