/**
 * Predefined `Delivery` resource for `Deliveries: kept 3 days` (part 6). A document without a
 * heading for it gets this one, written in the notation, so that all readers of resources treat it
 * alike.
 */
import { createReporter } from "../../../diagnostics/diagnostic.ts";
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { unquote } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { parseMarkdown } from "../../../syntax/markdown.ts";
import { type DocumentNode, partTitles } from "../../../syntax/nodes.ts";
import { cellOf, itemsOf, keyText, tablesOf } from "../../../syntax/read.ts";
import type { Declarations } from "../declarations.ts";
import { deliveryRecordType, eventType } from "../scopes/event-type.ts";

export const deliveryResource = "Delivery";

/** Whether deliveries are stored as records. */
export function storesDeliveries(document: DocumentNode): boolean {
  return eventItemsOf(document).some(
    (item) => keyText(item.key) === "deliveries" && /^`?kept\s+\d/i.test(item.value.text.trim()),
  );
}

/** The document with the predefined `Delivery`, if it stores deliveries and has none of its own. */
export function withDeliveryResource(document: DocumentNode): DocumentNode {
  const { resources } = document.parts;
  if (!resources || !storesDeliveries(document)) return document;
  if (resources.sections.some((section) => unquote(section.heading).text === deliveryResource))
    return document;
  // After the document's last line, so that none of its positions belongs to the document.
  const before = document.source.text.replace(/[^\n]/g, " ");
  const text = `${before}\n${predefinedText(receiversOf(document))}`;
  const source = createSource(document.source.file, text);
  const predefined = parseMarkdown(source, createReporter(source)).parts.resources?.sections ?? [];
  const widened = { ...resources, sections: [...resources.sections, ...predefined] };
  return { ...document, parts: { ...document.parts, resources: widened } };
}

/**
 * Scope of `on create` and `on update` of `Delivery`: the event, the delivery, and the webhook's
 * record.
 */
export function deliveryRecordScope(
  document: DocumentNode,
  declarations: Declarations,
  { named, ...scope }: Scope,
): Scope {
  const { delivery: _record, ...withoutDelivery } = named;
  const base = withFixed(
    { ...scope, named: withoutDelivery },
    { event: eventType, delivery: deliveryRecordType },
  );
  return receiversOf(document).reduce((wider, name) => {
    const receiver = declarations.resources.get(name);
    return receiver ? withNamed(wider, receiver.variableName, { kind: "record", resource: name }) : wider;
  }, base);
}

function predefinedText(receivers: readonly string[]): string {
  // If receivers belong to several resources, no single field could refer to them.
  const [only] = receivers.length === 1 ? receivers : [];
  const small = only === undefined ? "" : only.slice(0, 1).toLowerCase() + only.slice(1);
  const receiver =
    only === undefined
      ? ""
      : `| ${small} | ${only} | on create \`${small}\`, on delete cascade | To whom |\n`;
  return `## ${partTitles.resources}

### ${deliveryResource}

One event on its way to one webhook.

- Identifier: id, made by \`delivery.id\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
${receiver}| event | string | on create \`event.id\` | The event's identifier |
| type | string | on create \`event.type\` | The event's name |
| state | one of pending, delivered, failed | on create \`delivery.state\`, on update \`delivery.state\` | |
| attempts | integer | on create \`delivery.attempt\`, on update \`delivery.attempt\` | How many were made |
| response_status | integer | on update \`delivery.status\` | Of the last answer |
| error | string | on update \`delivery.error\` | Why the last attempt failed |
| created_at | timestamp | on create \`now\` | |
| attempted_at | timestamp | on update \`delivery.time\` | When the last attempt was made |
| next_attempt_at | timestamp | on create \`delivery.next\`, on update \`delivery.next\` | |
`;
}

/** The resources whose records receive events, as the part names them. */
function receiversOf(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  const add = (text: string | undefined) => {
    const name = /^`?(?:to\s+)?`?([A-Z]\w*)\./.exec(text?.trim() ?? "")?.[1];
    if (name !== undefined) names.add(name);
  };
  for (const item of eventItemsOf(document)) if (keyText(item.key) === "webhooks") add(item.value.text);
  for (const section of eventSections(document))
    for (const table of tablesOf(section.body))
      for (const row of table.rows) add(cellOf(table, row, "To")?.text);
  return [...names];
}

function eventSections({ parts }: DocumentNode) {
  return parts.events ? [parts.events, ...parts.events.sections] : [];
}

function eventItemsOf(document: DocumentNode) {
  return eventSections(document).flatMap((section) => itemsOf(section.body));
}
