/** Lines of part 9 that keep a change from callers of the previous version. */
import type { JsonSchema } from "../fields/json-schema.ts";
import type { Model } from "../model/model.ts";
import type { SchemaChange } from "./schemas.ts";

/** The documents, and where the change is. */
export interface ChangePlace {
  readonly before: Model;
  readonly after: Model;
  readonly resource: string;
  /** The operation whose body the schema is; undefined for the schema of a resource. */
  readonly operation: string | undefined;
}

/**
 * The lines for a change of a resource's field or of an input.
 * @param allChanges all changes of the same schema
 */
export function partNineLines(
  change: SchemaChange,
  allChanges: readonly SchemaChange[],
  place: ChangePlace,
): string | undefined {
  const [name = ""] = change.member.keys;
  const field = change.member.keys.join(".").replaceAll(".[]", "[]");
  if (field === "") return undefined;
  const from = renamedFrom(change, allChanges);
  const to = renamedTo(change, allChanges);
  const { operation, resource } = place;
  const [wasField, isField] = [place.before, place.after].map((model) => hasField(model, resource, name));
  // An input that is no field, or whose field stays.
  if (operation !== undefined && change.isRemoved && (!wasField || isField)) {
    const as = to === undefined || isField ? "" : `, as ${to} = \`body.${field}\``;
    return underHeading(`- Removed: ${field} of ${operation}${as}`, place);
  }
  if (operation !== undefined && !isField && !wasField) return undefined;
  const lines =
    from === undefined
      ? linesOf(change, `${resource}.${field}`, to === undefined ? undefined : `${resource}.${to}`)
      : `- Renamed: ${resource}.${from} to ${resource}.${field}`;
  return lines && underHeading(lines, place);
}

/** Whether the resource has the field, or a shape of that name the key. */
function hasField(model: Model, resource: string, name: string): boolean {
  return model.resources.some(
    (own) => own.name === resource && own.fields.some((field) => field.name === name),
  );
}

/** The lines for a state under another name. Its stored records need a stored change, too. */
export function linesOfRenamedState(
  field: string,
  { from, to }: { readonly from: string; readonly to: string },
  models: Pick<ChangePlace, "before" | "after">,
): string {
  const choice = (value: string, is: string, then: string) =>
    `\`${value} == "${is}" ? "${then}" : ${value}\``;
  return underHeading(
    `- Replaced: ${field}, new ${choice("old", from, to)}, old ${choice("new", to, from)}`,
    models,
  );
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
  return candidates.length === 1 && only ? only.member.keys.join(".") : undefined;
}

/** The removed member that this one may be the new name of. */
function renamedFrom(change: SchemaChange, allChanges: readonly SchemaChange[]): string | undefined {
  if (change.isNew !== true) return undefined;
  const name = change.member.keys.join(".");
  const removed = allChanges.filter((schemaChange) => renamedTo(schemaChange, allChanges) === name);
  const [only] = removed;
  return removed.length === 1 && only ? only.member.keys.join(".") : undefined;
}

function kindOf({ type, format, $ref, items }: JsonSchema): string {
  return JSON.stringify([type, format, $ref, items]);
}

/**
 * The lines under the heading of the newest version. A document without versions first needs one,
 * and `Default: oldest` for the callers who name none.
 */
function underHeading(lines: string, { before, after }: Pick<ChangePlace, "before" | "after">): string {
  const current = after.versioning.versions.find(({ status }) => status === "current");
  if (current === undefined)
    return `\`Scheme\`, \`Default: oldest\` and a table of versions in part 9, then under \`### Changes in <new version>\`:\n${lines}`;
  const isNew = !before.versioning.versions.some(({ name }) => name === current.name);
  return isNew
    ? `under \`### Changes in ${current.name}\`:\n${lines}`
    : `a new version in part 9, or under \`### Changes in ${current.name}\` if that version has no callers yet:\n${lines}`;
}
