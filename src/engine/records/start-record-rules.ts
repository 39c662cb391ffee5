/**
 * Rules of start records: a row of `Records of` that breaks one stops the start, and so does a row
 * by which a rule of another record no longer holds.
 */
import { withBodies } from "../../expressions/analysis/bodies.ts";
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
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

/**
 * @param wrong completes a sentence
 * @param other what may be changed instead of the row
 */
function refused({ plan, fields, position }: RefusedRow, wrong: string, other = ""): Error {
  const row = `${plan.name} ${identifierOf(plan, fields, ", ")} (\`Records of ${plan.name}\`, line ${position.start.line})`;
  return new StartRecordsRefused(`${row} can't be stored: ${wrong}. Change the row${other}.`);
}

/** The refusal of a row whose identifier belongs to a record that is marked as deleted. */
export function identifierOfDeleted(row: RefusedRow): Error {
  const command = `data erase FILE ${row.plan.name} ${idOf(row.plan, row.fields)}`;
  return refused(
    row,
    "a deleted record has its identifier",
    withFormer("erase that record", command, "--apply"),
  );
}

/** The store is unchanged, so `ninefold data` works with the document before the change. */
const withFormer = (action: string, command: string, end: string): string =>
  `, or first ${action} with the previous document: \`ninefold ${command} ${end}\``;

const edit = "'FIELD = EXPRESSION'";

type Fields = Readonly<Record<string, unknown>>;

function identifierOf({ identifier }: ResourcePlan, fields: Fields, between: string): string {
  return identifier.map((name) => String(fields[name])).join(between);
}

/** An identifier as `ninefold data` reads it. */
function idOf(plan: ResourcePlan, fields: Fields): string {
  const id = identifierOf(plan, fields, "/");
  return /^[\w./-]+$/.test(id) ? id : `'${id.replaceAll("'", "'\\''")}'`;
}

/** Whether a later row may change what prevents this one: it is referred to, or gives a unique value up. */
export function mayPassLater(error: unknown): boolean {
  const condition = error instanceof Problem ? error.details[0].condition : undefined;
  return condition === "unknown reference" || condition === "duplicate";
}

/** The error that names the row; a fault stays as it is. */
export function refusal(row: RefusedRow, error: unknown): unknown {
  const ofRule = withFormer("change the records that it reads", "data edit FILE RESOURCE ID", edit);
  if (error instanceof Problem) {
    const { because } = error;
    if (because) return refused(row, `\`Fails\` (line ${because.start.line}) rejects it`, ofRule);
    const wrong = error.details.map(({ field, problem }) =>
      field === undefined ? problem : `${field} ${problem}`,
    );
    const isDuplicate = error.details[0].condition === "duplicate";
    const command = `data edit FILE ${row.plan.name} ID`;
    const ofOther = withFormer("change the record that has the value", command, edit);
    return refused(row, wrong.join("; "), isDuplicate ? ofOther : "");
  }
  if (error instanceof NotShown) return refused(row, `the document does not show ${error.subject}`);
  if (error instanceof BrokenRule) return refused(row, `${error.field} ${error.reason}`);
  if (error instanceof BrokenInvariant)
    return refused(row, `\`Always\` (line ${error.position.start.line}) wouldn't hold`, ofRule);
  return error;
}

function readsTime(node: Node, meaning: Meaning): boolean {
  return withBodies(node, meaning).some((body) =>
    someNode(body, (part) => part.op === "fixed" && part.name === "now"),
  );
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
      // Time alone may have broken the rule.
      if (readsTime(rule.node, meaning)) continue;
      const broken = store.prepareRecords({
        resource: resource.name,
        where: [violationNode(rule)],
        order: [],
        limited: true,
        limitMax: examplesMax,
      });
      frame.page = { limit: examplesMax, offset: 0 };
      const records = await transaction.records(broken, frame);
      const [first] = records;
      if (!first) continue;
      const plan = planOf(resource.name);
      const shown = records.map((record) => identifierOf(plan, record, ", "));
      const changed = [...applied].map((name) => `\`Records of ${name}\``).join(" and ");
      const holds = rule.kind === "Always" ? "wouldn't hold" : "would reject it";
      const command = `data edit FILE ${plan.name} ${idOf(plan, first)}`;
      const ofOther = withFormer("change these records", command, edit);
      throw new StartRecordsRefused(
        `With the changed rows of ${changed}, \`${rule.kind}: ${rule.text}\` (line ${rule.line}) ${holds}: ${resource.name} ${shown.join("; ")}. Change the rows${ofOther}.`,
      );
    }
  }
}
