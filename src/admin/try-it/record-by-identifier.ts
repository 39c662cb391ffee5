/** Record lookup: the present state of the record with an identifier; null if it doesn't exist. */
import { createTextReader } from "../../engine/evaluation/text-reader.ts";
import type { Service } from "../../engine/service.ts";
import type { RecordValue } from "../../expressions/value.ts";

export async function recordByIdentifier(
  { internals: { context, newFrame } }: Service,
  resource: string,
  text: string,
): Promise<RecordValue | null> {
  const plan = context.resource(resource);
  const field = plan.fields.get(plan.identifier[0] ?? "");
  const value = field && createTextReader(context, field)(text);
  if (value === undefined) return null;
  return plan.find(context.store.session, newFrame(context.ports.clock.now()), value);
}
