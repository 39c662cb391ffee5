/**
 * A dry run of stored changes on a copy: the records of each change before and after it, and the
 * time without this comparison.
 */
import type { Awaitable } from "../../../support/awaitable.ts";
import type { PlanLine, PlanStep, StorePlan } from "../plan/store-plan.ts";
import type { MigrationPlan } from "../plan/migration-plan.ts";
import { remainingLines } from "../plan/rest-lines.ts";
import { StoreMismatch } from "../../errors.ts";
import type { Steps } from "../../rows/steps.ts";
import { compareStep } from "./compare-step.ts";
import type { MigrationWatch } from "./apply-steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { machine } from "../../../support/machine.ts";

export interface DryRunResult extends StorePlan {
  /** The time without comparing records, in milliseconds. */
  readonly ms: number;
  /** The plan; undefined if there is nothing to do, or if the migration can't start. */
  readonly plan: MigrationPlan | undefined;
}

export interface DryRunOptions extends Pick<MigrationWatch, "onRecords" | "onChecked"> {
  /** Called after a change was applied, before the rollback. */
  readonly onMade?: () => void;
}

export interface DryRunTarget {
  /** Returns the plan; undefined if there is nothing to do. @throws StoreMismatch */
  plan(onWarning: (warning: string) => void): Awaitable<MigrationPlan | undefined>;
  /** Applies the plan and rolls it back. @throws StoreMismatch */
  make(plan: MigrationPlan, watch: MigrationWatch): Awaitable<void>;
  /** Checks start records if there is nothing to do. @throws StoreMismatch */
  checkStart(): Awaitable<void>;
}

export async function dryRun(
  trying: DryRunTarget,
  words: MigrationDialect,
  options: DryRunOptions,
): Promise<DryRunResult> {
  const warnings: string[] = [];
  const { steps, watch, due, outsideMs } = createLook(words, options);
  const from = machine.elapsed();
  const tookMs = () => machine.elapsed() - from - outsideMs();
  let plan: MigrationPlan | undefined;
  try {
    plan = await trying.plan((warning) => warnings.push(warning));
    await (plan ? trying.make(plan, watch) : trying.checkStart());
  } catch (error) {
    if (!(error instanceof StoreMismatch)) throw error;
    return { steps, refused: error, warnings, ms: tookMs(), plan };
  }
  const ms = tookMs();
  const rest = plan ? remainingLines(plan.migration, plan.before) : [];
  const all = rest.length + due.length > 0 ? [...steps, ofPartTwo(rest, due)] : steps;
  return { steps: all, refused: undefined, warnings, ms, plan };
}

function createLook(words: MigrationDialect, { onRecords, onChecked, onMade = () => {} }: DryRunOptions) {
  const steps: PlanStep[] = [];
  const due: string[] = [];
  let outsideMs = 0;
  const outside = function* <T>(work: Steps<T>): Steps<T> {
    const from = machine.elapsed();
    const result = yield* work;
    outsideMs += machine.elapsed() - from;
    return result;
  };
  let lines: readonly PlanLine[] = [];
  const watch: MigrationWatch = {
    ...(onRecords ? { onRecords } : {}),
    ...(onChecked ? { onChecked } : {}),
    *beforeSwap(change, next) {
      lines = yield* outside(compareStep(change, next, words));
    },
    onDue(lines) {
      due.push(...lines);
    },
    afterChange({ step }) {
      onMade();
      const kind = lines.every(({ isSafe }) => isSafe) ? "safe" : "convertible";
      steps.push({ name: step.name, line: step.position.start.line, kind, lines });
    },
  };
  return { steps, watch, due, outsideMs: () => outsideMs };
}

/** @param due the records that end or change at once */
export function ofPartTwo(lines: readonly string[], due: readonly string[] = []): PlanStep {
  const lineOf = (text: string, isSafe: boolean): PlanLine => ({
    text,
    isSafe,
    examples: [],
    hasMore: false,
  });
  return {
    name: null,
    line: null,
    kind: due.length > 0 ? "convertible" : "safe",
    lines: [...lines.map((text) => lineOf(text, true)), ...due.map((text) => lineOf(text, false))],
  };
}
