/**
 * `Sends` without `when` delivers the event to every client, so its resource can't have `Visible`
 * (decision "Streams and Visible").
 */
import type { EventRow, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const streamReachesEveryCaller: Check = (model, reporter) => {
  for (const endpoint of model.endpoints) {
    for (const { events, when, position } of endpoint.stream?.sends ?? []) {
      if (when) continue;
      for (const event of events) {
        const row = model.events.events.find((eventRow) => eventRow.name === event);
        const resource = row && hiddenSubject(model, row);
        if (resource !== undefined)
          reporter.report("endpoints/unfiltered-stream", position, { event, resource });
      }
    }
  }
};

/** The resource with `Visible` that an event is about, if it is about one. */
function hiddenSubject(model: Model, row: EventRow): string | undefined {
  const names = row.triggers.map((trigger) => trigger.resource);
  return model.resources.find((resource) => resource.visible !== undefined && names.includes(resource.name))
    ?.name;
}
