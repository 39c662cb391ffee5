/**
 * Records whose identifier a stored change replaces: those whose identifying fields it sets or
 * renames values of, and those that are identified by such records.
 */
import type { Type } from "../../../expressions/type.ts";
import { keyColumn } from "../../tables.ts";
import type { PlannedForEach } from "./for-each.ts";
import type { NamesAtStep } from "./names-at-step.ts";
import type { NestedChange } from "./part-edits.ts";
import type { Column, Table } from "../../table.ts";

/** A resource, by its names before and after. */
export interface RekeyedResource {
  readonly before: string;
  readonly after: string;
}

/** The fields that effects set, with the types of their new values. */
export function assignedFields(forEach: readonly PlannedForEach[]): ReadonlyMap<string, Type> {
  const assigns = forEach.flatMap(({ effects }) => effects.filter((effect) => effect.kind === "assign"));
  return new Map(assigns.map(({ field, type }) => [field, type]));
}

interface Draft {
  readonly before: Table;
  readonly after: Table | undefined;
  readonly forEach: readonly PlannedForEach[];
  readonly inside: readonly NestedChange[];
}

/**
 * Tables are identified as part 2 states if the step sets their identifying fields. References to
 * them have the type of the new keys.
 */
export function withNewKeys<One extends Draft>(
  drafts: readonly One[],
  later: NamesAtStep,
): { readonly drafts: readonly One[]; readonly rekeyed: readonly RekeyedResource[] } {
  const set = new Set<string>();
  const identified = drafts.map((draft) => {
    const after = draft.after && identifiedAnew(draft.after, draft.forEach, later);
    if (after) set.add(after.name);
    return after ? { ...draft, after } : draft;
  });
  const tables = identified.flatMap(({ after }) => (after ? [after] : []));
  const renamed = identified.flatMap((draft) =>
    draft.after && renamesKeys(draft) ? [draft.after.name] : [],
  );
  const names = withIdentified(new Set([...set, ...renamed]), tables);
  const rekeyed = identified.flatMap(({ before, after }): RekeyedResource[] =>
    after && names.has(after.name) ? [{ before: before.name, after: after.name }] : [],
  );
  // Renamed values have the form that the store has.
  const otherwise = withIdentified(set, tables);
  const referring = identified.map((draft) => {
    const { after } = draft;
    if (!after) return draft;
    const columns = after.columns.map((column) =>
      otherwise.has(column.refersTo?.resource ?? "") ? referringAnew(column, after, tables, later) : column,
    );
    return { ...draft, after: { ...after, columns } };
  });
  return { drafts: referring, rekeyed: inKeyOrder(rekeyed, tables) };
}

/** Adds the resources that are identified by references to some resources: they get new keys, too. */
function withIdentified(names: ReadonlySet<string>, tables: readonly Table[]): ReadonlySet<string> {
  const isAmong = (name: string | undefined): boolean => name !== undefined && names.has(name);
  const more = tables.filter((table) => !names.has(table.name) && isIdentifiedBy(table, isAmong));
  return more.length === 0
    ? names
    : withIdentified(new Set([...names, ...more.map(({ name }) => name)]), tables);
}

/** Whether the step renames values of an identifying field. */
function renamesKeys({ after, inside }: Draft): boolean {
  return inside.some(({ kind, column }) => kind === "value" && after?.identifier.includes(column) === true);
}

function identifiedAnew(
  table: Table,
  forEach: readonly PlannedForEach[],
  later: NamesAtStep,
): Table | undefined {
  const set = assignedFields(forEach);
  const last = later.tables.tables.find(({ name }) => name === table.name);
  const isThere = (name: string): boolean => table.columns.some((column) => column.name === name);
  if (last?.identifier.every(isThere) && last.identifier.some((name) => set.has(name))) {
    const { key: _former, ...bare } = table;
    return {
      ...bare,
      identifier: last.identifier,
      ...(last.key && { key: last.key }),
      uniques: [
        ...last.uniques.filter(({ identifier }) => identifier),
        ...table.uniques.filter(({ identifier }) => !identifier),
      ],
    };
  }
  return table.identifier.some((name) => set.has(name)) ? table : undefined;
}

function isIdentifiedBy(table: Table, isRekeyed: (name: string | undefined) => boolean): boolean {
  return table.identifier.some((name) =>
    isRekeyed(table.columns.find((column) => column.name === name)?.refersTo?.resource),
  );
}

/** A reference column, with the type of the new keys that it refers to. */
function referringAnew(column: Column, table: Table, tables: readonly Table[], later: NamesAtStep): Column {
  const last = later.tables.tables
    .find(({ name }) => name === table.name)
    ?.columns.find(({ name }) => name === column.name);
  if (last?.refersTo && last.refersTo.resource === column.refersTo?.resource)
    return { ...column, storage: last.storage, anyCase: last.anyCase, refersTo: last.refersTo };
  const target = tables.find(({ name }) => name === column.refersTo?.resource);
  const field = target && keyColumn(target);
  if (!target || field === undefined) return column;
  const key = target.columns.find(({ name }) => name === field);
  return { ...column, storage: key?.storage ?? "text", refersTo: { resource: target.name, field } };
}

function inKeyOrder(
  rekeyed: readonly RekeyedResource[],
  tables: readonly Table[],
): readonly RekeyedResource[] {
  const waiting = [...rekeyed];
  const ordered: RekeyedResource[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((candidate) => {
      const table = tables.find(({ name }) => name === candidate.after);
      return (
        !table ||
        !isIdentifiedBy(table, (name) =>
          waiting.some(({ after }) => after === name && after !== candidate.after),
        )
      );
    });
    ordered.push(...waiting.splice(Math.max(0, next), 1));
  }
  return ordered;
}
