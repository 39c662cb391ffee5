/**
 * Tokens that a stored change ends. A token contains the value of a field that identifies its
 * record. If a step may give that value to another record, the token would be accepted for that one.
 */
import type { Model } from "../../../model/model.ts";
import type { Column, Table } from "../../table.ts";
import { assignedFields } from "./new-keys.ts";
import type { ChangedTables, TableChange } from "./changed-tables.ts";
import { keptColumns } from "./renamed-tables.ts";

/** The fields by which a token can identify a record. */
export function identifyingFields({
  identifier,
  uniques,
}: Pick<Table, "identifier" | "uniques">): readonly string[] {
  return [...new Set([...identifier, ...uniques.flatMap(({ columns }) => columns)])];
}

/** The identifying fields (`User.id`) whose values may belong to other records after the step. */
export function fieldsOfEndedTokens(changed: Pick<ChangedTables, "changes" | "rekeyed">): readonly string[] {
  return [...new Set(changed.changes.flatMap((change) => endedIn(change, changed)))];
}

/** Those by which the document's schemes find a caller. */
export function endedTokens(
  changed: Pick<ChangedTables, "changes" | "rekeyed">,
  { authentication }: Pick<Model, "authentication">,
): readonly string[] {
  const claimed = authentication.schemes.flatMap(({ credentials }) =>
    credentials?.fromClaim === undefined ? [] : [`${credentials.resource}.${credentials.by[0]}`],
  );
  return fieldsOfEndedTokens(changed).filter((field) => claimed.includes(field));
}

function endedIn(
  change: TableChange,
  changed: Pick<ChangedTables, "changes" | "rekeyed">,
): readonly string[] {
  const { before, after } = change;
  // The tokens of a removed resource end with it (`../run/forget-resource.ts`).
  if (!after) return [];
  const kept = keptColumns(change);
  return identifyingFields(before).flatMap((field) => {
    const name = `${before.name}.${field}`;
    const to = kept.find(({ column }) => column.name === field)?.to;
    const column = after.columns.find((candidate) => candidate.name === to);
    if (!column) return [name];
    const later = `${after.name}.${column.name}`;
    if (later !== name) return [name, later];
    return isChanged(column, { ...change, after }, changed) ? [name] : [];
  });
}

/** Whether the step may change the values of a column that keeps its name. */
function isChanged(
  { name, refersTo }: Column,
  { before, after, forEach, inside }: TableChange & { readonly after: Table },
  { changes, rekeyed }: Pick<ChangedTables, "changes" | "rekeyed">,
): boolean {
  const effects = changes.flatMap((change) => change.forEach.flatMap((each) => each.effects));
  const isDeleted = effects.some((effect) => effect.kind === "delete" && effect.resource === before.name);
  const isGiven = effects.some(
    (effect) =>
      effect.kind === "make" &&
      effect.resource === after.name &&
      effect.fields.some(({ field }) => field === name) &&
      // A new record doesn't take the value of a record that stays.
      (isDeleted || (effect.by !== undefined && !effect.by.includes(name))),
  );
  return (
    isGiven ||
    assignedFields(forEach).has(name) ||
    inside.some((nested) => nested.kind === "value" && nested.column === name) ||
    rekeyed.some((resource) => resource.after === refersTo?.resource)
  );
}
