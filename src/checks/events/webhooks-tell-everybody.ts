/**
 * Part 6: webhooks without `when` are told of every record. Where not everybody may see each of those, and the webhooks themselves belong to
 * somebody, one owner's webhook would be told of another's records.
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
    // What the item `Webhooks` says for all is told once.
    if (!row.to && isReported) continue;
    isReported ||= !row.to;
    const position = (row.to ? undefined : webhooks?.position) ?? row.position;
    const params = { event: row.name, resource, receiver: target.resource };
    reporter.report("events/webhooks-tell-everybody", position, params);
  }
};

/** Not everybody may see each of them; a `Visible` that is always true says that everybody may. */
function isHidden(model: Model, name: string): boolean {
  const visible = model.resources.find((resource) => resource.name === name)?.visible?.node;
  return visible !== undefined && !(visible.op === "literal" && visible.value === true);
}
