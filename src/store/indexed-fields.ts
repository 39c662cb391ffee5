/**
 * Indexed fields: those that come first in an index of their resource, so that queries by them are
 * fast.
 */
import type { Model } from "../model/model.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { tablesOf } from "./tables.ts";

const fieldsOfModel = memoizeBy(
  (model: Model): ReadonlyMap<string, ReadonlySet<string>> =>
    new Map(
      tablesOf(model).tables.map(({ name, indexes, uniques }) => {
        const first = [
          ...indexes.map(({ columns }) => columns[0]?.name),
          ...uniques.map(({ columns }) => columns[0]),
        ];
        return [name, new Set(first.filter((candidate) => candidate !== undefined))];
      }),
    ),
);

export function indexedFields(model: Model, resource: string): ReadonlySet<string> {
  return fieldsOfModel(model).get(resource) ?? new Set();
}
