/**
 * Part 3, states: drafts become state machines of the model. Resolves names, binds guards and
 * effects in the scope of their transition, and checks timers. `read-machines.ts` parses.
 */
import { nonNull } from "../../../support/non-null.ts";
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { literalResults } from "../../../expressions/analysis/literal-texts.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { EffectSyntax } from "../../../syntax/effects.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Effect, StateMachine, Transition, TransitionEnd, Trigger } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { bindEffects, transitionUses } from "../effects/effects.ts";
import { isErrorCode } from "../effects/fail-rule.ts";
import { knownResource } from "../any-part/known-resource.ts";
import { nearestHint } from "../nearest-hint.ts";
import {
  addState,
  type EndDraft,
  type GuardSyntax,
  type MachineDraft,
  type Machines,
} from "./machine-draft.ts";
import { isStoredTimestamp } from "../effects/stored-timestamp.ts";
import { ruleScope } from "../scopes/rule-scope.ts";
import { positionOf, nonFinalStates } from "./state-graph.ts";
import { isStateName } from "./state-name.ts";
import type { TransitionUses } from "../effects/transition-body.ts";

/** The uses of transitions in effects of part 3. States that only an initial expression names are found at the same time. */
export function declareTransitions(context: BuildContext, machines: Machines): readonly TransitionUses[] {
  const uses: TransitionUses[] = [];
  for (const [name, machine] of machines) {
    const declared = context.declarations.resources.get(name);
    if (!declared) continue;
    addInitialStates(machine, declared, context);
    for (const end of distinctEffects(machine)) {
      uses.push(transitionUses(end.effects, () => transitionScope(declared, end.name, context), context));
    }
  }
  return uses;
}

/** The ends of a section share its effects and use the same transitions. */
function distinctEffects(
  machine: MachineDraft,
): readonly { readonly name: string; readonly effects: readonly EffectSyntax[] }[] {
  const distinct = new Map<string, { name: string; effects: readonly EffectSyntax[] }>();
  for (const end of machine.ends) {
    const effects = end.effects.flat();
    const key = `${end.name.text} ${effects.map((effect) => effect.phrase.start).join(" ")}`;
    distinct.set(key, { name: end.name.text, effects });
  }
  return [...distinct.values()];
}

/** Adds the states of an initial expression: `this.paid ? "open" : "draft"` declares both, even without a row. */
function addInitialStates(machine: MachineDraft, declared: DeclaredResource, context: BuildContext): void {
  const { initial } = machine;
  if (!initial || isStateName(initial.text)) return;
  const bind = () => bindExpression(initial, ruleScope(declared, context), context.reporter);
  const bound = context.reporter.silently(bind).value;
  for (const text of bound ? literalResults(bound.node) : []) {
    if (text !== undefined && isStateName(text)) addState(machine, text);
  }
}

/** The scope of a transition (notation, "Names"): `this` is its record, also by the small name, and `old` its former state. */
function transitionScope(
  declared: DeclaredResource,
  transition: string,
  { declarations }: BuildContext,
): Scope {
  const self: Type = { kind: "record", resource: declared.name };
  const body = declarations.transitionBody(declared.name, transition);
  return withNamed(
    withFixed(declarations.baseScope, { this: self, old: self, body }),
    declared.variableName,
    self,
  );
}

export function buildStates(context: BuildContext, machines: Machines): ReadonlyMap<string, StateMachine> {
  const built = new Map<string, StateMachine>();
  for (const [name, machine] of machines) {
    const declared = knownResource(machine.name, context);
    if (!declared) continue;
    if (declared.isValue)
      context.reporter.report("states/value-for-record", positionIn(machine.name), { resource: name });
    else built.set(name, buildMachine(machine, declared, context));
  }
  return built;
}

function buildMachine(
  machine: MachineDraft,
  declared: DeclaredResource,
  context: BuildContext,
): StateMachine {
  const initial = bindInitial(machine, declared, context);
  const transitions = [...machine.transitions].map(([name, ends]) =>
    buildTransition(name, ends, machine, declared, context),
  );
  const left = nonFinalStates(machine);
  return {
    ...(machine.field ? { field: machine.field.text, fieldAt: positionIn(machine.field) } : {}),
    ...(initial ? { initial } : {}),
    ...(machine.initialGap ? { initialGap: machine.initialGap } : {}),
    states: machine.states.map((name) => ({
      name,
      final: !left.has(name),
      position: positionOf(name, machine),
    })),
    transitions,
  };
}

function bindInitial(
  machine: MachineDraft,
  declared: DeclaredResource,
  context: BuildContext,
): Expression | undefined {
  const { initial, field, states } = machine;
  if (!initial) return undefined;
  if (!field) {
    const params = { state: initial.text, resource: declared.name };
    if (!machine.stateful) context.reporter.report("states/state-without-field", positionIn(initial), params);
    return undefined;
  }
  const type: Type = { kind: "enum", values: states };
  if (!isStateName(initial.text))
    return bindExpression(initial, ruleScope(declared, context), context.reporter, type);
  if (isStrayState(initial.text, machine)) {
    const otherStates = states.filter((state) => state !== initial.text);
    const params = { resource: declared.name, name: initial.text, ...nearestHint(initial.text, otherStates) };
    context.reporter.report("states/unknown-state", positionIn(initial), params);
    return undefined;
  }
  return {
    text: initial.text,
    position: positionIn(initial),
    node: { op: "literal", value: initial.text, type },
  };
}

/** Whether no row leaves the state and none leads to it. If all rows name their states, that is a spelling mistake. */
function isStrayState(state: string, { ends }: MachineDraft): boolean {
  if (ends.length === 0 || ends.some((end) => end.from === "any" || end.gap || end.unread)) return false;
  return !ends.some((end) => end.to === state || end.from.includes(state));
}

function buildTransition(
  name: string,
  drafts: readonly EndDraft[],
  machine: MachineDraft,
  declared: DeclaredResource,
  context: BuildContext,
): Transition {
  const scope = transitionScope(declared, name, context);
  const bind = {
    guards: new Map<GuardSyntax, TransitionEnd["guard"]>(),
    reported: new Set<readonly EffectSyntax[]>(),
  };
  return {
    name,
    position: positionIn(nonNull(drafts[0]).name),
    ends: drafts.map((draft): TransitionEnd => {
      const own = scopeOfEnd(scope, draft, drafts);
      const guard = draft.guard && bindGuard(draft.guard, bind.guards, own, context);
      return {
        from: draft.from,
        to: draft.to,
        same: draft.to === "same",
        trigger: bindTrigger(draft, machine, declared, context),
        ...(guard ? { guard } : {}),
        effects: bindEndEffects(draft, bind.reported, own, context),
        position: draft.position,
        nameAt: positionIn(draft.name),
        ...(draft.gap ? { gap: draft.gap } : {}),
        ...(draft.unread || (draft.guard && !guard) ? { unread: true } : {}),
      };
    }),
    body: context.declarations.transitionBody(declared.name, name),
  };
}

/**
 * A timed transition has no request, and an immediate one no body of its own, so the names of those
 * are unavailable. Ends that share a section's guard and effects with a called transition know all
 * names.
 */
function scopeOfEnd(scope: Scope, { trigger }: EndDraft, all: readonly EndDraft[]): Scope {
  if (all.some((end) => end.trigger.kind === "call" || end.trigger.kind === "not shown")) return scope;
  const { body: _none, ...withoutBody } = scope.fixed;
  if (trigger.kind === "immediately" || all.some((end) => end.trigger.kind === "immediately"))
    return { ...scope, fixed: withoutBody };
  const { request: _request, headers: _sent, limits: _counted, ...fixed } = withoutBody;
  return { ...scope, fixed };
}

/** Binds the guard of a section once for all of its ends. */
function bindGuard(
  syntax: GuardSyntax,
  known: Map<GuardSyntax, TransitionEnd["guard"]>,
  scope: Scope,
  context: BuildContext,
): TransitionEnd["guard"] {
  if (!known.has(syntax)) {
    const condition = bindExpression(syntax.condition, scope, context.reporter, types.boolean);
    const otherwise =
      syntax.otherwise && isErrorCode(syntax.otherwise, "states", context)
        ? { otherwise: syntax.otherwise.text }
        : {};
    known.set(syntax, condition && { condition, ...otherwise });
  }
  return known.get(syntax);
}

/** Binds the effects of a section. Their mistakes are reported at its first end. */
function bindEndEffects(
  draft: EndDraft,
  reported: Set<readonly EffectSyntax[]>,
  scope: Scope,
  context: BuildContext,
): readonly Effect[] {
  const effects: Effect[] = [];
  let inner = scope;
  for (const group of draft.effects) {
    const from: Scope = inner;
    const bind = () => bindEffects(group, from, context);
    const bound = reported.has(group) ? context.reporter.silently(bind).value : bind();
    reported.add(group);
    effects.push(...bound.effects);
    inner = bound.scope;
  }
  return effects;
}

function bindTrigger(
  { trigger }: EndDraft,
  machine: MachineDraft,
  declared: DeclaredResource,
  context: BuildContext,
): Trigger {
  const refuse = (phrase: Phrase): Trigger => {
    const params = { trigger: phrase.text, resource: declared.name };
    context.reporter.report("states/trigger-without-states", positionIn(phrase), params);
    return { kind: "not shown" };
  };
  const stateless = !machine.stateful;
  switch (trigger.kind) {
    case "after":
      // The time starts when a state is entered.
      return stateless ? refuse(trigger.phrase) : { kind: "after", milliseconds: trigger.milliseconds };
    case "at":
      return isStoredTimestamp(trigger.field, declared, context)
        ? { kind: "at", field: trigger.field.text }
        : { kind: "not shown" };
    default:
      return { kind: trigger.kind };
  }
}
