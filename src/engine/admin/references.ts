/**
 * Referring records: the records that refer to a record. For each field that may, it returns their
 * number (up to a bound) and the first of them.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Model } from "../../model/model.ts";
import { StatementTimedOut } from "../../store/errors.ts";
import { type ReferencePlace, referencePlaces } from "../../model/resources/reference-places.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { isHidden } from "../records/hidden-fields.ts";
import type { Service } from "../service.ts";
import { countRecords, pageOfRecords, type RecordsQuestion } from "./list-records.ts";
import type { OperatorRecord } from "./operator-record.ts";

export interface Referrers {
  readonly resource: string;
  /** The field, `order` or `lines[].product`. */
  readonly field: string;
  /** The effect on the referring record when the record is deleted. */
  readonly onDelete: "cascade" | "restrict" | "clear";
  /** Up to `countMax`; null if counting would read every record. */
  readonly count: number | null;
  readonly first: readonly OperatorRecord[];
}

const firstMax = 5;
const placesOf = memoizeBy((model: Model) => referencePlaces(model));

export async function referrersOf(
  service: Service,
  resource: string,
  identifier: string,
): Promise<readonly Referrers[]> {
  const { context } = service.internals;
  const found: Referrers[] = [];
  for (const place of placesOf(context.model)) {
    const field = nonNull(context.resource(place.resource).fields.get(place.field));
    // A reference in a hidden field stays hidden.
    if (place.to !== resource || isHidden(field)) continue;
    const counted = await counts(service, place, identifier);
    found.push({ resource: place.resource, field: placeName(place), onDelete: place.onDelete, ...counted });
  }
  return found;
}

async function counts(
  service: Service,
  { resource, field, steps }: ReferencePlace,
  identifier: string,
): Promise<Pick<Referrers, "count" | "first">> {
  if (steps.length > 0) return { count: null, first: [] };
  const question: RecordsQuestion = { resource, filters: [{ field, operator: "=", value: identifier }] };
  try {
    const { records } = await pageOfRecords(service, question, { limit: firstMax });
    return { count: await countRecords(service, question), first: records };
  } catch (error) {
    if (error instanceof StatementTimedOut) return { count: null, first: [] };
    throw error;
  }
}

function placeName({ field, steps }: ReferencePlace): string {
  return steps.reduce((name, step) => name + (step.step === "each" ? "[]" : `.${step.name}`), field);
}
