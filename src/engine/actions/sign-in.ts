/**
 * Sign-in: `Does: sign in User` finds the user whose fields equal the inputs and that `Where`
 * selects, then compares the `password`. It takes the same time if there is no such user. `this`
 * and `caller` are then that record.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Action } from "../request-context.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldEquals, fieldParameters } from "../evaluation/nodes.ts";
import { Problem } from "../problem.ts";
import { type EvaluationContext, setRecord, transactionOf } from "../evaluation/context.ts";
import { toCallerRecord } from "../records/caller.ts";
import { isWeaklyHashed } from "../secrets/secrets.ts";
import { planBefore } from "./before.ts";
import { planSentValues } from "./values.ts";
import { bind } from "../../expressions/parameters.ts";

/** Compared if there is no such user, so that response times do not reveal which accounts exist. */
const unmatchableHash = "";

export function planSignIn(context: PlanContext, endpoint: Endpoint): Action {
  const plan = context.resource(endpoint.resource as string);
  const sent = planSentValues(endpoint);
  const before = planBefore(context, endpoint);
  const fields = endpoint.inputs.flatMap((input) => (input.sets === undefined ? [] : [input.sets]));
  const { passwordCost } = context.ports;
  const secret = fields.find((name) => plan.fields.get(name)?.type.kind === "password");
  const plain = fields.filter((name) => name !== secret);
  const query = context.store.prepareRecords({
    resource: plan.name,
    where: [
      ...plain.map((name) => fieldEquals(plan.name, nonNull(plan.fields.get(name)))),
      ...endpoint.where.map((expression) => expression.node),
    ],
    order: [],
  });
  return async (request) => {
    const { evaluation } = request;
    const values = sent(request);
    const named = bind(evaluation.frame, fieldParameters(plain, values));
    let found: RecordValue | null = await evaluation.work.session.record(query, named);
    const stored = secret === undefined ? null : (found?.[secret] ?? null);
    const text = secret === undefined ? "" : String(values[secret] ?? "");
    const good = evaluation.frame.ports.verifyPassword(
      typeof stored === "string" ? stored : unmatchableHash,
      text,
      JSON.stringify([plan.name, ...plain.map((name) => values[name] ?? null)]),
    );
    if (!found || !good) {
      throw new Problem(
        { condition: "sign-in failed", resource: plan.name, problem: "is wrong" },
        { because: endpoint.position },
      );
    }
    if (secret !== undefined && typeof stored === "string" && isWeaklyHashed(stored, passwordCost))
      found = await rehash(evaluation, plan.name, found, secret, text);
    setRecord(evaluation, "this", plan.name, found);
    setRecord(evaluation, plan.resource.variableName, plan.name, found);
    evaluation.frame.caller = toCallerRecord(plan.name, found);
    await before(request);
  };
}

/**
 * Rehashes the same password with a stronger hash. No visible value changes, so it is not an
 * update: no `on update`, no event.
 */
async function rehash(
  evaluation: EvaluationContext,
  resource: string,
  record: RecordValue,
  field: string,
  text: string,
): Promise<RecordValue> {
  return transactionOf(evaluation).update(resource, record, {
    [field]: evaluation.frame.ports.hashPassword(text),
  });
}
