/** Compares resources and their states. */
import { ruleNamed } from "../fields/rules/index.ts";
import type {
  Field,
  Identifier,
  Model,
  Resource,
  StateMachine,
  Transition,
  TransitionEnd,
} from "../model/model.ts";
import { type Aspects, compareAspects, type Piece, report } from "./aspects.ts";
import type { Differences } from "./difference.ts";
import { compareCondition, compareFails, visibility } from "./guards.ts";
import { allOf, anyOf, changeOf, sameMeaning } from "./meaning.ts";

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
    const piece: Piece = { subject: now.name, position: now.position };
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
    compareIdentifier(was.identifier, now.identifier, piece, differences);
    compareUnique(was, now, piece, differences);
    compareFields(was, now, differences);
    if (was.states && now.states) compareStates(was.states, now.states, piece, differences);
    else if (was.states || now.states)
      report(
        differences,
        piece,
        "transition-changed",
        now.states ? "has states now" : "no longer has states",
      );
  }
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
const ofUniqueness = new Set(["unique", "any case", "distinct"]);

function compareFields(was: Resource, now: Resource, differences: Differences): void {
  const old = new Map(was.fields.map((field) => [field.name, field]));
  for (const field of now.fields) {
    const before = old.get(field.name);
    if (before) compareField(now.name, before, field, differences);
  }
}

function compareField(resource: string, was: Field, now: Field, differences: Differences): void {
  const piece: Piece = { subject: `${resource}.${now.name}`, position: now.position };
  const rules = (field: Field, isMeant: (name: string) => boolean) =>
    field.rules.filter(({ rule }) => isMeant(rule));
  const isUniqueness = (name: string) => ofUniqueness.has(name);
  for (const rule of rules(now, isUniqueness))
    if (!was.rules.some((fieldRule) => fieldRule.rule === rule.rule))
      report(differences, piece, "uniqueness-added", `is \`${ruleNamed(rule)}\` now`);
  for (const rule of rules(was, isUniqueness))
    if (!now.rules.some((fieldRule) => fieldRule.rule === rule.rule))
      report(differences, piece, "uniqueness-removed", `is no longer \`${ruleNamed(rule)}\``);
  const isKept = (name: string) => !onTheWire.has(name) && !isUniqueness(name);
  if (!sameMeaning(rules(was, isKept), rules(now, isKept)))
    report(differences, piece, "field-changed", "has other rules for how it is filled, kept or shown");
  const isLimit = (name: string) => onTheWire.has(name);
  // The states of a state field are compared with its transitions.
  const isType = ({ type, gap, role }: Field) => ({
    type: type.kind === "state" ? type.kind : type,
    gap: gap !== undefined,
    role,
  });
  // The wire comparison has found the differences that it can see.
  const differs = !sameMeaning([isType(was), rules(was, isLimit)], [isType(now), rules(now, isLimit)]);
  const isOther = (name: string) => onTheWire.has(name) && name !== "default";
  const isDefaultAlone = sameMeaning([isType(was), rules(was, isOther)], [isType(now), rules(now, isOther)]);
  if (differs && isDefaultAlone) report(differences, piece, "input-default-changed", "has another default");
  else if (differs && !differences.has(piece.subject))
    report(differences, piece, "field-changed", "has another type, or other rules for its values");
}

const states: Aspects<StateMachine> = {
  field: { rule: "resource-changed", what: "keeps its state in another field" },
  fieldAt: "same",
  initial: { rule: "initial-state-changed", what: "has another initial state" },
  initialGap: "elsewhere",
  states: "elsewhere",
  transitions: "elsewhere",
};

function compareStates(was: StateMachine, now: StateMachine, piece: Piece, differences: Differences): void {
  compareAspects(was, now, states, piece, differences);
  // Whether a state is final follows from the transitions, which are compared below.
  const names = ({ states: of }: StateMachine) => new Set(of.map(({ name }) => name));
  for (const { name, position } of now.states)
    if (!names(was).has(name))
      report(differences, piece, "resource-changed", `has the state ${name} now`, position);
  for (const { name, position } of was.states)
    if (!names(now).has(name))
      report(differences, piece, "resource-changed", `no longer has the state ${name}`, undefined, {
        place: { in: "old", position },
      });
  const old = new Map(was.transitions.map((transition) => [transition.name, transition]));
  for (const transition of now.transitions) {
    const before = old.get(transition.name);
    const of: Piece = { subject: `${piece.subject} ${transition.name}`, position: transition.position };
    if (!before) report(differences, of, "transition-widened", "is a new transition");
    else compareTransition(before, transition, of, differences);
  }
  for (const { name, position } of was.transitions)
    if (!now.transitions.some((transition) => transition.name === name))
      report(
        differences,
        { subject: `${piece.subject} ${name}`, position },
        "transition-narrowed",
        "is no longer a transition",
        undefined,
        {
          place: { in: "old", position },
        },
      );
}

/** Compares transitions. An end of a transition is one of its rows: from some states to one state. */
function compareTransition(was: Transition, now: Transition, piece: Piece, differences: Differences): void {
  const endsByStates = ({ ends }: Transition) =>
    Map.groupBy(
      ends.flatMap((end) => (end.from === "any" ? ["any"] : end.from).map((from) => ({ from, end }))),
      ({ from, end }) => `${from} to ${end.same ? "same" : end.to}`,
    );
  const [old, current] = [endsByStates(was), endsByStates(now)];
  for (const [statesText, of] of current) {
    const before = old.get(statesText);
    if (!before)
      report(differences, piece, "transition-widened", `goes from ${statesText} now`, of[0]?.end.position);
    else
      compareWay(
        before.map(({ end }) => end),
        of.map(({ end }) => end),
        piece,
        statesText,
        differences,
      );
  }
  for (const [statesText, of] of old)
    if (!current.has(statesText) && !current.has(`any to ${statesText.split(" to ")[1]}`))
      report(differences, piece, "transition-narrowed", `no longer goes from ${statesText}`, undefined, {
        place: { in: "old", position: of[0]?.end.position ?? piece.position },
      });
}

function compareWay(
  was: readonly TransitionEnd[],
  now: readonly TransitionEnd[],
  piece: Piece,
  statesText: string,
  differences: Differences,
): void {
  const at = now[0]?.position;
  const guard = (ends: readonly TransitionEnd[]) =>
    anyOf(ends.map((end) => end.guard?.condition.node ?? allOf([])));
  const change = changeOf(guard(was), guard(now));
  if (change !== "same") {
    const rule = (
      { stricter: "transition-narrowed", looser: "transition-widened", other: "transition-changed" } as const
    )[change];
    const words = { stricter: "in fewer cases", looser: "in more cases", other: "in other cases" }[change];
    report(differences, piece, rule, `goes from ${statesText} ${words}`, at);
  }
  const codes = (ends: readonly TransitionEnd[]) => ends.map((end) => end.guard?.otherwise);
  if (!sameMeaning(codes(was), codes(now)))
    report(differences, piece, "error-changed", `is rejected with another code from ${statesText}`, at);
  const triggers = (ends: readonly TransitionEnd[]) => ends.map(({ trigger }) => trigger);
  if (!sameMeaning(triggers(was), triggers(now)))
    report(
      differences,
      piece,
      "timer-changed",
      `goes from ${statesText} at another time, or by another trigger`,
      at,
    );
  const effects = (ends: readonly TransitionEnd[]) => ends.map((end) => end.effects);
  if (!sameMeaning(effects(was), effects(now)))
    report(differences, piece, "transition-changed", `has other effects from ${statesText}`, at);
}
