/** Current record: the present state of a row; null if the record was deleted. */
import { planRecordByRow } from "../../engine/records/record-by-row.ts";
import type { Service } from "../../engine/service.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

const byRow = memoizeBy(({ internals }: Service) => planRecordByRow(internals.context));

export async function currentRecord(
  service: Service,
  resource: string,
  row: number,
): Promise<RecordValue | null> {
  const { context, newFrame } = service.internals;
  return byRow(service)(resource, row, context.store.session, newFrame(context.ports.clock.now()));
}
