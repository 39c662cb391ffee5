/** The unique keys of a table in which a step may have made two records equal. */
import type { Table, UniqueKey } from "../../table.ts";
import type { ChangedTables, TableChange } from "../plan/changed-tables.ts";

/** All unique keys of a next table, except those whose values the step leaves as they were. */
export function uniquesToCheck(
  table: Table,
  { changes, rekeyed }: Pick<ChangedTables, "changes" | "rekeyed">,
): readonly UniqueKey[] {
  const change = changes.find(({ after }) => after?.name === table.name);
  const isGiven = changes.some(({ forEach }) =>
    forEach.some(({ effects }) =>
      effects.some((effect) => effect.kind === "make" && effect.resource === table.name),
    ),
  );
  if (!change || isGiven || rekeyed.length > 0) return table.uniques;
  return table.uniques.filter((key) => !isKept(key, table, change));
}

function isKept(key: UniqueKey, table: Table, change: TableChange): boolean {
  const { before } = change;
  const former = (name: string): string => change.columns.find(({ to }) => to === name)?.from ?? name;
  const names = JSON.stringify(key.columns.map(former));
  const isFormer = before.uniques.some(
    ({ columns, identifier }) => identifier === key.identifier && JSON.stringify(columns) === names,
  );
  return isFormer && key.columns.every((name) => isSameValue(name, former(name), table, change));
}

function isSameValue(name: string, former: string, table: Table, change: TableChange): boolean {
  const { before, inside, forEach } = change;
  const now = table.columns.find((column) => column.name === name);
  const old = before.columns.find((column) => column.name === former);
  const isSet = forEach.some(({ effects }) =>
    effects.some((effect) => effect.kind === "assign" && effect.field === name),
  );
  const isChangedInside = inside.some(
    (nested) => (nested.kind === "value" ? nested.field : nested.from)[0] === name,
  );
  return (
    now !== undefined &&
    old !== undefined &&
    now.storage !== "json" &&
    now.storage === old.storage &&
    now.form === old.form &&
    now.anyCase === old.anyCase &&
    !isSet &&
    !isChangedInside
  );
}
