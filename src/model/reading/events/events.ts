/**
 * Part 6, events: names, payloads and receivers. `declareEvents` gives their names with the
 * resources of their triggers; `buildEvents` reads everything and reports.
 */
import { positionIn } from "../../../source/phrase.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { isNone, isNotShown, keyText } from "../../../syntax/read.ts";
import { type DeclaredEvent, type DeclaredResource, type RecordOf, recordOf } from "../declarations.ts";
import type { EventRow, EventsPart } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { eventItems, type EventsDraft } from "./event-items.ts";
import { type EventCells, eventCells, eventColumns, isEventName, readEventRow } from "./event-rows.ts";
import { parseTriggers } from "./event-triggers.ts";
import { bindWebhooks, readTarget, type WebhookTarget } from "./event-webhooks.ts";
import { partBlocks, unreadFence } from "../any-part/part-blocks.ts";
import { createPartReader, type PartReader } from "../any-part/part-reader.ts";
import { sentFrom } from "./sent-events.ts";

/** The names of the events, each with the resource of `this` in its payload. Reports nothing. */
export function declareEvents(context: BuildContext): ReadonlyMap<string, DeclaredEvent> {
  const sent = sentFrom(context);
  const events = new Map<string, DeclaredEvent>();
  for (const cells of eventCells(context.document)) {
    const name = cells.name.text;
    if (events.has(name) || !isEventName(name)) continue;
    const resource = resourceOfTriggers(context, cells, sent.get(name));
    events.set(name, {
      name,
      position: positionIn(cells.name),
      ...(resource === undefined ? {} : { resource }),
    });
  }
  return events;
}

/** The record of a row's triggers. Undefined if one of them is unknown or not shown. */
function resourceOfTriggers(
  context: BuildContext,
  cells: EventCells,
  sentOf: string | undefined,
): RecordOf | undefined {
  const resources = new Set<DeclaredResource | undefined>();
  for (const words of cells.when ? parseTriggers(cells.when) : []) {
    if ("unreadable" in words) continue;
    const name = words.resource ? words.resource.text : sentOf;
    const resource = name === undefined ? undefined : context.declarations.resources.get(name);
    resources.add(resource?.isValue ? undefined : resource);
  }
  return recordOf(
    [...resources].map((resource) => (resource?.gap && resources.size > 1 ? undefined : resource?.name)),
  );
}

/** Builds part 6 of the model. */
export function buildEvents(context: BuildContext): EventsPart {
  const reader = createPartReader(context, "events");
  const blocks = partBlocks(context.document, "events");
  for (const table of blocks.tables) reader.columns(table, "Event", eventColumns);
  reportStrayFences(reader, blocks.groups);
  const rows = readRows(reader);
  const target = readWebhooksItem(reader, blocks.items);
  const draft: EventsDraft = { headers: [], headerMaps: [], requests: [], mediaTypes: [], notifications: [] };
  const hooks = webhookResources(reader, rows, target);
  reader.items(blocks.items, eventItems(reader, draft, hooks));
  const events = withTargets(reader, rows, target, draft);
  noteAnswers(reader, events, draft);
  reader.answers.flush();
  return { ...draft, events };
}

/** Reports a block below a heading that is not a shape, because it would be ignored. */
function reportStrayFences(reader: PartReader<"events">, groups: readonly Section[]): void {
  for (const group of groups) {
    if (!unreadFence(group)) continue;
    const params = { heading: group.heading.text.trim(), expected: "`### Shape: <name> of <resource>`" };
    reader.context.reporter.report("events/unknown-heading", positionIn(group.heading), params);
  }
}

function readRows(reader: PartReader<"events">): EventRow[] {
  const { context } = reader;
  const sent = sentFrom(context);
  const first = new Map<string, EventCells>();
  const rows: EventRow[] = [];
  for (const cells of eventCells(context.document)) {
    const { name } = cells;
    const before = first.get(name.text);
    if (!isEventName(name.text)) {
      reader.unreadable(
        name.text === "" ? (cells.row.cells[0] ?? name) : name,
        "the name of an event, as in `parcel.delivered`",
      );
    } else if (before) {
      const related = [{ position: positionIn(before.name), message: "First defined here." }];
      context.reporter.report("events/repeated-event", positionIn(name), { name: name.text }, related);
    } else {
      first.set(name.text, cells);
      const { resource } = context.declarations.events.get(name.text) ?? {};
      const read = () => readEventRow(reader, cells, resource, sent.get(name.text));
      rows.push(reader.about("events", `the event ${name.text}`, read));
    }
  }
  return rows;
}

/** Reads `Webhooks` before the other items, because it names the webhook's record in them. */
function readWebhooksItem(
  reader: PartReader<"events">,
  items: readonly ItemNode[],
): WebhookTarget | undefined {
  const item = items.find((item) => keyText(item.key) === "webhooks");
  if (!item || isNone(item.value) || isNotShown(item.value) || item.value.text.trim() === "")
    return undefined;
  reader.answers.stated("webhooks", item.position);
  return reader.about("webhooks", '"Webhooks"', () => readTarget(reader, item.value));
}

/** Binds the part's condition to the events that it applies to. */
function withTargets(
  reader: PartReader<"events">,
  rows: readonly EventRow[],
  target: WebhookTarget | undefined,
  draft: EventsDraft,
): EventRow[] {
  if (!target) return [...rows];
  const { events } = reader.context.declarations;
  const resourceOf = (row: EventRow) => events.get(row.name)?.resource;
  const decided = rows.filter((row) => row.to === undefined);
  const bound = reader.about("webhooks", '"Webhooks"', () =>
    bindWebhooks(reader, target, decided.map(resourceOf)),
  );
  if (!bound) return [...rows];
  draft.webhooks = bound.webhooks;
  return rows.map((row) => {
    const to = row.to === undefined ? bound.byResource.get(String(resourceOf(row))) : undefined;
    return to ? { ...row, to } : row;
  });
}

/** The resources whose records receive events. */
function webhookResources(
  { context }: PartReader<"events">,
  rows: readonly EventRow[],
  target: WebhookTarget | undefined,
): DeclaredResource[] {
  const names = new Set(target ? [target.resource.name] : []);
  for (const { to } of rows) if (typeof to === "object") names.add(to.resource);
  return [...names].flatMap((name) => context.declarations.resources.get(name) ?? []);
}

/**
 * An event's row states the events; an address anywhere states the webhooks (decision "When an item
 * is stated").
 */
function noteAnswers(reader: PartReader<"events">, events: readonly EventRow[], draft: EventsDraft): void {
  const [first] = events;
  if (first) reader.answers.stated("events", first.position);
  const addressed = events.find((row) => row.to !== undefined && row.to !== "none");
  if (addressed && !draft.webhooks) reader.answers.stated("webhooks", addressed.position);
  else if (first && events.every((row) => row.to === "none")) reader.answers.none("webhooks", first.position);
}
