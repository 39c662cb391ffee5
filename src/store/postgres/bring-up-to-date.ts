/**
 * What a schema has to become for a document, and its becoming so. One instance does it, others wait for it and find it done. What instances of
 * the former document can live with is added beside them; anything else is made in one transaction, once they have stopped.
 */
import type { Model } from "../../model/model.ts";
import { isAdditive, onlyAdds } from "../changes/additive.ts";
import { type MigrationPlan, planBetween, planOfNew } from "../changes/planning.ts";
import { lossesOf, type TakingWatch } from "../changing/take-steps.ts";
import { planMigration } from "../migrate.ts";
import { type Tables, tablesOf } from "../tables.ts";
import type { PostgresAddress } from "./address.ts";
import { type Changing, changeAtOnce, rehearse } from "./changing/at-once.ts";
import { addBeside, takeBack } from "./changing/beside.ts";
import { prepareSchema, type SchemaNow, schemaNow } from "./changing/meta.ts";
import { ChangingSession } from "./changing/session.ts";
import { servers, takeMigrationTurn, whileNobodyServes } from "./changing/turns.ts";
import { nobodyHasItAlone } from "./serving.ts";
import { postgresChangeWords as words } from "./changing/words.ts";
import { foreignKeys } from "./ddl.ts";

export interface UpToDateWishes {
  readonly losesData: boolean;
  readonly onWarning?: (message: string) => void;
  readonly watch?: StartWatch;
}

/** Told on the way, where somebody looks on. */
export interface StartWatch extends TakingWatch {
  /** Another instance changes the tables, and this one waits; or this one does. */
  readonly onMigrating?: (who: "another" | "this") => void;
}

/** What an instance begins with. */
export interface UpToDate {
  readonly tables: Tables;
  readonly generation: string;
}

/**
 * @param begin is run before anybody else may change the tables again
 * @throws StoreRefused | StoreMismatch
 */
export async function bringUpToDate<T>(
  address: PostgresAddress,
  model: Model,
  { losesData, onWarning = () => {}, watch = {} }: UpToDateWishes,
  begin: (upToDate: UpToDate) => Promise<T>,
): Promise<T> {
  const tables = tablesOf(model);
  const session = await ChangingSession.open(address);
  try {
    await takeMigrationTurn(session, address, () => watch.onMigrating?.("another"));
    await nobodyHasItAlone(session, address);
    await session.transaction("", () => prepareSchema(session, address));
    const changing: Changing = { session, address, model, tables, losesData, watch };
    const generation = await changed(changing, onWarning, watch);
    return await begin({ tables, generation });
  } finally {
    await session.close();
  }
}

/** Answers what the schema is then. */
async function changed(
  changing: Changing,
  onWarning: (message: string) => void,
  { onMigrating }: StartWatch,
): Promise<string> {
  const { session, address, model, tables } = changing;
  const now = await schemaNow(session, address, model);
  const { tables: kept, aim, generation } = now;
  if (kept && aim && JSON.stringify(aim) !== JSON.stringify(tables)) await takeBack(kept, aim, changing);
  const plan = planOf(now, model, tables, { path: address.shown, onWarning });
  if (!plan) return generation;
  if (!kept) return changeAtOnce(plan, now, changing, false);
  const isServed = (await servers(session, address)).length > 0;
  // Somebody serves a document that has added to this one: what it has added stays.
  if (isServed && livesWith(kept, plan, tables, model)) return generation;
  const isAdded = isAdditive(plan, tables, heldBy(tables));
  onMigrating?.("this");
  if (isAdded && isServed) {
    await addBeside(plan, kept, changing);
    return generation;
  }
  if (isAdded) return changeAtOnce(plan, now, changing, true);
  // What can be known to be refused is refused before anybody has to stop for it.
  if (plan.changes.length === 0)
    await session.run(lossesOf(plan, { ...changing, words, path: address.shown }));
  const after = await whileNobodyServes(session, address, () =>
    changeAtOnce(plan, now, telling(changing, onWarning), false),
  );
  tellChanges(plan, onWarning);
  return after;
}

function telling(changing: Changing, onWarning: (message: string) => void): Changing {
  const onLosses = (losses: readonly string[]): void =>
    onWarning(
      `The document has no place any more for\n${losses.map((line) => `  - ${line}`).join("\n")}\nIt goes.`,
    );
  return { ...changing, watch: { ...changing.watch, onLosses } };
}

function tellChanges({ changes }: MigrationPlan, onWarning: (message: string) => void): void {
  const names = changes.filter((one) => one.changes.length > 0).map(({ step }) => step.name);
  if (names.length > 0)
    onWarning(
      `${names.length === 1 ? "A stored change was" : "Stored changes were"} made: ${names.join(", ")}.`,
    );
}

/** Whether a document can be served in tables that another one has added to. */
function livesWith(kept: Tables, { changes }: MigrationPlan, own: Tables, model: Model): boolean {
  if (changes.some((one) => one.changes.length > 0 || one.made.length > 0)) return false;
  const migration = planMigration(own, kept, model);
  const added: MigrationPlan = { changes: [], before: own, taken: new Set(), migration };
  return onlyAdds(migration) && isAdditive(added, kept, heldBy(kept));
}

/** Which references the database itself keeps from leading nowhere. */
function heldBy(tables: Tables): Parameters<typeof isAdditive>[2] {
  const keys = foreignKeys(tables);
  return ({ resource, field, steps }) =>
    steps.length === 0 && keys.some((key) => key.resource === resource && key.column === field);
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
