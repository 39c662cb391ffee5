/** The diagnostics of part 9's stored changes, which are reported under `versioning`. */
import { mistake, warning } from "../code.ts";
import { didYouMean, duplicate, type UnknownName, type Named, upsertWithoutKey } from "./form-codes.ts";

export const storedCodes = {
  "versioning/stored-repeated": duplicate<Named>(
    ({ name }) => `stored change "${name}"`,
    "Give this one a name that was never used: stores identify steps by their names.",
  ),
  "versioning/stored-empty": mistake<Named>(
    ({ name }) => `The stored change "${name}" has no items.`,
    "Write what changes, such as `- Renamed: User.name to User.full_name`.",
  ),
  "versioning/stored-not-there": mistake<UnknownName & { readonly of: string | undefined }>(
    ({ name, of }) =>
      of === undefined
        ? `Unknown resource "${name}" after this step.`
        : `Unknown stored field or value ${name.startsWith('"') ? name : `"${name}"`} of ${of} after this step.`,
    didYouMean,
  ),
  "versioning/stored-still-there": mistake<
    Named & { readonly by: "renamed" | "removed"; readonly value: boolean }
  >(
    ({ name, by }) => `${name} is ${by} here, but it still exists after this step.`,
    ({ name, by, value }) => {
      if (by === "removed")
        return `Remove ${name} from part 2; or remove this item, and its heading if it is the only one.`;
      if (value)
        return "Remove it from part 2, or write a `For each` that sets the field `when` it had this value.";
      return "Remove the old name from part 2. A new field with that name gets its values by a `For each`.";
    },
  ),
  "versioning/stored-twice": mistake<Named & { readonly version: string }>(
    ({ name, version }) => `Duplicate change of "${name}": the changes in ${version} have it too.`,
    "Remove this item, and its heading if it is the only one. The change there moves stored data, too.",
  ),
  "versioning/stored-contradiction": duplicate<Named>(
    ({ name }) => `change of "${name}" in one step, whose items have no order`,
    "Keep one of the two, or write the second under a heading of its own.",
  ),
  "versioning/stored-elsewhere": mistake<{ readonly from: string; readonly to: string }>(
    ({ from, to }) => `${from} can't be renamed to ${to}, which is not a field of the same resource.`,
    "Write a `For each` that sets the new one from `old`, and a `Removed` for the old one.",
  ),
  "versioning/stored-not-values": mistake<Named>(
    ({ name }) => `${name} is not a \`one of\` field, so it has no values to rename or remove.`,
    ({ name }) =>
      `Write a \`For each\`: \`${name.split(".").at(-1)} = … when old.${name.split(".").at(-1)} == …\`.`,
  ),
  "versioning/stored-of-value": mistake<{ readonly value: string; readonly part: string }>(
    ({ value, part }) =>
      `\`${part}\` is a field of the value ${value}, and changes in every record that contains one.`,
    ({ value, part }) => `Write \`${value}.${part}\`.`,
  ),
  "versioning/stored-effect": mistake<{ readonly what: string }>(
    ({ what }) => `${what} is not allowed here, in a \`For each\`.`,
    "Write `field = value`, `create …`, `upsert …` or `delete …`. To change other records, write a `For each` of their resource.",
  ),
  "versioning/stored-no-request": mistake<Named>(
    ({ name }) => `\`${name}\` is not allowed here: stored records change without a request or a module.`,
    "Use `old` (the record before the step), `this` (the record after it), collections before the step, and `now`.",
  ),
  "versioning/stored-reach": mistake<Named>(
    ({ name }) => `Reading through \`${name}\` is not allowed here: this step creates it.`,
    "Follow references from `old`: expressions read the store as it was before the step.",
  ),
  "versioning/stored-not-before": mistake<
    Named & { readonly of: string; readonly nearest: string | undefined }
  >(
    ({ name, of }) => `Unknown stored field "${name}" of ${of} before this step.`,
    ({ name, of, nearest }) =>
      `${nearest === undefined ? "If the field existed" : `Did you mean \`${nearest}\`? If not`}, state that it was removed: \`- Removed: ${of}.${name}\`.`,
  ),
  "versioning/stored-upsert": upsertWithoutKey,
  "versioning/stored-not-stored": mistake<Named>(
    ({ name }) => `\`stored\` is not allowed here: ${name} is not a stored field.`,
    "Remove `, stored`.",
  ),
  "versioning/stored-from-there": warning<Named>(
    ({ name }) => `The step ${name} has no effect: \`Stored from\` rejects stores that never ran it.`,
    "Remove its heading and all before it, or remove `Stored from`.",
  ),
};
