/** Lines of part 9 that keep a change from callers of the previous version. */
import type { JsonSchema } from "../fields/json-schema.ts";
import type { Model } from "../model/model.ts";
import type { SchemaChange } from "./schemas.ts";

/**
 * The lines for a change of a resource's field.
 * @param allChanges all changes of the same schema
 */
export function partNineLines(
  change: SchemaChange,
  resource: string,
  allChanges: readonly SchemaChange[],
  after: Model,
): string | undefined {
  const field = change.member.keys.join(".").replaceAll(".[]", "[]");
  if (field === "") return undefined;
  const name = `${resource}.${field}`;
  const from = renamedFrom(change, resource, allChanges);
  const lines =
    from === undefined
      ? linesOf(change, name, renamedTo(change, resource, allChanges))
      : `- Renamed: ${from} to ${name}`;
  return lines && underHeading(lines, after);
}

function linesOf(
  { rule, isNew }: SchemaChange,
  name: string,
  renamed: string | undefined,
): string | undefined {
  switch (rule) {
    case "answer-field-removed":
    case "input-removed":
    case "input-refused":
      return renamed === undefined
        ? `- Removed: ${name}, was <what old callers are shown>`
        : `- Renamed: ${name} to ${renamed}`;
    case "input-required":
      return isNew
        ? `- Added: ${name}\n- Default: ${name}, was <what it is for old callers>`
        : `- Default: ${name}, was <what it is for old callers>`;
    case "input-default-changed":
      return `- Default: ${name}, was <the old default>`;
    case "input-type-changed":
    case "answer-type-changed":
      return `- Replaced: ${name}, new <expression of old>, old <expression of new>`;
    default:
      return undefined;
  }
}

/** The added member of the same schema and kind that may be the removed one under a new name. */
function renamedTo(
  { member, schema, isRemoved }: SchemaChange,
  resource: string,
  allChanges: readonly SchemaChange[],
): string | undefined {
  if (!isRemoved || !schema) return undefined;
  const parent = member.keys.slice(0, -1).join(".");
  const candidates = allChanges.filter(
    (schemaChange) =>
      !schemaChange.isRemoved &&
      schemaChange.schema !== undefined &&
      schemaChange.member.keys.slice(0, -1).join(".") === parent &&
      kindOf(schemaChange.schema) === kindOf(schema),
  );
  const [only] = candidates;
  return candidates.length === 1 && only ? `${resource}.${only.member.keys.join(".")}` : undefined;
}

/** The removed member that this one may be the new name of. */
function renamedFrom(
  change: SchemaChange,
  resource: string,
  allChanges: readonly SchemaChange[],
): string | undefined {
  if (change.isNew !== true) return undefined;
  const name = `${resource}.${change.member.keys.join(".")}`;
  const removed = allChanges.filter((schemaChange) => renamedTo(schemaChange, resource, allChanges) === name);
  const [only] = removed;
  return removed.length === 1 && only ? `${resource}.${only.member.keys.join(".")}` : undefined;
}

function kindOf({ type, format, $ref, items }: JsonSchema): string {
  return JSON.stringify([type, format, $ref, items]);
}

/** The lines under the heading of the newest version. A document without versions first needs one. */
function underHeading(lines: string, after: Model): string {
  const current = after.versioning.versions.find(({ status }) => status === "current");
  return current === undefined
    ? `a \`Scheme\` and a table of versions in part 9, then under \`### Changes in <new version>\`:\n${lines}`
    : `a new version in part 9, or under \`### Changes in ${current.name}\` if that version has no callers yet:\n${lines}`;
}
