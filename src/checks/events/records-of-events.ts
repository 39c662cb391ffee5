/**
 * Part 6: records that the service creates for events (stored deliveries and log entries). They
 * raise no events themselves, because that would never end. Only the service creates deliveries,
 * and a reference can't prevent their expiry.
 */
import { ruleOf } from "../../fields/rule.ts";
import { deliveryResourceOf } from "../../model/events/delivery-retention.ts";
import type { Effect, Model, Resource } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { mayCreate } from "../../model/endpoints/does.ts";

export const recordsOfEvents: Check = (model, reporter) => {
  const delivery = deliveryResourceOf(model);
  const made = new Set([delivery, model.events.log?.as].filter((name) => name !== undefined));
  if (made.size === 0) return;
  for (const { triggers } of model.events.events)
    for (const { resource, position } of triggers)
      if (resource !== undefined && made.has(resource))
        reporter.report("events/event-of-own-record", position, { resource });
  for (const resource of model.resources)
    if (made.has(resource.name))
      for (const effect of effectsOf(resource))
        if (effect.kind === "send")
          reporter.report("events/event-of-own-record", effect.position, { resource: resource.name });
  if (delivery === undefined) return;
  for (const position of makersOf(model, delivery))
    reporter.report("events/delivery-made", position, { resource: delivery });
  for (const { position, rules, type } of model.resources.flatMap(({ fields }) => fields)) {
    if (type.kind !== "reference" || type.resource !== delivery) continue;
    if ((ruleOf(rules, "on delete")?.then ?? "restrict") === "restrict")
      reporter.report("events/delivery-held", position, { resource: delivery });
  }
};

/** The effects and endpoints that create deliveries, though only the service may. */
function makersOf({ resources, endpoints }: Model, delivery: string) {
  const effects = [...resources.flatMap(effectsOf), ...endpoints.flatMap((endpoint) => endpoint.effects)];
  const does = endpoints.flatMap((endpoint) => endpoint.does);
  return [
    ...does.filter((action) => mayCreate(action) && "resource" in action && action.resource === delivery),
    ...effects.filter((effect) => effect.kind === "create" && effect.resource === delivery),
    ...resources.filter(({ name }) => name === delivery).flatMap(({ records }) => records),
  ].map(({ position }) => position);
}

function effectsOf({ states }: Resource): readonly Effect[] {
  const ends = (states?.transitions ?? []).flatMap((transition) => transition.ends);
  return ends.flatMap((end) => end.effects);
}
