/**
 * Events that are known before part 6 is built: the resource of each one's log entry, and their
 * records.
 */
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import type { DocumentNode } from "../../../syntax/nodes.ts";
import { cellOf, itemsOf, keyText, tablesOf } from "../../../syntax/read.ts";
import type { Declarations } from "../declarations.ts";
import { parseTriggers } from "./event-triggers.ts";
import { eventType } from "../scopes/event-type.ts";

/** `Log: kept 30 days, as Notice` (part 6). */
export function logResource(document: DocumentNode): string | undefined {
  const log = eventSections(document)
    .flatMap((section) => itemsOf(section.body))
    .find((item) => keyText(item.key) === "log");
  return log && /(?:^|,)\s*as\s+`?(\w+)`?\s*$/.exec(log.value.text)?.[1];
}

/**
 * Scope of a record that is created for an event: the event, and its record by the small name, which is null for
 * other events.
 */
export function madeOfEvent(document: DocumentNode, declarations: Declarations, scope: Scope): Scope {
  const resources = [...declarations.resources.values()].filter(
    ({ name, isValue, variableName }) =>
      !isValue && isTriggered(name, document) && !Object.hasOwn(scope.named, variableName),
  );
  return resources.reduce(
    (wider, { name, variableName }) => withNamed(wider, variableName, { kind: "record", resource: name }),
    withFixed(scope, { event: eventType }),
  );
}

/** Whether an event may be about the resource. An effect may send an event about any record. */
function isTriggered(resource: string, document: DocumentNode): boolean {
  return eventSections(document)
    .flatMap((section) => tablesOf(section.body))
    .flatMap((table) => table.rows.flatMap((row) => cellOf(table, row, "When") ?? []))
    .flatMap(parseTriggers)
    .some((words) => !("unreadable" in words) && (words.resource?.text ?? resource) === resource);
}

function eventSections({ parts }: DocumentNode) {
  return parts.events ? [parts.events, ...parts.events.sections] : [];
}
