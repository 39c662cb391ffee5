/**
 * Items of part 6: receivers, signatures and retries of deliveries, and the retention of events.
 */
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { durationMs } from "../../../support/quantity.ts";
import type { Expression } from "../../../expressions/node.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { afterWord, isNone, isNotShown, keyText } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { EventsPart, Retries } from "../../model.ts";
import { notificationForms, readNotification } from "./event-notifications.ts";
import {
  deliveryScope,
  headerForms,
  headerMapForms,
  readHeaderMap,
  readMediaType,
  readRequest,
  readSignature,
  requestForms,
  signatureForms,
  targetForms,
} from "./event-webhooks.ts";
import { readNamedHeader } from "../any-part/named-header.ts";
import { recordsNamed } from "../any-part/part-names.ts";
import type { ItemForm, PartReader } from "../any-part/part-reader.ts";

/** Part 6 while it is read. */
export type EventsDraft = { -readonly [K in keyof EventsPart]?: EventsPart[K] } & {
  headers: EventsPart["headers"][number][];
  headerMaps: EventsPart["headerMaps"][number][];
  requests: EventsPart["requests"][number][];
  mediaTypes: EventsPart["mediaTypes"][number][];
  notifications: EventsPart["notifications"][number][];
};

/**
 * All items of the part.
 * @param hooks the resources whose records receive events
 */
export function eventItems(
  reader: PartReader<"events">,
  draft: EventsDraft,
  hooks: readonly DeclaredResource[],
): ItemForm[] {
  return [
    ...wholeItems(reader, draft),
    ...deliveryItems(reader, draft, hooks),
    ...durationItems(reader, draft),
  ];
}

/** The complete items. The ledger reads their `none` and `not shown`. */
function wholeItems(reader: PartReader<"events">, draft: EventsDraft): ItemForm[] {
  const { ledger, declarations } = reader.context;
  const whole = (item: ItemNode, name: "events" | "webhooks" | "notifications"): boolean => {
    if (isNone(item.value)) ledger.none(name, item.position);
    else if (isNotShown(item.value)) ledger.notShown(name, item.position);
    else return false;
    return true;
  };
  return [
    {
      key: "Events",
      expected: "`none`, or a table `| Event | When | Payload |`",
      read(item) {
        if (!whole(item, "events"))
          reader.unreadable(item.value, "`none`, or a table `| Event | When | Payload |`");
      },
    },
    { key: "Webhooks", expected: targetForms, read: (item) => void whole(item, "webhooks") },
    {
      key: "Notifications",
      under: "notifications",
      expected: notificationForms,
      several: true,
      read(item) {
        if (whole(item, "notifications")) return;
        reader.answers.stated("notifications", item.position);
        const resources = new Map(
          [...declarations.events.values()].map((event) => [event.name, event.resource]),
        );
        const notification = readNotification(reader, item, resources);
        if (notification) draft.notifications.push(notification);
      },
    },
  ];
}

function deliveryItems(
  reader: PartReader<"events">,
  draft: EventsDraft,
  hooks: readonly DeclaredResource[],
): ItemForm[] {
  const scope = deliveryScope(reader, hooks);
  return [
    {
      key: "Signature",
      under: "webhooks",
      expected: signatureForms,
      read: (item) =>
        unlessDeliveryOpen(reader, draft, item, "the signature of webhooks", () => {
          const signature = readSignature(reader, item, hooks);
          if (signature) draft.signature = signature;
          return signature !== undefined;
        }),
    },
    {
      key: "Header",
      under: "webhooks",
      expected: headerForms,
      several: true,
      read: (item) =>
        unlessOpen(reader, item, "a header of webhooks", () => {
          const header = readNamedHeader(reader, item, scope, headerForms);
          if (header) draft.headers.push(header);
        }),
    },
    {
      key: "Headers",
      under: "webhooks",
      expected: headerMapForms,
      several: true,
      read: (item) =>
        unlessOpen(reader, item, "headers of webhooks", () => {
          const headers = readHeaderMap(reader, item, scope);
          if (headers) draft.headerMaps.push(headers);
        }),
    },
    {
      key: "Media type",
      under: "webhooks",
      expected: "`application/json`",
      several: true,
      read: (item) =>
        unlessDeliveryOpen(reader, draft, item, "the media type of webhooks", () => {
          const mediaType = readMediaType(reader, item, scope);
          if (mediaType) addReachable(reader, item, draft.mediaTypes, mediaType);
          return mediaType !== undefined;
        }),
    },
    {
      key: "Request",
      under: "webhooks",
      expected: requestForms,
      several: true,
      read: (item) =>
        unlessDeliveryOpen(reader, draft, item, "the request of webhooks", () => {
          const request = readRequest(reader, item, scope);
          if (request) addReachable(reader, item, draft.requests, request);
          return request !== undefined;
        }),
    },
  ];
}

interface Conditional {
  readonly when?: Expression;
  readonly position: Position;
}

/**
 * Adds an item to its kind. The first one whose condition holds applies, so those after one without
 * a condition are unreachable.
 */
function addReachable<T extends Conditional>(
  reader: PartReader<"events">,
  item: ItemNode,
  known: T[],
  added: T,
): void {
  const certain = known.find(({ when }) => when === undefined);
  if (!certain) known.push(added);
  else
    reader.context.reporter.report("events/never-reached", item.position, { text: item.value.text.trim() }, [
      { position: certain.position, message: "This one has no condition." },
    ]);
}

const deliveriesForms = "`kept 3 days`, `in order`, or `kept 3 days, in order`";

/** Without the last piece, if it matches the pattern; a single piece leaves nothing. */
function lastWords(value: Phrase, pattern: RegExp): { readonly rest: Phrase; readonly word: boolean } {
  const pieces = splitOutside(value, ",");
  const last = pieces.at(-1);
  if (!last || !pattern.test(last.text)) return { rest: value, word: false };
  const comma = value.text.lastIndexOf(",");
  return { rest: trim(slice(value, 0, Math.max(0, comma))), word: true };
}

const retriesForms =
  "pauses, such as `5 seconds, 5 minutes, 2 hours`, optionally with `, with jitter`, or `none`";

/** Reads the pauses of the part or of an event. */
export function readRetries(reader: PartReader<"events">, value: Phrase): Retries | undefined {
  if (isNone(value)) return { pausesMs: [], jitter: false };
  const { rest, word } = lastWords(unquote(value), /^with jitter$/i);
  const pausesMs = readDurations(reader, rest, retriesForms);
  return pausesMs && { pausesMs, jitter: word };
}

function durationItems(reader: PartReader<"events">, draft: EventsDraft): ItemForm[] {
  return [
    {
      key: "Retries",
      under: "webhooks",
      expected: retriesForms,
      read(item) {
        if (isNone(item.value)) draft.retriesMs = [];
        else
          unlessOpen(reader, item, "the retries of webhooks", () => {
            const retries = readRetries(reader, item.value);
            if (retries) draft.retriesMs = retries.pausesMs;
            if (retries?.jitter) draft.retriesJitter = true;
          });
      },
    },
    {
      key: "Time-out",
      under: "webhooks",
      expected: "a length of time, such as `15 seconds`",
      read: (item) =>
        unlessOpen(reader, item, "the time-out of webhooks", () => {
          const timeout = readDurations(reader, item.value, "a length of time, such as `15 seconds`")?.[0];
          if (timeout) draft.timeoutMs = timeout;
        }),
    },
    {
      key: "Deliveries",
      under: "webhooks",
      expected: deliveriesForms,
      read: (item) =>
        unlessOpen(reader, item, "how long deliveries are kept", () => {
          const { rest, word } = lastWords(unquote(item.value), /^in order$/i);
          if (word) draft.deliveriesInOrder = true;
          if (rest.text === "") return;
          const retention = readRetention(reader, rest, deliveriesForms);
          if (retention !== undefined) draft.deliveriesKeptMs = retention;
        }),
    },
    {
      key: "Log",
      expected: logForms,
      read: (item) =>
        unlessOpen(reader, item, "how long events are kept", () => {
          const log = readLog(reader, item);
          if (log) draft.log = log;
        }),
    },
  ];
}

/**
 * Reads an item without which no delivery can be formed. If it is `not shown`, in whole or in part,
 * or has a mistake, nothing is sent.
 * @param read returns whether the item could be read
 */
function unlessDeliveryOpen(
  reader: PartReader<"events">,
  draft: EventsDraft,
  item: ItemNode,
  subject: string,
  read: () => boolean,
): void {
  if (isNone(item.value)) return;
  const { position } = item;
  if (isNotShown(item.value)) draft.openDelivery ??= reader.gap("webhooks", subject, position);
  else if (!read()) draft.openDelivery ??= { part: "events", item: "webhooks", subject, position };
}

/** Reads an item that has a value. `not shown` is reported as a smaller gap of webhooks or events; `none` omits the item. */
function unlessOpen(reader: PartReader<"events">, item: ItemNode, subject: string, read: () => void): void {
  const under = keyText(item.key) === "log" ? "events" : "webhooks";
  if (isNotShown(item.value)) reader.gap(under, subject, item.position);
  else if (!isNone(item.value)) read();
}

function readDurations(reader: PartReader<"events">, value: Phrase, expected: string): number[] | undefined {
  const pauses: number[] = [];
  for (const piece of splitOutside(unquote(value), ",")) {
    const pause = durationMs(piece.text);
    if (pause === undefined || pause === 0) return reader.unreadable(piece, expected);
    pauses.push(pause);
  }
  return pauses;
}

function readRetention(reader: PartReader<"events">, value: Phrase, expected: string): number | undefined {
  const time = afterWord(value, "kept");
  const retention = time && durationMs(time.text);
  return retention === undefined || retention === 0
    ? reader.unreadable(time && time.text !== "" ? time : value, expected)
    : retention;
}

const logForms = "`kept 30 days`, or `kept 30 days, as Notice`";

/** Reads `kept 30 days, as Notice`. Either may be missing, and the time may be `not shown`. */
function readLog(reader: PartReader<"events">, item: ItemNode): EventsPart["log"] {
  const [first, second, ...more] = splitOutside(unquote(item.value), ",");
  const named = [first, second]
    .map((piece) => piece && afterWord(piece, "as"))
    .find((piece) => piece !== undefined);
  if (!first || more.length > 0 || (second && !afterWord(second, "as")))
    return reader.unreadable(item.value, logForms);
  const as = named && recordsNamed(reader, unquote(named))?.name;
  if (named && as === undefined) return undefined;
  const resource = as === undefined ? {} : { as };
  if (afterWord(first, "as")) return { ...resource, position: item.position };
  if (/^kept\s+not\s+shown$/i.test(first.text)) {
    reader.gap("events", "how long events are kept", positionIn(first));
    return { ...resource, position: item.position };
  }
  const keptMs = readRetention(reader, first, logForms);
  return keptMs === undefined ? undefined : { keptMs, ...resource, position: item.position };
}
