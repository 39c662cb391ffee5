/**
 * Notifications (3.6): `email to <expr>, subject <expr>, text <expr> when <expr>`, delivered as
 * reliably as webhooks.
 */
import { withFixed } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, splitOutside } from "../../../source/phrase.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { afterWord } from "../../../syntax/read.ts";
import { type RecordOf, recordOf } from "../declarations.ts";
import type { EventsPart } from "../../model.ts";
import { eventType } from "../scopes/event-type.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { recordScope } from "../scopes/record-scope.ts";
import { whenClause } from "../any-part/when-clause.ts";

export const notificationForms =
  '`email to this.email, subject "…", text "…" when event.type == "…"`, or `none`';

type Notification = EventsPart["notifications"][number];

/** @param resourceOf the resource of `this` in an event, undefined if unknown */
export function readNotification(
  reader: PartReader<"events">,
  item: ItemNode,
  resourceOf: ReadonlyMap<string, RecordOf | undefined>,
): Notification | undefined {
  const { head, when } = whenClause(item.value);
  const parts = parseParts(head);
  if (!parts) return reader.unreadable(head, notificationForms);
  const resource = resourceMeant(when, resourceOf);
  const scope = withFixed(recordScope(reader.context.declarations, resource), { event: eventType });
  const to = reader.expression(parts.to, scope);
  const subject = parts.subject && reader.expression(parts.subject, scope);
  const text = parts.text && reader.expression(parts.text, scope);
  const condition = when && reader.expression(when, scope, types.boolean);
  // What can't be read is not replaced by nothing: without one of its parts, no message is sent.
  if (!to || (parts.subject && !subject) || (parts.text && !text) || (when && !condition)) return undefined;
  return {
    to,
    ...(subject ? { subject } : {}),
    ...(text ? { text } : {}),
    ...(condition ? { when: condition } : {}),
    position: item.position,
  };
}

function parseParts(
  head: Phrase,
): { readonly to: Phrase; readonly subject?: Phrase; readonly text?: Phrase } | undefined {
  const [first, ...rest] = splitOutside(head, ",");
  const to = first && afterWord(first, "email to");
  if (!to || to.text === "") return undefined;
  let parts: { to: Phrase; subject?: Phrase; text?: Phrase } = { to };
  for (const piece of rest) {
    const subject = afterWord(piece, "subject");
    const text = afterWord(piece, "text");
    if (subject && !parts.subject) parts = { ...parts, subject };
    else if (text && !parts.text) parts = { ...parts, text };
    else return undefined;
  }
  return parts;
}

/** The resource of `this`: that of the events that the condition names in quotes, or of any event if it names none. */
function resourceMeant(
  when: Phrase | undefined,
  resourceOf: ReadonlyMap<string, RecordOf | undefined>,
): RecordOf | undefined {
  const quoted = [...(when?.text.matchAll(/"([^"\\]*)"|'([^'\\]*)'/g) ?? [])].map(
    (match) => match[1] ?? match[2] ?? "",
  );
  const named = quoted.filter((name) => resourceOf.has(name));
  return recordOf((named.length > 0 ? named : [...resourceOf.keys()]).map((name) => resourceOf.get(name)));
}
