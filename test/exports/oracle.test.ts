/**
 * Export oracle: the test looks up statements of the model in the exported files, independently of
 * the export code. Each condition that occurred in a scenario is under the status that was sent,
 * and each rule of an input is in its schema.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import type { AnsweredRequest } from "../../src/engine/observability/answered-request.ts";
import { Problem } from "../../src/engine/problem.ts";
import { type FieldRule, hasRule } from "../../src/fields/rule.ts";
import { createRowChooser } from "../../src/model/errors/error-rows.ts";
import type { Endpoint, Input, Model } from "../../src/model/model.ts";
import { nameOnWire } from "../../src/model/versions/versioned-inputs.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import type { Wire } from "../../src/outputs/wire/wire.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { pathOf } from "../repository/repository.ts";
import { silentTerminal as quiet } from "../terminal.ts";
import { type Document, shownDocuments, testDocuments } from "./documents.ts";
import type { OpenapiFile, OperationObject, Schema } from "./openapi-judge.ts";

for (const document of [...shownDocuments, ...testDocuments]) {
  test(`${document.path}: each rejection in a scenario is listed under its status`, async () => {
    assert.deepEqual(await unlisted(document), []);
  });
}

for (const document of shownDocuments) {
  test(`${document.path}: each rule of an input is in its schema`, () => {
    assert.deepEqual(unsaid(document.model), []);
  });
}

// ── Refusals ────────────────────────────────────────────────────────────────────────────────────

async function unlisted({ model, path }: Document): Promise<readonly string[]> {
  const found = new Set<string>();
  const views = new Map<string | null, Wire>();
  const viewOf = (version: string | null): Wire => {
    const known = views.get(version) ?? wireOf(model, version ?? undefined);
    views.set(version, known);
    return known;
  };
  const choose = createRowChooser(model);
  const onAnswered = ({ endpoint, stopped, response, version }: AnsweredRequest) => {
    if (!endpoint || !(stopped instanceof Problem)) return;
    const [blame] = stopped.details;
    if (ofNoOperation.has(blame.condition) || ["url", "headers"].includes(blame.limitName ?? "")) return;
    const { row, condition } = choose(blame);
    const operation = viewOf(version).operations.find((operation) => isOf(operation.endpoint, endpoint));
    const errors = operation?.refusals.find(({ status }) => status === response.status)?.errors ?? [];
    const isListed = errors.some((error) =>
      row ? error.position?.start.offset === row.position.start.offset : error.conditions.includes(condition),
    );
    if (!isListed)
      found.add(
        `${endpoint.method} ${endpoint.path.text}: ${response.status} ${row?.code ?? ""} (${blame.condition})`,
      );
  };
  for (const scenario of model.scenarios) {
    const handlers = await loadHandlers(pathOf(path), model, quiet);
    const target = await createLocalTarget(model, quiet, handlers, { onAnswered });
    try {
      await runScenario(model, scenario, target, "r1");
    } finally {
      await target.close();
    }
  }
  return [...found];
}

/**
 * Conditions that belong to no operation: a request without an operation, or a fault. `default`
 * covers these.
 */
const ofNoOperation: ReadonlySet<string> = new Set([
  "internal",
  "malformed request",
  "unknown path",
  "unknown version",
]);

function isOf(endpoint: Endpoint, other: Endpoint): boolean {
  return endpoint.method === other.method && endpoint.path.text === other.path.text;
}

// ── Rules of inputs ─────────────────────────────────────────────────────────────────────────────

function unsaid(model: Model): readonly string[] {
  const wire = wireOf(model);
  const file = openapiDocument(wire, "3.1", []) as unknown as OpenapiFile;
  return wire.operations.flatMap(({ endpoint, id }) => {
    const operation = operationOf(file, id);
    if (!operation) return [`${id} is not in the file`];
    return endpoint.inputs.flatMap((input) =>
      input.gap
        ? []
        : wrongInput(file, operation, endpoint, input).map(
            (words) =>
              `${endpoint.method} ${endpoint.path.text}: ${input.in} ${input.name.join(".")} ${words}`,
          ),
    );
  });
}

function operationOf(file: OpenapiFile, id: string): OperationObject | undefined {
  return Object.values(file.paths)
    .flatMap((item) => Object.values(item))
    .find((operation) => operation.operationId === id);
}

function wrongInput(
  file: OpenapiFile,
  operation: OperationObject,
  endpoint: Endpoint,
  input: Input,
): readonly string[] {
  const place = placeOf(file, operation, endpoint, input);
  if (!place) return ["is not in the file"];
  const missing = input.rules.filter((rule) => !isSaid(rule, input, place.schemas)).map(({ rule }) => rule);
  const isNeeded = input.required && input.default === undefined && input.in !== "path";
  return [
    ...missing.map((rule) => `has no ${rule}`),
    ...(isNeeded === place.required || input.in === "path"
      ? []
      : [isNeeded ? "is not said to be required" : "is said to be required"]),
  ];
}

interface Place {
  /** Every schema that may apply: the alternatives of `anyOf`, and the targets of references. */
  readonly schemas: readonly Schema[];
  readonly required: boolean;
}

function placeOf(
  file: OpenapiFile,
  operation: OperationObject,
  { bodyIn, bodyIs }: Endpoint,
  input: Input,
): Place | undefined {
  const sent = nameOnWire(input);
  const [first = "", ...rest] = sent;
  if (input.in === "body") {
    const content = Object.values(operation.requestBody?.content ?? {})[0]?.schema;
    const path = bodyIs === undefined ? [...(bodyIn === undefined ? [] : [bodyIn]), first, ...rest] : [];
    return content && within(file, content, path, operation.requestBody?.required === true);
  }
  const name = input.in === "query" ? first : sent.join(".");
  const parameter = operation.parameters?.find(
    (parameter) =>
      parameter.in === input.in && parameter.name.replace("[]", "").toLowerCase() === name.toLowerCase(),
  );
  const schema = parameter?.schema ?? parameter?.content?.["application/json"]?.schema;
  const keys = input.in === "query" ? rest : [];
  return parameter && schema && within(file, schema, keys, parameter.required === true);
}

function within(
  file: OpenapiFile,
  schema: Schema,
  path: readonly string[],
  required: boolean,
): Place | undefined {
  const schemas = opened(file, schema);
  const [first, ...rest] = path;
  if (first === undefined) return { schemas, required };
  for (const member of schemas) {
    const inner = (member["properties"] as Schema | undefined)?.[first] as Schema | undefined;
    if (!inner) continue;
    return within(file, inner, rest, ((member["required"] ?? []) as readonly string[]).includes(first));
  }
  return undefined;
}

function opened(file: OpenapiFile, schema: Schema): readonly Schema[] {
  const { $ref, anyOf } = schema;
  const named = typeof $ref === "string" ? file.components.schemas[$ref.split("/").at(-1) ?? ""] : undefined;
  const inner = [...(named ? [named] : []), ...(Array.isArray(anyOf) ? (anyOf as readonly Schema[]) : [])];
  return [schema, ...inner.flatMap((part) => opened(file, part))];
}

/**
 * A trimmed or otherwise transformed value is validated after the transformation, which no schema
 * expresses.
 */
function isSaid(rule: FieldRule, { rules, type }: Input, schemas: readonly Schema[]): boolean {
  const has = (keyword: string, value?: unknown) =>
    value === undefined ||
    schemas.some((member) => JSON.stringify(member[keyword]) === JSON.stringify(value));
  const isChanged = hasRule(rules, "trimmed") || hasRule(rules, "lower case");
  switch (rule.rule) {
    case "length": {
      // A row's own rule is checked in addition to the field's.
      const bounds = rules.filter((rule) => rule.rule === "length");
      const least = Math.max(...bounds.map(({ min = 0 }) => min));
      const most = Math.min(...bounds.map(({ max = Number.POSITIVE_INFINITY }) => max));
      return (
        has("minLength", least || undefined) &&
        (isChanged || has("maxLength", Number.isFinite(most) ? most : undefined))
      );
    }
    case "items":
      if (hasRule(rules, "merged")) return true;
      return type.kind === "map"
        ? has("minProperties", rule.min || undefined) && has("maxProperties", rule.max)
        : has("minItems", rule.min || undefined) && has("maxItems", rule.max);
    case "pattern":
      return isChanged || schemas.some((member) => member["pattern"] !== undefined);
    case "distinct":
      return has("uniqueItems", true);
    case "range":
      return (
        !["integer", "number"].includes(type.kind) ||
        schemas.some((member) => "minimum" in member || "maximum" in member)
      );
    case "nullable":
      return (
        schemas.some(
          (member) =>
            member["type"] === "null" ||
            (Array.isArray(member["type"]) && (member["type"] as readonly string[]).includes("null")) ||
            Object.keys(member).length === 0,
        ) || type.kind === "json"
      );
    default:
      return true;
  }
}
