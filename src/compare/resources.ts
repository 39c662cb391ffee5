/** Compares resources and their states. */
import { ruleNamed } from "../fields/rules/index.ts";
import type { FieldRule } from "../fields/rules/index.ts";
import type { Field, Identifier, Model, Resource } from "../model/model.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import { operationsOn } from "./audiences.ts";
import type { Differences } from "./difference.ts";
import { compareCondition, compareFails, visibility } from "./guards.ts";
import { allOf, changeOf, convertedFields, sameMeaning } from "./meaning.ts";
import { compareStates } from "./states.ts";

const aspects: Aspects<Resource> = {
  name: "same",
  variableName: "same",
  position: "same",
  prose: "same",
  identifier: "elsewhere",
  fields: "elsewhere",
  unique: "elsewhere",
  fails: "elsewhere",
  visible: "elsewhere",
  always: "elsewhere",
  kept: { rule: "resource-changed", what: "keeps its records for another time" },
  deleted: { rule: "resource-changed", what: "deletes records differently" },
  called: { rule: "error-body-changed", what: "has another name in errors" },
  states: "elsewhere",
  records: { rule: "resource-changed", what: "has other initial records" },
  gap: "elsewhere",
  openItems: "elsewhere",
};

export function compareResources(before: Model, after: Model, differences: Differences): void {
  const old = new Map(before.resources.map((resource) => [resource.name, resource]));
  for (const now of after.resources) {
    const was = old.get(now.name);
    if (!was) continue;
    const piece: Piece = { subject: now.name, position: now.position, ...callersOf(after, now.name) };
    compareAspects(was, now, aspects, piece, differences);
    const optional = (condition: Resource["visible"]) => allOf(condition ? [condition] : []);
    compareCondition(
      optional(was.visible),
      optional(now.visible),
      visibility,
      "Visible",
      { ...piece, position: now.visible?.position ?? now.position },
      differences,
    );
    compareFails(was.fails, now.fails, piece, differences);
    compareAlways(was, now, piece, differences);
    const shown: Piece = {
      subject: now.name,
      position: now.position,
      ...callersOf(after, now.name, true),
    };
    compareIdentifier(was.identifier, now.identifier, shown, differences);
    compareUnique(was, now, piece, differences);
    compareFields(was, now, { before, after, differences });
    if (was.states && now.states)
      compareStates(was.states, now.states, { piece, before, after, differences });
    else if (was.states || now.states)
      report(
        differences,
        piece,
        "transition-changed",
        now.states ? "has states now" : "no longer has states",
      );
  }
}

/** The callers of the resource's operations, as the audience of its differences. */
function callersOf(model: Model, resource: string, isShown = false): Pick<Piece, "operations"> {
  const operations = operationsOn(model, resource, isShown);
  return operations === undefined ? {} : { operations };
}

function compareAlways(was: Resource, now: Resource, piece: Piece, differences: Differences): void {
  const change = changeOf(allOf(was.always), allOf(now.always));
  if (change === "same") return;
  const rule = ({ stricter: "guard-added", looser: "guard-removed", other: "guard-changed" } as const)[
    change
  ];
  report(differences, piece, rule, "has other conditions under `Always`", now.always[0]?.position);
}

function compareIdentifier(was: Identifier, now: Identifier, piece: Piece, differences: Differences): void {
  const meaning = (identifier: Identifier) =>
    identifier.kind === "not shown" ? identifier.kind : identifier;
  if (!sameMeaning(meaning(was), meaning(now)))
    report(differences, piece, "resource-changed", "has another identifier");
}

function compareUnique(was: Resource, now: Resource, piece: Piece, differences: Differences): void {
  const keys = (resource: Resource) =>
    new Map(resource.unique.map((item) => [item.fields.toSorted().join(", "), item.position]));
  const [old, current] = [keys(was), keys(now)];
  for (const [fields, position] of current)
    if (!old.has(fields))
      report(
        differences,
        piece,
        "uniqueness-added",
        `rejects a second record with the same ${fields}`,
        position,
      );
  for (const [fields, position] of old)
    if (!current.has(fields))
      report(
        differences,
        piece,
        "uniqueness-removed",
        `accepts several records with the same ${fields}`,
        undefined,
        {
          place: { in: "old", position },
        },
      );
}

/** Rules that the schemas of requests and responses contain. */
const onTheWire = new Set([
  "required",
  "nullable",
  "length",
  "range",
  "pattern",
  "items",
  "each",
  "keys",
  "default",
  "deprecated",
  "sent as",
]);
const comparedAlone = new Set(["any case", "on delete"]);
const ofUniqueness = new Set(["unique", "distinct"]);

interface Comparison {
  readonly before: Model;
  readonly after: Model;
  readonly differences: Differences;
}

function compareFields(was: Resource, now: Resource, comparison: Comparison): void {
  const { after, differences } = comparison;
  const converted = convertedFields(comparison.before, after);
  const old = new Map(was.fields.map((field) => [field.name, field]));
  const callers = callersOf(after, now.name, true);
  for (const field of now.fields) {
    const before = old.get(field.name);
    const piece: Piece = { subject: `${now.name}.${field.name}`, position: field.position, ...callers };
    if (!before) continue;
    compareCase(before, field, piece, differences);
    compareOnDelete(before, field, after, piece, differences);
    compareRules(before, field, piece, differences);
    if (!converted.has(piece.subject)) compareType(before, field, piece, differences);
  }
}

/** `any case` decides which texts are equal: for uniqueness, filters and paths. */
function compareCase(was: Field, now: Field, piece: Piece, differences: Differences): void {
  const [before, after] = [was, now].map(({ rules }) => rules.some(({ rule }) => rule === "any case"));
  if (before === after) return;
  const isUnique = now.rules.some(({ rule }) => rule === "unique");
  if (after && isUnique) report(differences, piece, "uniqueness-added", "is `any case` now");
  else if (after) report(differences, piece, "field-changed", "is `any case` now: case makes no difference");
  else
    report(
      differences,
      piece,
      "field-changed",
      "is no longer `any case`: a text in another case is not found",
    );
}

/** A deletion that references prevent is rejected. Without a rule, they do. */
function compareOnDelete(was: Field, now: Field, after: Model, piece: Piece, differences: Differences): void {
  const target = referenceOf(now.type);
  if (target === undefined || referenceOf(was.type) === undefined) return;
  const [before, then] = [was, now].map(onDeleteOf);
  if (before === then) return;
  const deletions = after.endpoints.filter(({ does, effects }) =>
    [...does, ...effects].some((own) => own.kind === "delete" && own.resource === target),
  );
  const audience = { operations: deletions.map(({ method, path }) => `${method} ${path.text || "/"}`) };
  const words = `is \`on delete ${then}\` now, \`${before}\` before`;
  if (then === "restrict")
    report(
      differences,
      piece,
      "guard-added",
      `${words}: no ${target} that a record refers to can be deleted`,
      undefined,
      audience,
    );
  else
    report(
      differences,
      piece,
      before === "restrict" ? "guard-removed" : "field-changed",
      words,
      undefined,
      before === "restrict" ? audience : {},
    );
}

function onDeleteOf({ rules }: Field): string {
  return rules.find((rule) => rule.rule === "on delete")?.then ?? "restrict";
}

function referenceOf(type: Field["type"]): string | undefined {
  if (type.kind === "list" || type.kind === "map") return referenceOf(type.of);
  return type.kind === "reference" ? type.resource : undefined;
}

function rulesOf({ rules }: Field, isMeant: (name: string) => boolean): readonly FieldRule[] {
  return rules.filter(({ rule }) => isMeant(rule));
}

/** Compares the rules that schemas don't contain. */
function compareRules(was: Field, now: Field, piece: Piece, differences: Differences): void {
  const isUniqueness = (name: string) => ofUniqueness.has(name);
  for (const rule of rulesOf(now, isUniqueness))
    if (!was.rules.some((fieldRule) => fieldRule.rule === rule.rule))
      report(differences, piece, "uniqueness-added", `is \`${ruleNamed(rule)}\` now`);
  for (const rule of rulesOf(was, isUniqueness))
    if (!now.rules.some((fieldRule) => fieldRule.rule === rule.rule))
      report(differences, piece, "uniqueness-removed", `is no longer \`${ruleNamed(rule)}\``);
  const isKept = (name: string) => !onTheWire.has(name) && !isUniqueness(name) && !comparedAlone.has(name);
  const [before, after] = [rulesOf(was, isKept), rulesOf(now, isKept)];
  if (!sameMeaning(before, after)) report(differences, piece, "field-changed", wordsOfRules(before, after));
}

/** Compares the type and the rules that schemas contain, unless the comparison of the wire has found it. */
function compareType(was: Field, now: Field, piece: Piece, differences: Differences): void {
  const isLimit = (name: string) => onTheWire.has(name);
  // The states of a state field are compared with its transitions.
  const isType = ({ type, gap, role }: Field) => ({
    type: type.kind === "state" ? type.kind : type,
    gap: gap !== undefined,
    role,
  });
  const differs = !sameMeaning([isType(was), rulesOf(was, isLimit)], [isType(now), rulesOf(now, isLimit)]);
  const isOther = (name: string) => onTheWire.has(name) && name !== "default";
  const isDefaultAlone = sameMeaning(
    [isType(was), rulesOf(was, isOther)],
    [isType(now), rulesOf(now, isOther)],
  );
  if (differs && isDefaultAlone) report(differences, piece, "input-default-changed", "has another default");
  else if (differs && !differences.hasWithin(piece.subject))
    report(differences, piece, "field-changed", "has another type, or other rules for its values");
}

/** In words, the rules that only one of the fields has, and those that differ. */
function wordsOfRules(before: readonly FieldRule[], after: readonly FieldRule[]): string {
  const only = (of: readonly FieldRule[], other: readonly FieldRule[]) =>
    of
      .filter((rule) => !other.some((candidate) => candidate.rule === rule.rule))
      .map((rule) => `\`${ruleNamed(rule)}\``);
  const [added, removed] = [only(after, before), only(before, after)];
  const changed = after
    .filter((rule) => before.some((old) => old.rule === rule.rule && !sameMeaning(old, rule)))
    .map((rule) => `another \`${ruleNamed(rule)}\``);
  const is = [
    ...(added.length > 0 ? [`is ${added.join(", ")} now`] : []),
    ...(removed.length > 0 ? [`is no longer ${removed.join(", ")}`] : []),
    ...(changed.length > 0 ? [`has ${changed.join(", ")} now`] : []),
  ];
  return is.join(", and ");
}
