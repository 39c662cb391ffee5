/**
 * Stored rules: the rules of part 2 under which a store was created, stored with its tables.
 * Records must satisfy them in addition to their stored form. The next start compares them with the
 * document's (`migrations/plan/rule-changes.ts`), and checks the records unless a rule is certainly
 * looser.
 */
import { bodyOf, nodesThroughout, withBodies } from "../expressions/analysis/bodies.ts";
import { isAnyCase } from "../expressions/any-case.ts";
import { someNode, walk } from "../expressions/nodes.ts";
import type { FixedName, Node } from "../expressions/node.ts";
import { resourcesRead } from "../expressions/analysis/reads.ts";
import { types } from "../expressions/type.ts";
import type { Meaning } from "../expressions/scope.ts";
import { isServiceSet, ruleOf, type FieldRule } from "../fields/rule.ts";
import { ruleNamed } from "../fields/rules/index.ts";
import type { FieldPart, FieldType } from "../fields/type.ts";
import { rulesOfEach } from "../fields/types/list.ts";
import type { Field, Model, Resource } from "../model/model.ts";
import { digestOf } from "../support/hashing/digest.ts";
import { type StoredRule, isChecked } from "./migrations/plan/rule-changes.ts";

/**
 * The rules of a field's values at any depth, including types. A value that contains itself is
 * listed once.
 */
export function storedRules(
  { type, rules }: Pick<Field, "type" | "rules">,
  model: Model,
): readonly StoredRule[] {
  const kept: StoredRule[] = [];
  const checked = (rules: readonly FieldRule[], at: string): void => {
    for (const rule of rules)
      if (isChecked(rule.rule)) kept.push({ at, rule: rule.rule, words: ruleNamed(rule), ...boundsOf(rule) });
  };
  const look = (
    fieldType: FieldType,
    own: readonly FieldRule[],
    at: string,
    inside: readonly string[],
  ): void => {
    kept.push({ at, rule: "type", words: typeInWords(fieldType), ...valuesOf(fieldType) });
    checked(own, at);
    switch (fieldType.kind) {
      case "list":
      case "map":
        look(fieldType.of, rulesOfEach(own), `${at}[]`, inside);
        break;
      case "json":
        // A choice of types, such as `string or list of string`. Its elements have types and rules of
        // their own.
        if (fieldType.either?.some(({ kind }) => hasElements(kind))) {
          const lists = fieldType.either.filter(({ kind }) => hasElements(kind));
          kept.push({ at: `${at}[]`, rule: "type", words: lists.map(typeInFull).join(" or ") });
          checked(rulesOfEach(own), `${at}[]`);
        }
        break;
      case "object":
        parts(fieldType.parts, at, inside);
        break;
      case "value":
        if (!inside.includes(fieldType.resource))
          parts(partsOfValue(model, fieldType.resource), at, [...inside, fieldType.resource]);
    }
  };
  const parts = (all: readonly FieldPart[], at: string, inside: readonly string[]): void => {
    for (const part of all) look(part.type, part.rules, `${at}.${part.name}`, inside);
  };
  look(type, rules, "", []);
  return kept;
}

/** The stored parts of a value that the service doesn't set by itself; those have no rules to keep. */
export function partsOfValue({ resources }: Pick<Model, "resources">, name: string): readonly FieldPart[] {
  const fields = resources.find((resource) => resource.name === name)?.fields ?? [];
  return fields.filter(({ rules }) => !isServiceSet(rules));
}

function boundsOf(rule: FieldRule): Pick<StoredRule, "min" | "max"> {
  if (rule.rule !== "length" && rule.rule !== "items" && rule.rule !== "range") return {};
  const { min, max } = rule;
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}

function valuesOf(type: FieldType): Pick<StoredRule, "values"> {
  if (type.kind === "enum") return { values: type.values };
  return type.kind === "state" ? { values: type.states } : {};
}

/** A list, a map or a set of parts is one word, followed by its content. */
function typeInWords(type: FieldType): string {
  switch (type.kind) {
    case "enum":
      return `one of ${type.values.join(", ")}`;
    case "state":
      return `state ${type.states.join(", ")}`;
    case "reference":
      return `reference to ${type.resource}`;
    case "value":
    case "object":
      return "parts";
    case "json":
      return type.either ? type.either.map(typeInWords).join(" or ") : type.kind;
    default:
      return type.kind;
  }
}

/** The same with the types of elements, at any depth. */
function typeInFull(type: FieldType): string {
  return type.kind === "list" || type.kind === "map"
    ? `${type.kind} of ${typeInFull(type.of)}`
    : typeInWords(type);
}

function hasElements(kind: FieldType["kind"]): boolean {
  return kind === "list" || kind === "map";
}

// ── Record rules ────────────────────────────────────────────────────────────────────────────────────────

/** `Always` or `Fails` of a resource. */
export interface RecordRule {
  readonly kind: "Always" | "Fails";
  readonly node: Node;
  readonly text: string;
  readonly line: number;
  /** Equal for rules with the same meaning, however they are written. */
  readonly digest: string;
}

export function recordRulesOf(
  { always, fails }: Pick<Resource, "always" | "fails">,
  meaning: Meaning,
): readonly RecordRule[] {
  const all = [
    ...always.map((alway) => ({ kind: "Always" as const, ...alway })),
    ...fails.map(({ when, position }) => ({ kind: "Fails" as const, ...when, position })),
  ];
  return all.map(({ kind, node, text, position }) => ({
    kind,
    node,
    text,
    line: position.start.line,
    digest: `${kind} ${digestOf(inFull(node, meaning))}`,
  }));
}

/**
 * The expression together with all that its meaning depends on: the expressions of computed fields,
 * the bodies of shapes, and the fields that are compared without case.
 */
export function inFull(node: Node, meaning: Meaning): string {
  const computed = new Map<string, string>();
  const look = (of: Node): void =>
    walk(of, (part) => {
      if (part.op !== "field" || (part.of.type.kind !== "record" && part.of.type.kind !== "value")) return;
      const name = `${part.of.type.resource}.${part.name}`;
      const inner = computed.has(name) ? undefined : meaning.computed(part.of.type.resource, part.name);
      if (!inner) return;
      computed.set(name, JSON.stringify(inner));
      look(inner);
    });
  look(node);
  return JSON.stringify([node, [...computed].toSorted(), ...otherMeaning(node, meaning)]);
}

/** Empty for most rules, so that these have the digests of earlier releases. */
function otherMeaning(node: Node, meaning: Meaning): readonly (readonly string[])[] {
  const other = new Set<string>();
  for (const part of nodesThroughout(node, meaning)) {
    if (part.op === "shape" || part.op === "representation")
      other.add(`${part.op} ${JSON.stringify(bodyOf(part, meaning) ?? null)}`);
    const without = comparedWithoutCase(part, meaning);
    if (without !== undefined) other.add(`any case ${without}`);
  }
  return other.size > 0 ? [[...other].toSorted()] : [];
}

/** The field that a node reads, or the resource of its records, if these are compared without case. */
function comparedWithoutCase(part: Node, { vocabulary }: Meaning): string | undefined {
  const type = part.type.kind === "list" ? part.type.of : part.type;
  if (!isAnyCase({ ...part, type }, vocabulary)) return undefined;
  if (type.kind === "record") return type.resource;
  return part.op === "field" && "resource" in part.of.type
    ? `${part.of.type.resource}.${part.name}`
    : undefined;
}

/** Whether a record (`this`) violates the rule. */
export function violationNode({ kind, node }: RecordRule): Node {
  if (kind === "Fails") return node;
  const isTrue: Node = { op: "literal", value: true, type: types.boolean };
  return { op: "binary", operator: "!=", left: node, right: isTrue, type: types.boolean };
}

const ofRecord: ReadonlySet<FixedName> = new Set<FixedName>(["this"]);
const ofAlways: ReadonlySet<FixedName> = new Set<FixedName>(["this", "now"]);

/**
 * Whether stored records can be checked. A `Fails` that reads the caller, the inputs or the time is
 * about the request, and was checked when that arrived. Secrets and handlers of a service are not
 * available here.
 */
export function isCheckable({ kind, node }: Pick<RecordRule, "kind" | "node">, meaning: Meaning): boolean {
  const known = kind === "Always" ? ofAlways : ofRecord;
  const isOther = (part: Node): boolean =>
    part.op === "fixed"
      ? !known.has(part.name)
      : part.op === "call" &&
        (ofService.has(part.function) || meaning.vocabulary.handlerFunction(part.function) !== undefined);
  return !withBodies(node, meaning).some((body) => someNode(body, isOther));
}

const ofService: ReadonlySet<string> = new Set(["token", "verify", "sequence"]);

/** The resources that a rule reads, except its own. */
export function resourcesOfRule({ node }: Pick<RecordRule, "node">, meaning: Meaning): ReadonlySet<string> {
  const keys = [...nodesThroughout(node, meaning)].flatMap((part) =>
    part.op === "key" ? [part.resource] : [],
  );
  return new Set([...keys, ...resourcesRead(node, meaning)]);
}

/** A field that is computed when read, with its expression as written. */
export interface ComputedField {
  readonly name: string;
  readonly text: string;
}

export function computedFields({ fields }: Pick<Resource, "fields">): readonly ComputedField[] {
  return fields.flatMap(({ name, rules }) => {
    const rule = ruleOf(rules, "computed");
    return rule ? [{ name, text: rule.value.text }] : [];
  });
}
