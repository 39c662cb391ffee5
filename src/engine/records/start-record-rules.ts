/**
 * Rules of start records: a row of `Records of` that breaks one stops the start, and so does a row
 * by which a rule of another record no longer holds.
 */
import type { Frame } from "../../expressions/value.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Position } from "../../source/source.ts";
import type { Transaction } from "../../store/store.ts";
import { isCheckable, recordRulesOf, resourcesOfRule, violationNode } from "../../store/stored-rules.ts";
import type { Json } from "../../support/json.ts";
import { RefusedError } from "../../support/ninefold-error.ts";
import { NotShown, Problem } from "../problem.ts";
import { BrokenInvariant } from "./broken-invariant.ts";
import { BrokenRule } from "./broken-rule.ts";
import type { PlanContext } from "./plan-context.ts";
import type { ResourcePlan } from "./resource-plan.ts";

export interface RefusedRow {
  readonly plan: ResourcePlan;
  readonly fields: Readonly<Record<string, Json>>;
  readonly position: Position;
}

/** No row is applied. The message names the row and the rule. */
class StartRecordsRefused extends RefusedError {
  override name = "StartRecordsRefused";
}

/** @param wrong completes a sentence */
export function startRecordRefused({ plan, fields, position }: RefusedRow, wrong: string): Error {
  const identifier = plan.identifier.map((name) => String(fields[name])).join(", ");
  const row = `${plan.name} ${identifier} (\`Records of ${plan.name}\`, line ${position.start.line})`;
  return new StartRecordsRefused(
    `${row} can't be stored: ${wrong}. Change the row, or the record while the previous document is served.`,
  );
}

export function isUnknownReference(error: unknown): boolean {
  return error instanceof Problem && error.details[0].condition === "unknown reference";
}

/** The error that names the row; a fault stays as it is. */
export function refusal(row: RefusedRow, error: unknown): unknown {
  if (error instanceof Problem) {
    const { because } = error;
    if (because) return startRecordRefused(row, `\`Fails\` (line ${because.start.line}) rejects it`);
    const wrong = error.details.map(({ field, problem }) =>
      field === undefined ? problem : `${field} ${problem}`,
    );
    return startRecordRefused(row, wrong.join("; "));
  }
  if (error instanceof NotShown)
    return startRecordRefused(row, `the document does not show ${error.subject}`);
  if (error instanceof BrokenRule) return startRecordRefused(row, `${error.field} ${error.reason}`);
  if (error instanceof BrokenInvariant)
    return startRecordRefused(row, `\`Always\` (line ${error.position.start.line}) wouldn't hold`);
  return error;
}

/** The maximum number of records in the message. */
const examplesMax = 10;

/**
 * Checks the rules of all records that read a resource whose rows were applied.
 * @param applied the names of these resources
 */
export async function checkOtherRules(
  { model, store, resource: planOf }: PlanContext,
  applied: ReadonlySet<string>,
  transaction: Transaction,
  frame: Frame,
): Promise<void> {
  const meaning = meaningOf(model);
  for (const resource of model.resources) {
    if (resource.gap) continue;
    for (const rule of recordRulesOf(resource, meaning)) {
      if (!isCheckable(rule, meaning) || resourcesOfRule(rule, meaning).isDisjointFrom(applied)) continue;
      const broken = store.prepareRecords({
        resource: resource.name,
        where: [violationNode(rule)],
        order: [],
        limited: true,
        limitMax: examplesMax,
      });
      frame.page = { limit: examplesMax, offset: 0 };
      const records = await transaction.records(broken, frame);
      if (records.length === 0) continue;
      const { identifier } = planOf(resource.name);
      const shown = records.map((record) => identifier.map((name) => String(record[name])).join(", "));
      const changed = [...applied].map((name) => `\`Records of ${name}\``).join(" and ");
      const holds = rule.kind === "Always" ? "wouldn't hold" : "would reject it";
      throw new StartRecordsRefused(
        `With the changed rows of ${changed}, \`${rule.kind}: ${rule.text}\` (line ${rule.line}) ${holds}: ${resource.name} ${shown.join("; ")}. Change the rows, or these records while the previous document is served.`,
      );
    }
  }
}
