/** The table of events (3.6): `| Event | When | To | Payload | Retries |`. */
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { offsetIn, type Phrase, phraseFrom, positionIn, unquote } from "../../../source/phrase.ts";
import type { DocumentNode, RowNode, TableNode } from "../../../syntax/nodes.ts";
import { cellOf, isEmpty, isNone, isNotShown, keyText } from "../../../syntax/read.ts";
import type { RecordOf } from "../declarations.ts";
import type { EventRow, Gap } from "../../model.ts";
import { readRetries } from "./event-items.ts";
import { readTriggers, triggerForms } from "./event-triggers.ts";
import { payloadEventType } from "../scopes/event-type.ts";
import { bindTarget, readTarget } from "./event-webhooks.ts";
import { partBlocks } from "../any-part/part-blocks.ts";
import { reportUnknownShape } from "../any-part/part-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { recordScope } from "../scopes/record-scope.ts";

export const eventColumns = ["Event", "When", "To", "Payload", "Retries", "Meaning"] as const;

/** The cells of a row by column. Undefined for columns that the table doesn't have. */
export interface EventCells {
  readonly name: Phrase;
  readonly when: Phrase | undefined;
  readonly to: Phrase | undefined;
  readonly payload: Phrase | undefined;
  readonly retries: Phrase | undefined;
  readonly row: RowNode;
}

/** The rows of all tables of part 6 with a column `Event`. */
export function eventCells(document: DocumentNode): EventCells[] {
  return partBlocks(document, "events").tables.filter(isEventTable).flatMap(cellsOfTable);
}

function isEventTable(table: TableNode): boolean {
  return table.columns.some((column) => keyText(column) === "event");
}

function cellsOfTable(table: TableNode): EventCells[] {
  return table.rows.map((row) => ({
    name: unquote(cellOf(table, row, "Event") as Phrase),
    when: cellOf(table, row, "When"),
    to: cellOf(table, row, "To"),
    payload: cellOf(table, row, "Payload"),
    retries: cellOf(table, row, "Retries"),
    row,
  }));
}

export function isEventName(text: string): boolean {
  return /^[A-Za-z0-9_][\w.:/-]*$/.test(text);
}

/**
 * Reads one row. `resource` is the type of `this` in it, `sentOf` the resources for which it is
 * sent.
 */
export function readEventRow(
  reader: PartReader<"events">,
  cells: EventCells,
  resource: RecordOf | undefined,
  sentOf: string | undefined,
): EventRow {
  const name = cells.name.text;
  const when = readWhen(reader, cells, sentOf);
  const payload = readPayload(reader, cells, resource);
  const to = readTo(reader, cells, resource);
  const retries = readRetriesCell(reader, cells);
  const gap = when.gap ?? payload.gap;
  return {
    name,
    position: positionIn(cells.name),
    triggers: when.triggers,
    ...(payload.value ? { payload: payload.value } : {}),
    ...(to === undefined ? {} : { to }),
    ...(retries ? { retries } : {}),
    ...(gap ? { gap } : {}),
  };
}

function readWhen(
  reader: PartReader<"events">,
  cells: EventCells,
  sentOf: string | undefined,
): { readonly triggers: EventRow["triggers"]; readonly gap?: Gap } {
  const { when, name } = cells;
  if (when === undefined || isEmpty(when) || isNotShown(when)) {
    const position = when && !isEmpty(when) ? positionIn(when) : positionIn(name);
    return { triggers: [], gap: reader.gap("events", `when ${name.text} happens`, position) };
  }
  if (isNone(when)) {
    reader.unreadable(when, triggerForms);
    return { triggers: [] };
  }
  return { triggers: readTriggers(reader, when, sentOf) };
}

/** Reads the cell `Retries`. An empty cell means the value of the part. */
function readRetriesCell(reader: PartReader<"events">, { retries, name }: EventCells): EventRow["retries"] {
  if (retries === undefined || isEmpty(retries)) return undefined;
  if (!isNotShown(retries)) return readRetries(reader, retries);
  reader.gap("webhooks", `the retries of ${name.text}`, positionIn(retries));
  return undefined;
}

function readPayload(
  reader: PartReader<"events">,
  cells: EventCells,
  resource: RecordOf | undefined,
): { readonly value?: Expression; readonly gap?: Gap } {
  const { payload, name } = cells;
  if (payload === undefined || isEmpty(payload) || isNotShown(payload)) {
    const position = payload && !isEmpty(payload) ? positionIn(payload) : positionIn(name);
    return { gap: reader.gap("events", `the payload of ${name.text}`, position) };
  }
  if (isNone(payload)) return {};
  const value = bindPayload(reader, unquote(payload), payloadScope(reader, resource));
  return value ? { value } : {};
}

/** The scope of a payload: the record at the end of the transaction, its former state, and the event. */
function payloadScope(reader: PartReader<"events">, resource: RecordOf | undefined): Scope {
  const scope = recordScope(reader.context.declarations, resource);
  return withFixed(scope, { old: scope.fixed.this as Type, event: payloadEventType });
}

/** Binds a payload. A name alone means that shape, or the default representation, of `this`. */
function bindPayload(reader: PartReader<"events">, payload: Phrase, scope: Scope): Expression | undefined {
  const { declarations, reporter } = reader.context;
  if (!/^[A-Z]\w*$/.test(payload.text)) return reader.expression(payload, scope);
  const shape = declarations.shapes.get(payload.text);
  const of = shape ? shape.of : declarations.resources.has(payload.text) ? payload.text : undefined;
  if (shape && of === undefined) return shapeOfNothing(payload, shape.name);
  const record = scope.fixed.this;
  if (of !== undefined && record?.kind === "record" && record.resource !== of) {
    reporter.report("events/payload-of-other", positionIn(payload), {
      shape: payload.text,
      of,
      resource: record.resource,
    });
    return undefined;
  }
  if (of === undefined) {
    const known = [...declarations.shapes.keys(), ...declarations.resources.keys()];
    reportUnknownShape(reader, payload, known);
    return undefined;
  }
  const bound = reader.expression(appliedToThis(payload), scope);
  return bound && { ...bound, text: payload.text };
}

function shapeOfNothing(payload: Phrase, shape: string): Expression {
  return { text: payload.text, position: positionIn(payload), node: { op: "shape", shape, type: types.any } };
}

/** `ParcelEvent` → `ParcelEvent(this)`. Every character has the position of the name. */
function appliedToThis(name: Phrase): Phrase {
  const text = `${name.text}(this)`;
  const end = offsetIn(name, name.text.length);
  const offsets = Array.from({ length: text.length + 1 }, (_, at) =>
    at < name.text.length ? offsetIn(name, at) : end,
  );
  return phraseFrom(name.source, text, offsets);
}

function readTo(
  reader: PartReader<"events">,
  cells: EventCells,
  resource: RecordOf | undefined,
): EventRow["to"] {
  const { to, name } = cells;
  if (to === undefined || isEmpty(to)) return undefined;
  if (isNone(to)) return "none";
  if (isNotShown(to)) {
    reader.gap("webhooks", `where ${name.text} is sent`, positionIn(to));
    return "none";
  }
  const target = readTarget(reader, to);
  return (target && bindTarget(reader, target, resource)) ?? "none";
}
