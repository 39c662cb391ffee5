/** Type of `page` (notation, "Names") in page shapes and in responses of lists. */
import { type Type, types } from "../../../expressions/type.ts";
import type { Pagination } from "../../model.ts";

function pageType(items: Type, cursor: Type): Type {
  const addresses = ["next", "previous", "first", "last"].flatMap((name) => [`${name}_url`, `${name}_uri`]);
  return {
    kind: "object",
    fields: {
      items,
      total: types.integer,
      has_more: types.boolean,
      next: cursor,
      previous: cursor,
      number: types.integer,
      size: types.integer,
      offset: types.integer,
      url: types.string,
      uri: types.string,
      ...Object.fromEntries(addresses.map((name) => [name, types.string])),
    },
  };
}

/** `page` in a shape that may serve any list: its items are already shaped, and its cursors are texts or numbers. */
export const anyPageType: Type = pageType({ kind: "list", of: types.any }, types.any);

/** `page` in the expression of a response: its items are records. */
export function recordsPageType(resource: string, pagination: Pagination | undefined): Type {
  const numbered = pagination?.kind === "page" || pagination?.kind === "offset";
  return pageType(
    { kind: "list", of: { kind: "record", resource } },
    numbered ? types.integer : types.string,
  );
}
