/**
 * Oracle test of the import: a document is exported as OpenAPI, imported again, and compared with
 * its own model. Everything that the import states must be true. It may state less, which is a gap.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { hasRule } from "../../src/fields/rule.ts";
import type { FieldType } from "../../src/fields/type.ts";
import { conditions, defaultAnswer } from "../../src/model/errors/conditions.ts";
import type { Endpoint, Field, Input, Model, Resource } from "../../src/model/model.ts";
import type { Document } from "./documents.ts";
import { endpointKey, heldOutDocuments, importedText, oracleDocuments } from "./oracle-imports.ts";

/** The statements of one document: the number of correct ones, and the wrong ones. */
interface Verdict {
  readonly right: number;
  readonly wrong: readonly string[];
}

for (const document of [...oracleDocuments, ...heldOutDocuments]) {
  test(`${document.path}: every statement of an import of its OpenAPI file is true`, () => {
    assert.deepEqual(verdictOf(document).wrong, []);
  });
}

test("the test compares hundreds of statements, of every kind", () => {
  const right = oracleDocuments.reduce((sum, document) => sum + verdictOf(document).right, 0);
  assert.ok(right > 500, `${right} statements were compared`);
});

const verdicts = new Map<Document, Verdict>();

function verdictOf(document: Document): Verdict {
  const known = verdicts.get(document);
  if (known) return known;
  const verdict = compared(document.model, imported(document));
  verdicts.set(document, verdict);
  return verdict;
}

/** Whether it is the code of a condition without a row: its name, with its usual status. */
function isUsualCode(code: string, status: number | undefined): boolean {
  const condition = conditions.find((name) => name.replace(/[ -]/g, "_") === code);
  return condition !== undefined && defaultAnswer(condition).status === status;
}

/** Whether an endpoint returns the code by an expression of its own. */
function isReturned({ endpoints }: Model, code: string, status: number | undefined): boolean {
  return endpoints.some(({ returns }) =>
    returns.some(
      (response) =>
        response.kind === "expression" && response.status === status && response.body.text.includes(code),
    ),
  );
}

function imported(document: Document): Model {
  const compiled = compile(importedText(document), { file: `${document.name}.md` });
  assert.deepEqual(
    compiled.diagnostics
      .filter((diagnostic) => diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  assert.ok(compiled.model);
  return compiled.model;
}

function compared(truth: Model, made: Model): Verdict {
  const wrong: string[] = [];
  let right = 0;
  const judge = (isRight: boolean, what: string): void => {
    if (isRight) right += 1;
    else wrong.push(what);
  };
  const own = new Map(
    truth.endpoints.map((endpoint) => [endpointKey(truth, endpoint.method, endpoint.path.text), endpoint]),
  );
  for (const endpoint of made.endpoints) {
    const true_ = own.get(endpointKey(made, endpoint.method, endpoint.path.text));
    if (!true_) continue;
    compareEndpoint(endpoint, true_, truth, judge);
    const [deed] = endpoint.does;
    const kinds = new Set(true_.does.map((operation) => operation.kind));
    // An author's handler creates a record too, which looks the same on the wire.
    const isSame = kinds.size === 1 && (kinds.has(deed?.kind ?? "answer") || kinds.has("handler"));
    if (deed)
      judge(
        isSame,
        `${endpointKey(made, endpoint.method, endpoint.path.text)} does ${deed.kind}, not ${[...kinds]}`,
      );
    const [resource, itself] = [made, truth].map((model, index) =>
      model.resources.find((resource) => resource.name === (index === 0 ? endpoint : true_).resource),
    );
    if (deed?.kind === "read" && resource && itself) compareResource(resource, itself, truth, judge);
  }
  for (const { code, status, when } of made.errors.rows) {
    if (code === undefined) continue;
    const stated = truth.errors.rows.filter((row) => row.code === code);
    judge(
      stated.length === 0
        ? isUsualCode(code, status) || isReturned(truth, code, status)
        : stated.some((row) => row.status === status),
      `${status} ${code}`,
    );
    // Where the truth has rows of the condition, one of them has the code.
    for (const { condition } of when) {
      const rows = truth.errors.rows.filter((row) => row.when.some((place) => place.condition === condition));
      if (rows.length > 0)
        judge(rows.some((row) => row.code === code) || isUsualCode(code, status), `${code} of ${condition}`);
    }
  }
  for (const { status, when } of made.errors.rows)
    for (const { condition } of when) {
      const rows = truth.errors.rows.filter((row) => row.when.some((cause) => cause.condition === condition));
      if (rows.length > 0)
        judge(
          rows.some((row) => row.status === status),
          `${status} ${condition}`,
        );
    }
  return { right, wrong };
}

type Judge = (isRight: boolean, what: string) => void;

function compareEndpoint(made: Endpoint, truth: Endpoint, model: Model, judge: Judge): void {
  for (const input of made.inputs) {
    const name = input.name.join(".");
    const same = truth.inputs.find(
      (candidate) => candidate.in === input.in && candidate.name.join(".") === name,
    );
    if (!same || input.in === "path") continue;
    const at = `${made.method} ${made.path.text} ${input.in} ${name}`;
    if (input.required) judge(same.required || isNeeded(model, truth, same), `${at} is required`);
    judge(fits(input.type, same.type), `${at} is ${input.type.kind}, not ${same.type.kind}`);
  }
  const statuses = truth.returns.map((response) => ("status" in response ? response.status : 0));
  for (const response of made.returns)
    if ("status" in response && statuses.length > 0)
      judge(
        statuses.includes(response.status),
        `${made.method} ${made.path.text} answers ${response.status}`,
      );
}

/**
 * Whether an input must be sent. Part 4: if a record is created or replaced, a required field
 * without another source must be sent.
 */
function isNeeded(
  { resources }: Model,
  { does, resource }: Endpoint,
  { sets, requiredWhenMade }: Input,
): boolean {
  const field = resources
    .find((field) => field.name === resource)
    ?.fields.find((field) => field.name === sets);
  const isMaking = does.some(({ kind }) => ["create", "replace", "upsert"].includes(kind));
  return (
    isMaking &&
    (requiredWhenMade === true || field?.role === "identifier" || hasRule(field?.rules ?? [], "required"))
  );
}

function compareResource(made: Resource, truth: Resource, model: Model, judge: Judge): void {
  const [identifier, own] = [made.identifier, truth.identifier];
  if ("field" in own && "field" in identifier)
    judge(identifier.field === own.field, `${made.name}: identifier ${identifier.field}`);
  if (identifier.kind === "given")
    judge(own.kind === "given" || own.kind === "joint", `${made.name} is given`);
  for (const field of made.fields) {
    const same = truth.fields.find((candidate) => candidate.name === field.name);
    if (same && !(own.kind === "joint")) compareField(made, field, same, model, judge);
  }
}

/**
 * Whether the service sets the field of each record, which is what `required, on create not shown`
 * states.
 */
function isFilled({ role, rules }: Field): boolean {
  const fills = (["computed", "on create", "default"] as const).some((rule) => hasRule(rules, rule));
  return role === "state" || (fills && !hasRule(rules, "nullable"));
}

function compareField({ name }: Resource, made: Field, truth: Field, model: Model, judge: Judge): void {
  const at = `${name}.${made.name}`;
  judge(fits(made.type, truth.type), `${at} is ${made.type.kind}, not ${truth.type.kind}`);
  if (hasRule(made.rules, "nullable")) judge(hasRule(truth.rules, "nullable"), `${at} is nullable`);
  if (hasRule(made.rules, "required"))
    judge(
      hasRule(truth.rules, "required") || (made.open?.made !== undefined && isFilled(truth)),
      `${at} is required`,
    );
  if (hasRule(made.rules, "default")) judge(hasRule(truth.rules, "default"), `${at} has a default`);
  // `on create not shown` states that no client sends the field. With a gap, or with `default not
  // shown`, a client may send it.
  const isDefault = made.open?.made?.subject.endsWith("(default)");
  if (!made.open?.made || isDefault || made.gap || made.role !== "plain") return;
  const writers = model.endpoints.filter(
    (endpoint) =>
      endpoint.resource !== undefined && endpoint.inputs.some((input) => input.sets === made.name),
  );
  const own = writers.filter((writer) =>
    model.resources.some((r) => r.name === writer.resource && r.fields.includes(truth)),
  );
  judge(
    own.length === 0,
    `${at} is never sent, but ${own.map((endpoint) => `${endpoint.method} ${endpoint.path.text}`)} sets it`,
  );
}

/**
 * Whether a type is equal on the wire: a reference is sent as its identifier, a decimal as a text.
 */
function fits(made: FieldType, truth: FieldType): boolean {
  const kinds: Readonly<Record<string, readonly string[]>> = {
    string: [
      "file",
      "reference",
      "decimal",
      "duration",
      "password",
      "credential",
      "state",
      "enum",
      "timestamp",
      "date",
      "email",
      "uuid",
      "uri",
    ],
    enum: ["state", "string"],
    integer: ["reference", "timestamp", "number", "duration"],
    number: ["timestamp", "integer", "decimal"],
    value: ["object", "json", "map", "reference", "file"],
    map: ["json", "object", "value"],
    json: Object.keys({ ...truth }).length > 0 ? [truth.kind] : [],
    uuid: ["reference", "string"],
    list: ["json"],
  };
  if (made.kind === truth.kind)
    return made.kind !== "list" || truth.kind !== "list" || fits(made.of, truth.of);
  return made.kind === "not shown" || truth.kind === "json" || (kinds[made.kind] ?? []).includes(truth.kind);
}
