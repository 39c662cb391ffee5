/**
 * Assignments of effects, in transitions and at endpoints, for the checks about them. An effect
 * that several share is checked once.
 */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { reportingOnce } from "../diagnostics/deduplicate.ts";
import type { Assignment, Effect, Model } from "../model/model.ts";
import type { Check } from "./check.ts";
import { mayCreate } from "../model/endpoints/does.ts";

/** The fields that one effect sets of one record. */
export interface Assignments {
  readonly resource: string;
  /** The effect creates this record, so it may still set the identifier. */
  readonly making: boolean;
  readonly fields: readonly Assignment[];
  /** Position of the resource's name, if the effect creates the record. */
  readonly madeAt?: Effect["position"];
}

export type AssignmentCheck = (assignments: Assignments, reporter: Reporter, model: Model) => void;

export function ofAssignments(check: AssignmentCheck): Check {
  return (model, reporter) => {
    const once = reportingOnce(reporter);
    for (const assignments of assignmentsOf(model)) check(assignments, once, model);
  };
}

function assignmentsOf({ resources, endpoints }: Model): readonly Assignments[] {
  const ends = resources.flatMap(({ states }) => states?.transitions.flatMap(({ ends }) => ends) ?? []);
  const clear = endpoints.filter((endpoint) => !endpoint.unclear);
  return [
    ...ends.flatMap(({ effects }) => effects.flatMap((effect) => ofEffect(effect, false))),
    ...clear.flatMap(({ does, set, effects }) => {
      const making = does.some(mayCreate);
      return [
        ...set.flatMap((effect) => ofEffect(effect, making)),
        ...effects.flatMap((effect) => ofEffect(effect, false)),
      ];
    }),
  ];
}

function ofEffect(effect: Effect, making: boolean): readonly Assignments[] {
  switch (effect.kind) {
    case "assign":
      return [{ resource: effect.resource, making: making && !effect.of, fields: [effect] }];
    case "create":
      return [{ resource: effect.resource, making: true, fields: effect.fields, madeAt: effect.resourceAt }];
    case "update":
      return [{ resource: effect.resource, making: false, fields: effect.set }];
    default:
      return [];
  }
}
