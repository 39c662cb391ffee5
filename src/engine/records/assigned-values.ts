/**
 * Assigned values: parses and checks values that `Set`, effects and rules (part 2) assign to
 * fields. The field's reader parses values of unknown type (`json`, `fromJson`) like inputs. All
 * others are checked against the field's type. An invalid value is an *invalid field*.
 */
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import { isExactKind, type Type } from "../../expressions/type.ts";
import { isList, isObject, type Value } from "../../expressions/value.ts";
import { compileTypeCheck } from "../../fields/check-type.ts";
import { compileValueCheck } from "../../fields/check-value.ts";
import { compileToStored } from "../../fields/stored-form.ts";
import { createFieldContext, type FieldContext } from "../../fields/field-reader.ts";
import { Findings } from "../../fields/findings.ts";
import { type FieldRule, hasRule, isServiceSet } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { elementRules } from "../../fields/types/list.ts";
import { after, forEachInOrder } from "../../support/awaitable.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { Json } from "../../support/json.ts";
import type { Evaluate, EvaluationContext } from "../evaluation/context.ts";
import { type ProblemDetail, Problem } from "../problem.ts";
import { BrokenRule } from "./broken-rule.ts";
import { withAllParts } from "./part-defaults.ts";
import type { PlanContext } from "./plan-context.ts";
import { wireIdentifier } from "./stored-form.ts";

/**
 * Evaluates a value and converts it for its field.
 * @param node the expression of `evaluate`
 */
export function planAssigned(
  context: PlanContext,
  resource: string,
  field: string,
  node: Node,
  evaluate: Evaluate,
): Evaluate {
  // The resource's plan may still be under construction, so its readers are compiled for the first
  // value.
  let convert: ((value: Value, evaluation: EvaluationContext) => ReturnType<Evaluate>) | undefined;
  return (evaluation) =>
    after(evaluate(evaluation), (value) => {
      if (value === null) return null;
      convert ??= planConversion(context, resource, field, node);
      return convert(value, evaluation);
    });
}

function planConversion(
  context: PlanContext,
  resource: string,
  field: string,
  node: Node,
): (value: Value, evaluation: EvaluationContext) => ReturnType<Evaluate> {
  const declared = context.resource(resource).fields.get(field);
  if (!declared || declared.gap) return (value) => value;
  const { type, rules } = declared;
  const path = sentPath(node);
  const name = path ?? field;
  const refuse = (
    details: readonly Pick<ProblemDetail, "condition" | "field" | "problem" | "value" | "refersTo">[],
  ): Problem =>
    new Problem(
      details.map((detail) => ({ ...detail, resource, ...(path === undefined ? {} : { ofField: field }) })),
      { because: declared.position },
    );
  const read = planRead(context, type, rules, node, name);
  const fieldsOf = partsOfValues(context);
  const keep = compileToStored(type, rules, fieldsOf);
  const known = { fieldsOf, resource: context.reading.resource };
  const check = compileTypeCheck(type, rules, known);
  const origin = originOf(node);
  // Fast path: a value of exactly this type that does not come from the request, such as `now`.
  if (!read && origin !== "request" && type.kind === node.type.kind && isExactKind(type.kind))
    return (value) => value;
  const broken = origin === "request" ? compileValueCheck(type, rules, known) : undefined;
  const checked = (value: Value): Value => {
    const kept = keep ? keep(value) : value;
    const wrong = check(kept);
    if (!wrong) {
      const problem = kept === null ? undefined : broken?.(withAllParts(context, type, kept));
      if (problem === undefined) return kept;
      throw refuse([{ condition: "invalid field", field: name, problem }]);
    }
    const reason = wrong.path === "" ? wrong.problem : `(${wrong.path.replace(/^\./, "")}) ${wrong.problem}`;
    if (origin === "document") throw new BrokenRule(resource, field, reason);
    throw refuse([{ condition: "invalid field", field: name + wrong.path, problem: wrong.problem }]);
  };
  if (!read) return checked;
  return (value, evaluation) => {
    const findings = new Findings();
    const found = read(value, findings);
    const problems = findings.problems();
    if (found === undefined || problems.length > 0)
      throw refuse(problems.map((problem) => ({ ...blameOf(problem, type) })));
    return after(missingReferences(context, evaluation, findings), (missing) => {
      if (missing.length > 0) throw refuse(missing);
      return checked(found);
    });
  };
}

function blameOf(
  { condition, field, problem, rule, value }: ReturnType<Findings["problems"]>[number],
  type: FieldType,
) {
  return {
    condition,
    field,
    problem,
    type: type.kind,
    ...(rule ? { rule } : {}),
    ...(value === undefined ? {} : { value }),
  };
}

/** References to missing records. Visibility does not matter: expressions see all records. */
function missingReferences(context: PlanContext, evaluation: EvaluationContext, { references }: Findings) {
  const missing: Pick<ProblemDetail, "condition" | "field" | "problem" | "value" | "refersTo">[] = [];
  const looking = forEachInOrder(references, ({ resource, value, field }) => {
    if (value === null) return;
    const shown = wireIdentifier(context, resource, value);
    const plan = context.resource(resource);
    return after(plan.find(evaluation.work.session, evaluation.frame, value), (found) => {
      if (found) return;
      const problem = `is not a known ${plan.resource.called.replace(/_/g, " ")}`;
      missing.push({ condition: "unknown reference", field, problem, value: shown, refersTo: plan.name });
    });
  });
  return after(looking, () => missing);
}

// ── Parsing values of unknown type ──────────────────────────────────────────────────────────────

type Read = (value: Value, findings: Findings) => Value | undefined;

function partsOfValues(context: PlanContext) {
  return (resource: string): readonly FieldPart[] =>
    context.resource(resource).stored.filter(({ rules }) => !isServiceSet(rules));
}

/** Undefined if the static type of the whole value is known. */
function planRead(
  context: PlanContext,
  type: FieldType,
  rules: readonly FieldRule[],
  node: Node,
  path: string,
): Read | undefined {
  const fields = createFieldContext(context.reading);
  return readOf({ context, fields }, type, rules, node, path)?.read;
}

interface Reading {
  readonly context: PlanContext;
  readonly fields: FieldContext;
}

/** @param isJson the whole value is JSON: no part has its run-time form yet */
interface Found {
  readonly read: Read;
  readonly isJson: boolean;
}

function readOf(
  reading: Reading,
  type: FieldType,
  rules: readonly FieldRule[],
  node: Node,
  path: string,
): Found | undefined {
  const inner = (part: Node, at = path) => readOf(reading, type, rules, part, at);
  switch (node.op) {
    case "literal":
      return undefined;
    case "if":
      return ofSeveral(
        reading,
        type,
        rules,
        path,
        [node.then, node.else].filter(isNoNull).map((part) => inner(part)),
      );
    case "call":
      if (!choosing.has(node.function)) break;
      return ofSeveral(
        reading,
        type,
        rules,
        path,
        node.args.filter(isNoNull).map((argument) => inner(argument)),
      );
    case "map":
      return ofEntries(reading, type, rules, node, path);
    case "list":
      return ofItems(reading, type, rules, node, path);
  }
  const known = kindsOf(node.type, type);
  if (!known.isUnknown) return undefined;
  return {
    isJson: !known.differs,
    read: known.differs ? eitherForm(reading, type, rules, path) : asJson(reading, type, rules, path),
  };
}

/** Functions that return one of their arguments. */
const choosing: ReadonlySet<string> = new Set(["or", "min", "max"]);

function isNoNull(node: Node): boolean {
  return node.type.kind !== "null";
}

function ofSeveral(
  reading: Reading,
  type: FieldType,
  rules: readonly FieldRule[],
  path: string,
  found: readonly (Found | undefined)[],
): Found | undefined {
  if (found.every((candidate) => candidate === undefined)) return undefined;
  const isJson = found.every((candidate) => candidate?.isJson === true);
  return {
    isJson,
    read: isJson ? asJson(reading, type, rules, path) : eitherForm(reading, type, rules, path),
  };
}

/** Reads each part of a map such as `{"city": body.place.city}` separately. */
function ofEntries(
  reading: Reading,
  type: FieldType,
  rules: readonly FieldRule[],
  node: Extract<Node, { op: "map" }>,
  path: string,
): Found | undefined {
  const partOf = membersOf(reading.context, type, rules);
  if (!partOf) return undefined;
  const reads = new Map<string, Read>();
  for (const { key, value } of node.entries) {
    const part = partOf(key);
    const found = part && readOf(reading, part.type, part.rules, value, sentPath(value) ?? `${path}.${key}`);
    if (found) reads.set(key, found.read);
  }
  if (reads.size === 0) return undefined;
  return {
    isJson: false,
    read(value, findings) {
      if (!isObject(value)) return value;
      const made = bareObject<Record<string, Value>>();
      for (const [key, part] of Object.entries(value)) {
        const read = part === null ? undefined : reads.get(key);
        made[key] = read ? (read(part, findings) ?? null) : part;
      }
      return made;
    },
  };
}

function membersOf(
  context: PlanContext,
  type: FieldType,
  rules: readonly FieldRule[],
): ((key: string) => Pick<FieldPart, "type" | "rules"> | undefined) | undefined {
  switch (type.kind) {
    case "map":
      return () => ({ type: type.of, rules: elementRules(type.of, rules) });
    case "object":
      return (key) => type.parts.find(({ name }) => name === key);
    case "value":
      return (key) => context.resource(type.resource).fields.get(key);
    default:
      return undefined;
  }
}

/** Reads each element of a list such as `[body.first, body.second]` separately. */
function ofItems(
  reading: Reading,
  type: FieldType,
  rules: readonly FieldRule[],
  node: Extract<Node, { op: "list" }>,
  path: string,
): Found | undefined {
  if (type.kind !== "list") return undefined;
  const reads = node.items.map((item, at) =>
    readOf(reading, type.of, elementRules(type.of, rules), item, sentPath(item) ?? `${path}[${at}]`),
  );
  if (reads.every((read) => read === undefined)) return undefined;
  return {
    isJson: false,
    read: (value, findings) =>
      isList(value)
        ? value.map((item, at) =>
            item === null ? null : ((reads[at]?.read ?? same)(item, findings) ?? null),
          )
        : value,
  };
}

const same: Read = (value) => value;

function asJson(
  { context, fields }: Reading,
  type: FieldType,
  rules: readonly FieldRule[],
  path: string,
): Read {
  const reader = fields.compile(type, rules);
  return (value, findings) =>
    isJson(value)
      ? reader.json(withoutAbsent(context, type, value), path, findings)
      : findings.refuse("invalid field", path, "must not be bytes");
}

/**
 * Removes absent parts: expressions read them as null and pass them on (`merge(this.place, …)`).
 */
function withoutAbsent(context: PlanContext, type: FieldType, value: Json): Json {
  if (typeof value !== "object" || value === null) return value;
  if (type.kind === "list" && isList(value))
    return value.map((item) => withoutAbsent(context, type.of, item));
  const partOf = membersOf(context, type, []);
  if (!partOf || isList(value)) return value;
  const isAbsent = (key: string, value: Json): boolean => {
    const part = type.kind === "map" || value !== null ? undefined : partOf(key);
    return part !== undefined && !hasRule(part.rules, "nullable") && !hasRule(part.rules, "required");
  };
  const present = Object.entries(value).filter(([key, part]) => !isAbsent(key, part));
  return Object.fromEntries(
    present.map(([key, part]) => [key, withoutAbsent(context, partOf(key)?.type ?? { kind: "json" }, part)]),
  );
}

function isJson(value: Value): value is Value & Json {
  if (typeof value !== "object" || value === null) return true;
  return !(value instanceof Uint8Array) && Object.values(value).every(isJson);
}

/** Reads a value that either has its run-time form already (`or(body.until, now)`) or is JSON. */
function eitherForm(reading: Reading, type: FieldType, rules: readonly FieldRule[], path: string): Read {
  const json = asJson(reading, type, rules, path);
  const fieldsOf = partsOfValues(reading.context);
  const keep = compileToStored(type, rules, fieldsOf);
  const known = { fieldsOf, resource: reading.context.reading.resource };
  const mistyped = compileTypeCheck(type, rules, known);
  const broken = compileValueCheck(type, rules, known);
  return (value, findings) => {
    const kept = keep ? keep(value) : value;
    return mistyped(kept) || broken?.(kept) !== undefined ? json(value, findings) : kept;
  };
}

/**
 * Whether part of a type is unknown, and whether part of it has different run-time and JSON forms.
 */
function kindsOf(from: Type, to: FieldType): { readonly isUnknown: boolean; readonly differs: boolean } {
  const found = { isUnknown: false, differs: false };
  // A map with unknown keys is assigned to an object with known parts.
  if (from.kind === "map" && (to.kind === "object" || to.kind === "value")) found.isUnknown = true;
  collectKinds(from, found);
  return found;
}

function collectKinds(type: Type, found: { isUnknown: boolean; differs: boolean }): void {
  switch (type.kind) {
    case "any":
      found.isUnknown = true;
      break;
    case "list":
    case "map":
      collectKinds(type.of, found);
      break;
    case "object":
      for (const part of Object.values(type.fields)) collectKinds(part, found);
      break;
    case "timestamp":
    case "duration":
    case "record":
    case "collection":
    case "value":
      found.differs = true;
      break;
  }
}

// ── Origin of a value ───────────────────────────────────────────────────────────────────────────

const requestNames: ReadonlySet<string> = new Set(["body", "query", "path", "headers", "request"]);
const ownNames: ReadonlySet<string> = new Set(["now", "service", "limits"]);

/** The origin of a value: the request, else the store, else the document's constants only. */
function originOf(node: Node): "request" | "store" | "document" {
  // Values of `Let` and `for` usually come from the request; records come from the store.
  const isName = (part: Node) => part.op === "named" || part.op === "local";
  const isRecord = ({ type }: Node) => type.kind === "record" || type.kind === "collection";
  if (
    someNode(
      node,
      (part) => (part.op === "fixed" && requestNames.has(part.name)) || (isName(part) && !isRecord(part)),
    )
  )
    return "request";
  return someNode(
    node,
    (part) => (part.op === "fixed" && !ownNames.has(part.name)) || isName(part) || part.op === "collection",
  )
    ? "store"
    : "document";
}

/**
 * Returns the path of a value in the client's body: `lines[0].sku` for `body.lines[0].sku`. Returns
 * undefined for a computed value.
 */
export function sentPath(node: Node): string | undefined {
  if (node.op === "field") {
    const { of } = node;
    if (of.op === "fixed") return of.name === "body" || of.name === "query" ? node.name : undefined;
    const before = sentPath(of);
    return before === undefined ? undefined : `${before}.${node.name}`;
  }
  if (node.op !== "index" || node.index.op !== "literal") return undefined;
  const before = sentPath(node.of);
  const { value } = node.index;
  if (before === undefined) return undefined;
  return typeof value === "number" ? `${before}[${value}]` : `${before}.${String(value)}`;
}
