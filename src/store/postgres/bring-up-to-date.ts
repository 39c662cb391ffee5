/**
 * What a schema has to become for a document, and its becoming so. One instance does it, others wait for it and find it done. What instances of
 * the former document can live with is added beside them; anything else is made in one transaction, once they have stopped.
 */
import type { Model } from "../../model/model.ts";
import { type MigrationPlan, planBetween, planOfNew } from "../changes/planning.ts";
import type { TakingWatch } from "../changing/take-steps.ts";
import { type Tables, tablesOf } from "../tables.ts";
import { numberFor, type PostgresAddress } from "./address.ts";
import { type Changing, changeAtOnce, rehearse } from "./changing/at-once.ts";
import { prepareSchema, type SchemaNow, schemaNow } from "./changing/meta.ts";
import { ChangingSession } from "./changing/session.ts";

export interface UpToDateWishes {
  readonly losesData: boolean;
  readonly onWarning?: (message: string) => void;
  readonly watch?: TakingWatch;
}

/** What an instance begins with. */
export interface UpToDate {
  readonly tables: Tables;
  readonly generation: string;
}

/** @throws StoreRefused | StoreMismatch */
export async function bringUpToDate(
  address: PostgresAddress,
  model: Model,
  { losesData, onWarning = () => {}, watch = {} }: UpToDateWishes,
): Promise<UpToDate> {
  const tables = tablesOf(model);
  const session = await ChangingSession.open(address);
  try {
    await session.go(`SELECT pg_advisory_lock(${numberFor(address.schema, "migration")})`);
    await session.transaction("", () => prepareSchema(session, address));
    const now = await schemaNow(session, address, model);
    const plan = planOf(now, model, tables, { path: address.shown, onWarning });
    if (!plan) return { tables, generation: now.generation };
    const changing: Changing = { session, address, model, tables, losesData, watch };
    return { tables, generation: await changeAtOnce(plan, now, changing) };
  } finally {
    await session.close();
  }
}

/** Whether it could be done; nothing is changed. @throws StoreRefused | StoreMismatch */
export async function checkFit(
  address: PostgresAddress,
  model: Model,
  { losesData }: UpToDateWishes,
): Promise<void> {
  const tables = tablesOf(model);
  const session = await ChangingSession.open(address);
  try {
    const now = await schemaNow(session, address, model);
    const plan = planOf(now, model, tables, { path: address.shown });
    if (plan) await rehearse(plan, now, { session, address, model, tables, losesData, watch: {} });
  } finally {
    await session.close();
  }
}

function planOf(
  { tables: kept, had }: SchemaNow,
  model: Model,
  tables: Tables,
  wishes: { readonly path: string; readonly onWarning?: (message: string) => void },
): MigrationPlan | undefined {
  return kept ? planBetween({ tables: kept, had }, model, tables, wishes) : planOfNew(model, tables);
}
