/**
 * Webhook targets (3.6, `Webhooks` and the column `To`): which webhook records receive an event,
 * and the signature, headers and media type of a delivery.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Expression } from "../../../expressions/node.ts";
import { readsName } from "../../../expressions/analysis/reads.ts";
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import {
  type Phrase,
  phraseFrom,
  offsetIn,
  positionIn,
  slice,
  splitOutside,
  trim,
  unquote,
} from "../../../source/phrase.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { afterWord } from "../../../syntax/read.ts";
import type { DeclaredResource, RecordOf } from "../declarations.ts";
import type { EventRow, EventsPart } from "../../model.ts";
import { webhookMethods, type WebhookRequestItem } from "../../parts/events.ts";
import {
  deliveryType,
  deliveryTypeBeforeBody,
  deliveryTypeBeforeRequest,
  eventType,
  loggedEventType,
} from "../scopes/event-type.ts";
import { fieldTypeAt } from "../any-part/field-path.ts";
import { recordsNamed, reportUnknownField } from "../any-part/part-names.ts";
import { mayBeHeaderMap } from "../../endpoints/header-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { recordScope } from "../scopes/record-scope.ts";
import { whenClause } from "../any-part/when-clause.ts";

/** `Hook.url when …` with resolved names. The condition is bound for each kind of event. */
export interface WebhookTarget {
  readonly resource: DeclaredResource;
  /** The field with the address, as a dotted name if it is a part of a value. */
  readonly address: string;
  readonly when: Phrase | undefined;
  readonly position: ReturnType<typeof positionIn>;
}

type BoundTarget = Exclude<EventRow["to"], "none" | undefined>;

export const targetForms = "`to Hook.url when hook.shop == this.shop`, or `none`";

/** Reads `to Hook.url when …`; the word `to` may be left out in the column `To`. */
export function readTarget(reader: PartReader<"events">, value: Phrase): WebhookTarget | undefined {
  const { head, when } = whenClause(value);
  const path = unquote(afterWord(head, "to") ?? head);
  const match = /^(\w+)\.([\w.]+)$/.exec(path.text);
  if (!match) return reader.unreadable(path.text === "" ? trim(value) : path, targetForms);
  const resource = recordsNamed(reader, slice(path, 0, nonNull(match[1]).length));
  if (!resource) return undefined;
  const address = slice(path, nonNull(match[1]).length + 1);
  if (!resource.gap && !isAddress(reader, resource, address)) return undefined;
  return { resource, address: address.text, when, position: positionIn(path) };
}

/** Whether the dotted path leads to a text of the record, or of a value in it. */
function isAddress(reader: PartReader<"events">, resource: DeclaredResource, path: Phrase): boolean {
  const first = slice(path, 0, nonNull(path.text.split(".")[0]).length);
  if (!resource.fields.has(first.text)) {
    reportUnknownField(reader, first, resource.name, resource.fields.keys());
    return false;
  }
  const type = fieldTypeAt(reader.context.declarations, resource, path.text);
  if (type && ["uri", "string", "not shown", "json"].includes(type.kind)) return true;
  reader.context.reporter.report("events/no-address", positionIn(path), {
    field: `${resource.name}.${path.text}`,
    type: type?.kind,
  });
  return false;
}

/** The scope that decides who receives an event: the event's record, the webhook's record, and the event. */
function targetScope(
  reader: PartReader<"events">,
  target: WebhookTarget,
  resource: RecordOf | undefined,
): Scope {
  const { declarations } = reader.context;
  const scope = withFixed(recordScope(declarations, resource), { event: eventType });
  return withNamed(scope, target.resource.variableName, { kind: "record", resource: target.resource.name });
}

/** Binds a target for the events of a resource (or of any). */
export function bindTarget(
  reader: PartReader<"events">,
  target: WebhookTarget,
  resource: RecordOf | undefined,
): BoundTarget | undefined {
  const when =
    target.when && reader.expression(target.when, targetScope(reader, target, resource), types.boolean);
  // Without its condition, every webhook would receive it.
  if (target.when && !when) return undefined;
  return { resource: target.resource.name, address: target.address, ...(when ? { when } : {}) };
}

export interface BoundWebhooks {
  readonly webhooks: NonNullable<EventsPart["webhooks"]>;
  /** The condition for each resource, for events about several. Several resources are a key together, separated by commas. */
  readonly byResource: ReadonlyMap<string, BoundTarget>;
}

/**
 * The part's webhooks. Their condition is written once, but `this` differs between events. Where
 * that matters, it is bound for each resource, so that each use has its own types and reports.
 */
export function bindWebhooks(
  reader: PartReader<"events">,
  target: WebhookTarget,
  resources: readonly (RecordOf | undefined)[],
): BoundWebhooks | undefined {
  const { reporter } = reader.context;
  const distinct = [...new Map(resources.map((resource) => [String(resource), resource])).values()];
  const bound = bindTarget(reader, target, distinct.length === 1 ? distinct[0] : undefined);
  if (!bound) return undefined;
  const webhooks = { ...bound, position: target.position };
  const byResource = new Map<string, BoundTarget>();
  if (distinct.length === 1 || !bound.when || !readsThis(bound.when)) return { webhooks, byResource };
  let isReported = false;
  for (const resource of distinct) {
    if (resource === undefined) continue;
    // What is wrong for one resource is mostly wrong for the others at the same position, so it is
    // reported once.
    const silent = reporter.silently(() => bindTarget(reader, target, resource));
    if (silent.value) byResource.set(String(resource), silent.value);
    else if (!isReported) bindTarget(reader, target, resource);
    isReported ||= silent.failed;
  }
  return { webhooks, byResource };
}

function readsThis({ node }: Expression): boolean {
  return readsName(node, { name: "this" });
}

/**
 * Scope of headers and media types: the event, the delivery, and the webhook's record, of any
 * resource.
 */
export function deliveryScope({ context }: PartReader<"events">, hooks: readonly DeclaredResource[]): Scope {
  const { fixed: all, ...base } = context.declarations.baseScope;
  // A delivery has no caller, because there is no request.
  const {
    caller: _caller,
    credential: _credential,
    request: _request,
    headers: _headers,
    limits: _limits,
    ...fixed
  } = all;
  const scope = withFixed({ ...base, fixed }, { event: loggedEventType, delivery: deliveryType });
  return hooks.reduce(
    (wider, hook) => withNamed(wider, hook.variableName, { kind: "record", resource: hook.name }),
    scope,
  );
}

export const signatureForms = "`Standard Webhooks, secret Hook.secret`, or `none`";

/**
 * Reads `Standard Webhooks, secret Hook.secret`. The secret may be reached through references (`Hook.shop.secret`),
 * and there may be several: `secret [hook.secret, hook.former_secret]`.
 */
export function readSignature(
  reader: PartReader<"events">,
  item: ItemNode,
  hooks: readonly DeclaredResource[],
): EventsPart["signature"] {
  const value = unquote(item.value);
  const [scheme, rest, ...more] = splitOutside(value, ",");
  const secret = rest && afterWord(rest, "secret");
  if (
    scheme?.text.toLowerCase() !== "standard webhooks" ||
    !secret ||
    secret.text === "" ||
    more.length > 0
  ) {
    return reader.unreadable(value, signatureForms);
  }
  const path = unquote(secret);
  const name = /^[A-Z]\w*(?=\.)/.exec(path.text)?.[0];
  const owner = name === undefined ? undefined : recordsNamed(reader, slice(path, 0, name.length));
  if (name !== undefined && !owner) return undefined;
  const phrase = owner && name !== undefined ? startingWith(path, name.length, owner.variableName) : path;
  const bound = reader.expression(phrase, deliveryScope(reader, owner ? [owner] : hooks));
  if (!bound) return undefined;
  if (!givesSecrets(bound.node.type)) {
    const type = bound.node.type.kind;
    reader.context.reporter.report("events/no-secret", positionIn(path), { text: path.text, type });
    return undefined;
  }
  return { secret: { ...bound, text: path.text }, position: item.position };
}

/** Whether the type is a text or a list of texts. During a rotation, the new and the old secret sign. */
function givesSecrets(type: Type): boolean {
  if (type.kind === "list") return givesSecrets(type.of);
  return ["string", "any", "json"].includes(type.kind);
}

/**
 * The phrase with its first characters replaced, so that `Hook.secret` is read as `hook.secret`
 * with the same position.
 */
function startingWith(phrase: Phrase, length: number, words: string): Phrase {
  const text = words + phrase.text.slice(length);
  const first = offsetIn(phrase, 0);
  const offsets = Array.from({ length: text.length + 1 }, (_, at) =>
    at < words.length
      ? Math.min(first + at, offsetIn(phrase, length))
      : offsetIn(phrase, at - words.length + length),
  );
  return phraseFrom(phrase.source, text, offsets);
}

export const headerForms =
  '`X-Hub-Signature-256: "sha256=" + hex(hmac("sha256", hook.secret, delivery.body))`';

export const headerMapForms = "`hook.headers`: a field, or another map, whose keys are names of headers";

/** `- Headers: <expr>`. */
export function readHeaderMap(
  reader: PartReader<"events">,
  item: ItemNode,
  scope: Scope,
): EventsPart["headerMaps"][number] | undefined {
  const phrase = unquote(item.value);
  const value = reader.expression(phrase, scope);
  if (!value) return undefined;
  if (!mayBeHeaderMap(value.node.type)) return reader.unreadable(phrase, headerMapForms);
  return { value, position: item.position };
}

export const requestForms =
  '`PUT`, or another method (POST, PATCH, DELETE), optionally with a URL, as in `PUT hook.url + "/sessions/" + event.subject`, and `when <expr>`';

/** `- Request: PUT hook.url + "/sessions/" + event.subject when <expr>`. */
export function readRequest(
  reader: PartReader<"events">,
  item: ItemNode,
  scope: Scope,
): WebhookRequestItem | undefined {
  const { head, when } = whenClause(item.value);
  const word = /^[A-Za-z]+/.exec(head.text)?.[0] ?? "";
  const method = webhookMethods.find((known) => known === word);
  const rest = trim(slice(head, word.length));
  if (!method) return reader.unreadable(word === "" ? head : slice(head, 0, word.length), requestForms);
  const unwritten = withFixed(scope, { delivery: deliveryTypeBeforeRequest });
  const url = rest.text === "" ? undefined : reader.expression(unquote(rest), unwritten, types.string);
  if (rest.text !== "" && !url) return undefined;
  const condition = when && reader.expression(when, unwritten, types.boolean);
  if (when && !condition) return undefined;
  return {
    method,
    ...(url ? { url } : {}),
    ...(condition ? { when: condition } : {}),
    position: item.position,
  };
}

const mediaTypeForms =
  "`application/json` or another media type, for forms optionally with `, JSON in payload`, and optionally `when <expr>`";

/** `- Media type: application/x-www-form-urlencoded, JSON in payload when <expr>`. */
export function readMediaType(
  reader: PartReader<"events">,
  item: ItemNode,
  scope: Scope,
): EventsPart["mediaTypes"][number] | undefined {
  const { head, when } = whenClause(item.value);
  const whole = unquote(head);
  const [mediaType = whole, inField, ...more] = splitOutside(whole, ",").map(unquote);
  const jsonIn = inField && /^JSON in `?([\w-]+)`?$/i.exec(inField.text)?.[1];
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(mediaType.text);
  if (
    !/^[\w.+-]+\/[\w.+-]+(\s*;\s*[\w-]+=\S+)*$/.test(mediaType.text) ||
    (inField && (jsonIn === undefined || !isForm)) ||
    more.length > 0
  )
    return reader.unreadable(whole, mediaTypeForms);
  const unwritten = withFixed(scope, { delivery: deliveryTypeBeforeBody });
  const condition = when && reader.expression(when, unwritten, types.boolean);
  if (when && !condition) return undefined;
  return {
    mediaType: mediaType.text,
    ...(jsonIn === undefined ? {} : { jsonIn }),
    ...(condition ? { when: condition } : {}),
    position: item.position,
  };
}
