/**
 * Events that can't be serialized as the document means them: a field that they read is a gap (`=
 * not shown`), or their version isn't shown (part 9, `Default`). Such an event isn't sent, like one
 * whose own `When` or `Payload` is not shown.
 */
import { meaningOf } from "../meaning.ts";
import type { EventRow, Gap, Model } from "../model.ts";
import { openFieldRead } from "../endpoints/unanswerable-endpoints.ts";

export function withOpenEvents(model: Model): Model {
  const { events, versioning, resources } = model;
  const isOpen = resources.some(({ fields }) => fields.some(({ gap, open }) => gap ?? open?.read));
  if (events.events.length === 0 || !(isOpen || versioning.openDefault)) return model;
  const meaning = meaningOf(model);
  const { events: rows, ...part } = events;
  const ofAll = openVersion(model) ?? openFieldRead(model, meaning, part);
  const gapOf = (row: EventRow) => row.gap ?? ofAll ?? openFieldRead(model, meaning, row);
  return { ...model, events: { ...events, events: rows.map((row) => withGap(row, gapOf(row))) } };
}

/** The gap of an unknown default version. With a single version, nothing depends on it. */
function openVersion({ versioning: { openDefault, versions } }: Model): Gap | undefined {
  return versions.filter(({ status }) => status !== "retired").length > 1 ? openDefault : undefined;
}

function withGap(row: EventRow, gap: Gap | undefined): EventRow {
  return gap ? { ...row, gap } : row;
}
