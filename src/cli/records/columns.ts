/**
 * Columns of records: which values they hold, by the resource that the operations API describes.
 */
import type { FieldResponse, ResourceResponse } from "../../admin/api/records/resources.ts";
import { partColumns } from "../../admin/record-columns.ts";
import { unknownWord } from "../arguments.ts";
import { WrongUsage } from "../command.ts";

export interface ColumnOptions {
  /** `--columns a,b.c`. */
  readonly named?: string | undefined;
  /** Whether computed fields are included, which can be read but not imported. */
  readonly withComputed: boolean;
}

/**
 * The columns of a table or a file: the parts of a field are separate columns, `address.city`.
 * @throws WrongUsage
 */
export function columnsOf(
  resource: ResourceResponse,
  { named, withComputed }: ColumnOptions,
): readonly string[] {
  const shown = resource.fields.filter(({ hidden, computed }) => !hidden && (withComputed || !computed));
  if (named === undefined) return shown.flatMap(partColumns);
  const columns = named.split(",").map((column) => column.trim());
  for (const column of columns) {
    const [first = "", part] = column.split(".");
    const field = shown.find(({ name }) => name === first);
    if (field) {
      if (part !== undefined) holdPart(resource.name, field, part);
      continue;
    }
    throw unknownWord(
      "--columns field",
      first,
      shown.map(({ name }) => name),
    );
  }
  return columns;
}

/**
 * Rejects a column that can never have a value, in place of printing it empty. @throws WrongUsage
 */
function holdPart(resource: string, { name, type }: FieldResponse, part: string): void {
  if (type.kind === "reference")
    throw new WrongUsage(
      `--columns: ${name} of ${resource} refers to a record of ${type.resource}, and a list can't follow references. Write \`${name}\` alone, and read the other record with \`ninefold data show FILE ${type.resource} ID\`.`,
    );
  if (type.parts && !type.parts.includes(part)) {
    const parts = type.parts.map((known) => `${name}.${known}`);
    throw unknownWord("--columns field", `${name}.${part}`, parts);
  }
  if (type.parts || type.kind === "map" || type.kind === "json") return;
  throw new WrongUsage(
    `--columns: ${name} of ${resource} is ${/^[aeiou]/.test(type.kind) ? "an" : "a"} ${type.kind}, which has no parts. Write \`${name}\` alone.`,
  );
}
