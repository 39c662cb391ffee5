/**
 * Possible transitions: for each transition of a record's resource, whether it can fire now, what
 * prevents it with the deciding line, and who may fire it. Guards are evaluated without a caller. A
 * guard that reads the caller or the input is reported as depending on it.
 */
import { readsName } from "../../expressions/analysis/reads.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Input, Trigger } from "../../model/model.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { recordContext } from "../records/record-context.ts";
import {
  type EndPlan,
  acceptsState,
  type MachinePlan,
  type TransitionPlan,
} from "../records/machine-plan.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { createEvaluationContext, type EvaluationContext } from "../evaluation/context.ts";
import type { Service } from "../service.ts";
import { guardParts } from "../evaluation/guard-parts.ts";
import { type DecidingValue, decidingValues } from "../observability/deciding-values.ts";
import { planMasking } from "../secrets/masking.ts";
import { requestNames } from "./request-names.ts";
import { parseKey, noSuchRecord } from "./read-record.ts";
import { frameOf } from "./prepared-queries.ts";
import { type TransitionCaller, transitionCallers, transitionInputs } from "./transition-callers.ts";

/** Whether a transition can fire now; that may depend on the caller and the input. */
export type Possibility = "yes" | "no" | "depends";

export interface PossibleTransition {
  readonly name: string;
  readonly line: number;
  readonly isPossible: Possibility;
  /** What prevents the transition, as one sentence; absent if nothing does. */
  readonly why?: string;
  readonly ends: readonly PossibleEnd[];
  readonly callers: readonly TransitionCaller[];
  /** The inputs that an operator may send. */
  readonly inputs: readonly TransitionInput[];
}

export interface PossibleEnd {
  readonly from: readonly string[] | "any";
  /** Null if the state stays. */
  readonly to: string | null;
  readonly trigger: Trigger;
  readonly line: number;
  /** Whether the record is in one of the states of the transition's From. */
  readonly fits: boolean;
  readonly guard?: {
    readonly text: string;
    readonly line: number;
    readonly holds: Possibility;
    readonly parts: readonly GuardPartResult[];
  };
}

interface GuardPartResult {
  readonly text: string;
  readonly holds: Possibility;
  /** The values of the names in a part that doesn't hold. */
  readonly values: readonly DecidingValue[];
}

export interface TransitionInput {
  readonly name: string;
  readonly required: boolean;
  readonly input: Input;
}

/**
 * Returns the possible transitions of a record.
 * @throws NoSuchRecord
 */
export async function possibleTransitions(
  service: Service,
  resource: string,
  identifier: string,
): Promise<readonly PossibleTransition[]> {
  const { context, newWork } = service.internals;
  const plan = context.resource(resource);
  const { machine } = plan;
  const key = parseKey(service, plan, identifier);
  const record = await plan.find(context.store.session, frameOf(service), key);
  if (!record) throw noSuchRecord(plan, identifier);
  if (!machine) return [];
  const evaluation = recordContext(createEvaluationContext(newWork(), frameOf(service)), plan, record);
  evaluation.frame.old = record;
  const all: PossibleTransition[] = [];
  for (const transition of machine.transitions.values())
    all.push(await possible(service, plan, machine, transition, evaluation));
  return all;
}

async function possible(
  service: Service,
  plan: ResourcePlan,
  machine: MachinePlan,
  transition: TransitionPlan,
  evaluation: EvaluationContext,
): Promise<PossibleTransition> {
  const record = evaluation.frame.this as RecordValue;
  const ends: PossibleEnd[] = [];
  for (const end of transition.ends) ends.push(await possibleEnd(service, machine, end, record, evaluation));
  const { model } = service;
  return {
    name: transition.name,
    line: transition.position.start.line,
    ...verdict(plan, machine, ends, record),
    ends,
    callers: transitionCallers(model, plan.name, transition.name),
    inputs: transitionInputs(model, plan.name, transition.name).map((input) => ({
      name: input.name.join("."),
      required: input.required,
      input,
    })),
  };
}

async function possibleEnd(
  { internals: { context } }: Service,
  machine: MachinePlan,
  plan: EndPlan,
  record: RecordValue,
  evaluation: EvaluationContext,
): Promise<PossibleEnd> {
  const { end } = plan;
  const isFitting = acceptsState(machine, plan, machine.field === undefined ? null : record[machine.field]);
  const known = {
    from: end.from,
    to: end.same ? null : end.to,
    trigger: end.trigger,
    line: end.position.start.line,
    fits: isFitting,
  };
  const condition = end.guard?.condition;
  if (!condition) return known;
  const mask = planMasking(context.model).of(null);
  const parts: GuardPartResult[] = [];
  for (const { text, node } of guardParts(condition)) {
    const holds = readsName(node, requestNames, context.meaning)
      ? "depends"
      : (await evaluateOf(context, node)(evaluation)) === true
        ? "yes"
        : "no";
    const values = holds === "no" ? decidingValues(context, [node], evaluation.frame, mask) : [];
    parts.push({ text, holds, values });
  }
  const { text, position } = condition;
  return { ...known, guard: { text, line: position.start.line, holds: togetherOf(parts), parts } };
}

function togetherOf(parts: readonly { readonly holds: Possibility }[]): Possibility {
  if (parts.some(({ holds }) => holds === "no")) return "no";
  return parts.some(({ holds }) => holds === "depends") ? "depends" : "yes";
}

/** Summarizes the ends. The first end whose guard holds fires, so one such end is enough. */
function verdict(
  plan: ResourcePlan,
  machine: MachinePlan,
  ends: readonly PossibleEnd[],
  record: RecordValue,
): Pick<PossibleTransition, "isPossible" | "why"> {
  if (record["#deleted"] === true) return { isPossible: "no", why: `This ${plan.name} is deleted.` };
  const called = ends.filter(({ trigger }) => trigger.kind === "call");
  if (called.length === 0) return { isPossible: "no", why: byItself(ends) };
  const fitting = called.filter((end) => end.fits);
  if (fitting.length === 0) {
    const from = [...new Set(called.flatMap((end) => (end.from === "any" ? [] : end.from)))];
    const state = String(machine.field === undefined ? null : record[machine.field]);
    return {
      isPossible: "no",
      why: `It is ${state}; the transition is possible while it is ${listed(from)}.`,
    };
  }
  const guards = fitting.map(({ guard }) => guard?.holds ?? "yes");
  if (guards.includes("yes")) return { isPossible: "yes" };
  if (guards.includes("depends"))
    return { isPossible: "depends", why: "The guard depends on the caller or the inputs." };
  const [first] = fitting;
  const broken = first?.guard?.parts.filter(({ holds }) => holds === "no").map(({ text }) => text) ?? [];
  return {
    isPossible: "no",
    why: `The guard in line ${first?.guard?.line} doesn't hold: ${broken.join(", ")}.`,
  };
}

function byItself(ends: readonly PossibleEnd[]): string {
  const kinds = new Set(ends.map(({ trigger }) => trigger.kind));
  if (kinds.has("not shown")) return "The document doesn't show its trigger.";
  if (kinds.has("immediately")) return "It fires as soon as its guard holds.";
  return "Only a timer fires it.";
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}
