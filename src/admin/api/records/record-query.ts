/** Record queries as query parameters: `filter=status = delivered&sort=-price&search=Ada`. */
import { type Static, Type } from "typebox";
import { type Filter, operators } from "../../../engine/admin/filters.ts";
import type { RecordsQuestion } from "../../../engine/admin/list-records.ts";
import { badRequest } from "../routing/refusal.ts";

/** The maximum length of a filter or a search text, in characters. */
const textMax = 2_000;

export const recordQueryParameters = {
  filter: Type.Optional(
    Type.Array(Type.String({ maxLength: textMax }), {
      maxItems: 20,
      description:
        "`status = delivered`, `price >= 500`, `shop.name starts with Ad`, `reference is empty`; all hold together",
    }),
  ),
  where: Type.Optional(
    Type.String({
      maxLength: textMax,
      description: 'a condition in the notation: `this.price > 500 && this.shop.name == "Ada"`',
    }),
  ),
  search: Type.Optional(
    Type.String({
      maxLength: textMax,
      description:
        "a search text: found by identifiers and indexes, or else in all texts of up to 10,000 records",
    }),
  ),
  everywhere: Type.Optional(
    Type.Boolean({ description: "searches all texts of every record, which may take long" }),
  ),
  deleted: Type.Optional(
    Type.Boolean({ description: "whether records that are marked as deleted are included" }),
  ),
};

export type RecordQueryParameters = Static<typeof recordQuerySchema>;
const recordQuerySchema = Type.Object(recordQueryParameters);

/** @throws OperationRefusal */
export function recordQueryOf(
  resource: string,
  parameters: RecordQueryParameters & { readonly sort?: string },
): RecordsQuestion {
  const { filter = [], where, search, everywhere, deleted, sort } = parameters;
  return {
    resource,
    filters: filter.map(filterOf),
    ...(where === undefined ? {} : { where }),
    ...(everywhere && search !== undefined ? { containing: search } : {}),
    ...(sort === undefined || sort === "" ? {} : { order: orderOf(sort) }),
    ...(deleted === undefined ? {} : { includesDeleted: deleted }),
  };
}

function orderOf(sort: string): NonNullable<RecordsQuestion["order"]> {
  const descending = sort.startsWith("-");
  return { field: descending ? sort.slice(1) : sort, descending };
}

/** Longer operators come first, so that `<=` isn't read as `<`. */
const form = new RegExp(
  `^(\\S+) +(${operators
    .toSorted((a, b) => b.length - a.length)
    .map((operator) => operator.replaceAll(" ", " +"))
    .join("|")})(?: (.*))?$`,
  "s",
);

function filterOf(text: string): Filter {
  const [, field, operator, value] = form.exec(text) ?? [];
  if (field === undefined || operator === undefined)
    throw badRequest(
      `"${text.slice(0, 100)}" is not a filter. Write a field, ${operators.map((operator) => `"${operator}"`).join(", ")}, and a value.`,
      [{ field: "filter", message: "Write a field, an operator and a value, with spaces between them." }],
    );
  return {
    field,
    operator: operator.replaceAll(/ +/g, " ") as Filter["operator"],
    ...(value === undefined ? {} : { value }),
  };
}
