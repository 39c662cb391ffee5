/**
 * Coverage report: for each part of the document, the sides of its rules that were met, and by
 * which scenarios. It is plain JSON.
 */
import type { Model } from "../../model/model.ts";
import { partNames, partTitles, type PartName } from "../../syntax/nodes.ts";
import { type MetSide, measuredOf } from "./coverage.ts";
import type { CoverageRule, RuleKind, Side } from "./rules.ts";

export interface CoverageReport {
  /** Sides of rules of all parts. */
  readonly met: number;
  readonly of: number;
  readonly parts: readonly CoveredPart[];
}

export interface CoveredPart {
  readonly part: PartName;
  readonly title: string;
  readonly met: number;
  readonly of: number;
  readonly rules: readonly CoveredRule[];
}

export interface CoveredRule {
  readonly kind: RuleKind;
  readonly subject: string;
  readonly line: number;
  readonly sides: readonly CoveredSide[];
}

export interface CoveredSide {
  /** The meaning of this side: `held`, `refused`. */
  readonly side: string;
  /** The scenarios that met it. */
  readonly by: readonly string[];
}

/** The names of the two sides, by kind of rule. */
const sideWords: Readonly<Record<RuleKind, Readonly<Record<Side, string>>>> = {
  "field rule": { yes: "fulfilled", no: "violated" },
  unique: { yes: "fulfilled", no: "violated" },
  fails: { yes: "passed", no: "refused" },
  visible: { yes: "seen", no: "hidden" },
  always: { yes: "held", no: "violated" },
  transition: { yes: "fired", no: "refused" },
  guard: { yes: "held", no: "refused" },
  condition: { yes: "true", no: "false" },
  endpoint: { yes: "answered", no: "refused" },
  input: { yes: "fulfilled", no: "violated" },
  allowed: { yes: "allowed", no: "refused" },
  where: { yes: "found", no: "left out" },
  answer: { yes: "given", no: "refused" },
  scheme: { yes: "accepted", no: "refused" },
  event: { yes: "sent", no: "refused" },
  error: { yes: "answered", no: "refused" },
  limit: { yes: "within", no: "exceeded" },
  version: { yes: "used", no: "refused" },
};

/** @param metBy the sides that each scenario met, by its name */
export function coverageOf(model: Model, metBy: ReadonlyMap<string, readonly MetSide[]>): CoverageReport {
  const { rules } = measuredOf(model);
  const scenariosOf = new Map<MetSide, string[]>();
  for (const [scenario, met] of metBy)
    for (const side of met) scenariosOf.set(side, [...(scenariosOf.get(side) ?? []), scenario]);
  const covered = (rule: CoverageRule, at: number): CoveredRule => ({
    kind: rule.kind,
    subject: rule.subject,
    line: rule.position.start.line,
    sides: rule.sides.map((side) => ({
      side: sideWords[rule.kind][side],
      by: scenariosOf.get(`${at}${side === "yes" ? "+" : "-"}`) ?? [],
    })),
  });
  const all = rules.map((rule, at) => ({ part: rule.part, rule: covered(rule, at) }));
  const parts = partNames.flatMap((part): readonly CoveredPart[] => {
    const own = all.filter((candidate) => candidate.part === part).map(({ rule }) => rule);
    return own.length === 0 ? [] : [{ part, title: partTitles[part], ...countOf(own), rules: own }];
  });
  return { ...countOf(all.map(({ rule }) => rule)), parts };
}

function countOf(rules: readonly CoveredRule[]): { readonly met: number; readonly of: number } {
  const sides = rules.flatMap((rule) => rule.sides);
  return { met: sides.filter(({ by }) => by.length > 0).length, of: sides.length };
}
