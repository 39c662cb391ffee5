/** Which values of records stand in which columns, by the resource that the operations API describes. */
import type { FieldAnswer, ResourceAnswer } from "../../operations/api/resources.ts";
import { nearest } from "../../support/nearest.ts";
import type { Json } from "../../support/json.ts";
import { WrongUsage } from "../command.ts";

type Fields = Readonly<Record<string, Json>>;

export interface ColumnWishes {
  /** `--columns a,b.c`. */
  readonly named?: string | undefined;
  /** What is worked out can be read, and not stored. */
  readonly withComputed: boolean;
}

/** The columns that a table or a file has: parts of a field one by one, `address.city`. @throws WrongUsage */
export function columnsOf(
  resource: ResourceAnswer,
  { named, withComputed }: ColumnWishes,
): readonly string[] {
  const shown = resource.fields.filter(({ hidden, computed }) => !hidden && (withComputed || !computed));
  if (named === undefined) return shown.flatMap(partColumns);
  const columns = named.split(",").map((column) => column.trim());
  for (const column of columns) {
    const [first = ""] = column.split(".");
    if (shown.some(({ name }) => name === first)) continue;
    const meant = nearest(
      first,
      shown.map(({ name }) => name),
    );
    throw new WrongUsage(
      `--columns: ${resource.name} shows no field "${first}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
    );
  }
  return columns;
}

function partColumns({ name, type }: FieldAnswer): readonly string[] {
  const parts = type.parts ?? [];
  return parts.length === 0 ? [name] : parts.map((part) => `${name}.${part}`);
}

/** What is at a dotted place of a record; null where nothing is. */
export function valueAt(fields: Fields, column: string): Json {
  return column.split(".").reduce<Json>((value, name) => {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return null;
    return Object.hasOwn(value, name) ? ((value as Fields)[name] as Json) : null;
  }, fields as Json);
}

/** A value as a text; null for nothing. */
export function cellOf(value: Json): string | null {
  if (value === null) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
