/**
 * Part 6: webhooks without `when` receive the events of every record. If `Visible` hides some
 * records and the webhooks have owners, one owner's webhook would receive events of another's
 * records.
 */
import type { Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const webhooksReachEveryReceiver: Check = (model, reporter) => {
  const { events, webhooks } = model.events;
  let isReported = false;
  for (const row of events) {
    if (row.gap || row.to === "none") continue;
    const target = row.to ?? webhooks;
    const resource = row.triggers
      .map((trigger) => trigger.resource ?? "")
      .find((name) => isHidden(model, name));
    if (!target || target.when || resource === undefined || !isHidden(model, target.resource)) continue;
    // The item `Webhooks` applies to all events; its mistake is reported once.
    if (!row.to && isReported) continue;
    isReported ||= !row.to;
    const position = (row.to ? undefined : webhooks?.position) ?? row.position;
    const params = { event: row.name, resource, receiver: target.resource };
    reporter.report("events/unfiltered-webhooks", position, params);
  }
};

/** Not every caller may see each record. A `Visible` that is always true allows everyone. */
function isHidden(model: Model, name: string): boolean {
  const visible = model.resources.find((resource) => resource.name === name)?.visible?.node;
  return visible !== undefined && !(visible.op === "literal" && visible.value === true);
}
