/**
 * Operator writes: one transaction that changes records as a request would, with all of the
 * document's rules and events. It notes the changes in the operator journal. `caller` is null,
 * because no caller of the document made the change.
 */
import type { ExpressionPorts, RecordValue, Value } from "../../expressions/value.ts";
import { storeEvents } from "../events/events.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { createEvaluationContext, type EvaluationContext } from "../evaluation/context.ts";
import { completeChanges } from "../records/complete-changes.ts";
import type { Service } from "../service.ts";
import { parseKey, noSuchRecord, findOperatorRecord } from "./read-record.ts";
import { operatorJournal } from "./operator-journal.ts";
import { ChangedMeanwhile, fieldsRefusedBy } from "./refusals.ts";

/**
 * Runs the work, then completes its consequences and stores its events.
 * @param hashes hashes of passwords by text. They are computed before, because hashing is slow and
 * all other writes wait for this write.
 * @throws FieldsRefused if a rule of the document rejects the change; also any error of the work.
 * Nothing is stored then.
 */
export async function writeAsOperator<T>(
  { internals }: Service,
  plan: ResourcePlan,
  work: (evaluation: EvaluationContext) => Promise<T>,
  hashes: ReadonlyMap<string, string> = new Map(),
): Promise<T> {
  const { context, shared, timers, newFrame, newWork } = internals;
  const done = await context.store
    .write(async (transaction) => {
      const frame = newFrame(context.ports.clock.now());
      frame.ports = withPasswordHashes(frame.ports, hashes);
      const evaluation = createEvaluationContext({ ...newWork(), session: transaction, transaction }, frame);
      const result = await work(evaluation);
      await completeChanges(context, evaluation);
      await storeEvents(context, shared.events, evaluation);
      const { journal, earliestDueMs: due } = evaluation.work;
      return { result, due, journal, timeMs: Date.parse(frame.now) };
    })
    .catch((error: unknown) => {
      throw fieldsRefusedBy(error, plan.name) ?? error;
    });
  operatorJournal(internals).note(done.journal, done.timeMs);
  if (done.due !== null) timers.armed(done.due);
  return done.result;
}

export function withPasswordHashes(
  ports: ExpressionPorts,
  hashes: ReadonlyMap<string, string>,
): ExpressionPorts {
  if (hashes.size === 0) return ports;
  return { ...ports, hashPassword: (text) => hashes.get(text) ?? ports.hashPassword(text) };
}

/** The record and revision that an operator saw before changing it. */
export interface SeenRevision {
  readonly resource: string;
  readonly identifier: string;
  /** Absent: any current state is accepted. */
  readonly revision?: number;
}

/**
 * Writes one existing record.
 * @throws NoSuchRecord | ChangedMeanwhile | FieldsRefused
 */
export async function writeRevision<T>(
  service: Service,
  { resource, identifier, revision }: SeenRevision,
  work: (evaluation: EvaluationContext, record: RecordValue, plan: ResourcePlan) => Promise<T>,
  hashes?: ReadonlyMap<string, string>,
): Promise<T> {
  const plan = service.internals.context.resource(resource);
  const key = parseKey(service, plan, identifier);
  try {
    return await writeAsOperator(
      service,
      plan,
      async (evaluation) =>
        work(evaluation, await unchangedRecord(plan, evaluation, key, identifier, revision), plan),
      hashes,
    );
  } catch (error) {
    if (!(error instanceof ChangedMeanwhile)) throw error;
    throw new ChangedMeanwhile(error.message, await findOperatorRecord(service, plan, key));
  }
}

async function unchangedRecord(
  plan: ResourcePlan,
  { work, frame }: EvaluationContext,
  key: Value,
  identifier: string,
  revision: number | undefined,
): Promise<RecordValue> {
  const record = await plan.find(work.session, frame, key);
  if (!record) throw noSuchRecord(plan, identifier);
  const now = record["#revision"];
  if (revision !== undefined && now !== revision)
    throw new ChangedMeanwhile(
      `This ${plan.name} was changed meanwhile: it is revision ${now}, not ${revision}. Nothing was changed.`,
    );
  return record;
}
