/**
 * The fields of `any of …`, by which a request may sort a list or select its records, by their
 * names in the request's version. A version in which a field is unknown, or has other values,
 * doesn't have it here.
 */
import type { OrderChoice } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";

export interface ComparedName {
  /** The field's name in the document. */
  readonly field: string;
  readonly by: OrderChoice["of"][number]["by"];
}

export function comparedFields(
  { view }: Pick<PlanContext, "view">,
  resource: string,
  of: OrderChoice["of"],
): ReadonlyMap<string, ComparedName> {
  return new Map(
    of.flatMap(({ name: field, by }): [string, ComparedName][] => {
      const name = view ? view.comparedName(resource, field) : field;
      return name === undefined ? [] : [[name, { field, by }]];
    }),
  );
}
