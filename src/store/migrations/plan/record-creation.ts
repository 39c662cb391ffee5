/**
 * Tables for records that effects create: which tables exist, with which columns, and in which
 * order they are written.
 */
import type { Type } from "../../../expressions/type.ts";
import type { StoredChange } from "../../../model/model.ts";
import type { PlannedForEach } from "./for-each.ts";
import type { NamesAtStep } from "./names-at-step.ts";
import type { Table } from "../../table.ts";

/** The fields that effects set in new records of a resource. */
export function fieldsOfNewRecords(
  forEach: readonly PlannedForEach[],
  resource: string,
): ReadonlyMap<string, Type> {
  const makings = forEach.flatMap(({ effects }) => effects.filter((effect) => effect.kind === "make"));
  return new Map(
    makings
      .filter((making) => making.resource === resource)
      .flatMap(({ fields }) => fields.map(({ field, type }) => [field, type] as const)),
  );
}

/** Tables of resources whose first records the step creates, as part 2 states them. */
export function tablesOfNewRecords(
  forEach: readonly PlannedForEach[],
  there: readonly Table[],
  later: NamesAtStep,
  obstacles: string[],
): readonly Table[] {
  const wanted = new Set(
    forEach.flatMap(({ effects }) =>
      effects.flatMap((effect) => (effect.kind === "make" ? [effect.resource] : [])),
    ),
  );
  return [...wanted].flatMap((name) => {
    if (there.some((table) => table.name === name)) return [];
    const table = later.tables.tables.find((candidate) => candidate.name === name);
    if (!table) obstacles.push(`${name} isn't in part 2, so the fields of its records are unknown`);
    return table ? [table] : [];
  });
}

interface Ordered {
  readonly before: Table;
  readonly after: Table | undefined;
  readonly forEach: readonly PlannedForEach[];
}

/** Orders tables so that a table comes before those whose effects add records to it. */
export function inCreationOrder<Change extends Ordered>(
  changes: readonly Change[],
  step: StoredChange,
  obstacles: string[],
): readonly Change[] {
  const targets = (change: Change): ReadonlySet<string> =>
    new Set(
      change.forEach.flatMap(({ effects }) =>
        effects.flatMap((effect) => (effect.kind === "make" ? [effect.resource] : [])),
      ),
    );
  const waiting = [...changes];
  const ordered: Change[] = [];
  while (waiting.length > 0) {
    const next = waiting.findIndex((candidate) => {
      const made = targets(candidate);
      return !waiting.some((other) => other !== candidate && other.after && made.has(other.after.name));
    });
    if (next === -1) {
      const names = waiting.map(({ before }) => before.name).join(" and ");
      obstacles.push(
        `stored change ${step.name}: ${names} create records of each other; move one \`For each\` under a heading of its own`,
      );
      return changes;
    }
    ordered.push(...waiting.splice(next, 1));
  }
  for (const { after, forEach } of changes)
    if (
      forEach.some(({ effects }) =>
        effects.some((effect) => effect.kind === "make" && effect.by && effect.resource === after?.name),
      )
    )
      obstacles.push(
        `stored change ${step.name}: \`upsert ${after?.name}\` for each ${after?.name} can't distinguish records that it has created from those that follow; move it under a heading of its own`,
      );
  return ordered;
}
