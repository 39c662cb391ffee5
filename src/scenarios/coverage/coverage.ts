/**
 * Rule coverage: which sides of a document's rules a scenario met. The engine reports conditions
 * and rows by the objects of its model (`evaluation/coverage-observer.ts`), and each request with
 * its outcome (`observability/answered-request.ts`). This file maps both to the numbers of rules.
 * `report.ts` combines them by scenario.
 */
import type { AnsweredRequest, RequestObserver } from "../../engine/observability/answered-request.ts";
import type { Rule, CoverageObserver } from "../../engine/evaluation/coverage-observer.ts";
import { type ProblemDetail, Problem } from "../../engine/problem.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { type CoverageRule, nameOf, rulesOf, type Side } from "./rules.ts";

/** `12+`: the twelfth rule held; `12-`: it rejected something. */
export type MetSide = `${number}${"+" | "-"}`;

export interface Meter {
  readonly observer: CoverageObserver;
  readonly onAnswered: RequestObserver;
  /** The sides met since the last call. */
  take(): readonly MetSide[];
}

/** The rules of a model, and a lookup from the objects of the model to them. */
export interface Measured {
  readonly rules: readonly CoverageRule[];
  readonly byPiece: ReadonlyMap<Rule, readonly number[]>;
}

export const measuredOf = memoizeBy((model: Model): Measured => {
  const rules = rulesOf(model);
  const byPiece = new Map<Rule, number[]>();
  for (const [at, { pieces }] of rules.entries())
    for (const piece of pieces) byPiece.set(piece, [...(byPiece.get(piece) ?? []), at]);
  return { rules, byPiece };
});

export function createMeter(model: Model): Meter {
  const { rules, byPiece } = measuredOf(model);
  let met = new Set<MetSide>();
  const note = (at: number, side: Side) => {
    if (rules[at]?.sides.includes(side)) met.add(`${at}${side === "yes" ? "+" : "-"}`);
  };
  const noteAll = (side: Side, is: (rule: CoverageRule) => boolean) => {
    for (const [at, rule] of rules.entries()) if (is(rule)) note(at, side);
  };
  return {
    observer(piece, holds) {
      for (const at of byPiece.get(piece) ?? [])
        note(at, holds === (rules[at]?.refusesWhenTrue !== true) ? "yes" : "no");
    },
    onAnswered(answered) {
      if (answered.stopped instanceof Problem) {
        for (const blame of answered.stopped.details) noteAll("no", refusedBy(model, answered, blame));
      } else if (answered.stopped === null && answered.endpoint) {
        noteAll("yes", passedBy(model, answered, answered.endpoint));
      }
      noteAll("yes", ({ kind, subject }) => kind === "version" && subject === answered.version);
    },
    take() {
      const sides = [...met];
      met = new Set();
      return sides;
    },
  };
}

/** The rules that a successful request passed, except those that the observer reports. */
function passedBy(
  { limits }: Model,
  answered: AnsweredRequest,
  endpoint: Endpoint,
): (rule: CoverageRule) => boolean {
  const made = new Set(
    answered.changes(1000).flatMap(({ kind, resource }) => (kind === "created" ? [resource] : [])),
  );
  const rows = [...limits.rates, ...limits.concurrency, ...limits.bodyBytes, ...limits.pages];
  const kept = new Set<CoverageRule["position"]>([
    ...rows.filter(({ applies }) => appliesTo(applies, endpoint)).map(({ position }) => position),
    ...limits.stored.filter(({ resource }) => made.has(resource)).map(({ position }) => position),
  ]);
  const hasBody = answered.body !== null;
  const sizes = new Set(limits.bodyBytes.map(({ position }) => position));
  const isLimitKept = (position: CoverageRule["position"]) =>
    kept.has(position) && (hasBody || !sizes.has(position));
  return ({ kind, subject, position }) => {
    switch (kind) {
      case "endpoint":
        return subject === nameOf(endpoint);
      case "unique":
        return made.has(resourceOf(subject));
      case "limit":
        return isLimitKept(position);
      case "scheme":
        return subject === answered.caller?.scheme;
      default:
        return false;
    }
  };
}

/** The rules that rejected a request, except those that the observer reports. */
function refusedBy(
  model: Model,
  answered: AnsweredRequest,
  blame: ProblemDetail,
): (rule: CoverageRule) => boolean {
  const { condition, resource } = blame;
  const because = answered.stopped instanceof Problem ? answered.stopped.because : undefined;
  switch (condition) {
    case "duplicate":
      return ({ kind, subject }) =>
        kind === "unique" &&
        resourceOf(subject) === resource &&
        namesField(subject, (blame.ofField ?? blame.field ?? "").replace(/\[\d+\]/g, ""));
    case "illegal transition":
      return ({ kind, subject }) =>
        kind === "transition" && subject.startsWith(`${resource} ${blame.transition}: `);
    case "bad credential":
      return ({ kind, position }) => kind === "scheme" && position === because;
    case "rate limited":
    case "quota exceeded":
      return ({ kind, position }) => kind === "limit" && position === because;
    case "too large": {
      const sizes = model.limits.bodyBytes.filter(
        ({ applies }) => answered.endpoint && appliesTo(applies, answered.endpoint),
      );
      return ({ kind, position }) => kind === "limit" && sizes.some((size) => size.position === position);
    }
    default:
      return () => false;
  }
}

/** The resource of a subject such as `Parcel.number unique` or `Parcel unique shop, number`. */
function resourceOf(subject: string): string {
  return /^\w+/.exec(subject)?.[0] ?? "";
}

function namesField(subject: string, field: string): boolean {
  const [, ofField, ofTable] = /^\w+(?:\.(\w+) unique|\s+unique (.+))$/.exec(subject) ?? [];
  return ofField === field || (ofTable?.split(", ").includes(field) ?? false);
}
