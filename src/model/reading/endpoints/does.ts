/**
 * `- Does: create Parcel` and `- Then: confirm when …`: parses and resolves what an endpoint does.
 * Their conditions are bound later, when their scopes are known.
 */
import { nonNull } from "../../../support/non-null.ts";
import { verbInOurWords } from "../any-part/synonyms.ts";
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import { nearest } from "../../../support/nearest.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { afterWord, hasNotShown } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import {
  type Does,
  type DoesKind,
  isChanging,
  mayCreate,
  isOfSingleSubject,
  doesKinds,
  type OrList,
  type Reach,
  reachOf,
  signsIn,
} from "../../endpoints/does.ts";
import type { BuildContext } from "../any-part/context.ts";
import { nearestHint } from "../nearest-hint.ts";
import { parseRules } from "../resources/field-rules.ts";
import { fieldContext } from "../resources/field-type.ts";
import { whenClause } from "../any-part/when-clause.ts";

/** A `Does` without its condition. */
export type DeedSyntax = Does extends infer D
  ? D extends Does
    ? Omit<D, "when" | "position">
    : never
  : never;

type TransitionDeed = Omit<Extract<DeedSyntax, { kind: "transition" }>, "ifAny">;

export interface DoesSyntax {
  readonly deed: DeedSyntax;
  readonly when: Phrase | undefined;
  /** The text of the operation, for diagnostics. */
  readonly phrase: Phrase;
  readonly position: Position;
}

export interface ThenSyntax {
  readonly transition: string;
  readonly when: Phrase | undefined;
  readonly position: Position;
}

/** What an endpoint does, as far as it can be read. */
export interface Deeds {
  readonly does: readonly DoesSyntax[];
  /** The common resource of all alternatives. */
  readonly resource: DeclaredResource | undefined;
  /** The gap: `not shown`, or the fields of the resource are. */
  readonly open: { readonly subject: string; readonly position: Position } | undefined;
  /** A part of it was reported, so that its consequences aren't. */
  readonly faulty: boolean;
}

/** Kinds that precede a resource. */
type Verb = Exclude<DoesKind, "transition" | "sign in" | "stream" | "answer" | "handler">;

const verbs = (Object.keys(doesKinds) as DoesKind[]).filter((kind): kind is Verb => !!doesKinds[kind].isVerb);

/**
 * Reads all `Does` items of an endpoint.
 * @param pathResource the resource of its path, for a transition without a resource
 */
export function readDeeds(
  items: readonly ItemNode[],
  endpoint: string,
  pathResource: string | undefined,
  ctx: BuildContext,
): Deeds {
  const stated = items.filter((item) => !hasNotShown(item.value));
  const hidden = items.find((item) => hasNotShown(item.value));
  const does: DoesSyntax[] = [];
  for (const item of stated) {
    const action = readDoes(item, pathResource, ctx);
    if (action) does.push(action);
  }
  const subject = hidden && { subject: `what ${endpoint} does`, position: positionIn(hidden.value) };
  const consistent = isOfSingleSubject(does.map(({ deed }) => deed));
  const first = does.find((action) => "resource" in action.deed)?.deed;
  const resource = first && "resource" in first ? ctx.declarations.resources.get(first.resource) : undefined;
  return { does, resource, open: subject, faulty: does.length < stated.length || !consistent };
}

function readDoes(
  item: ItemNode,
  pathResource: string | undefined,
  ctx: BuildContext,
): DoesSyntax | undefined {
  const { head, when } = whenClause(unquote(item.value));
  const phrase = unquote(head);
  const deed = readDeed(phrase, pathResource, ctx);
  return deed && { deed, when: when && unquote(when), phrase, position: positionIn(phrase) };
}

function readDeed(
  phrase: Phrase,
  pathResource: string | undefined,
  ctx: BuildContext,
): DeedSyntax | undefined {
  const word = phrase.text.toLowerCase();
  if (word === "stream" || word === "answer") return { kind: word };
  const named = afterWord(phrase, "handler");
  if (named) return readHandler(unquote(named), ctx);
  const signIn = afterWord(phrase, "sign in");
  if (signIn) {
    const resource = storedResource(signIn, "sign in", ctx);
    return resource && { kind: "sign in", resource: resource.name };
  }
  for (const verb of verbs) {
    const rest = afterWord(phrase, verb);
    if (rest) return readVerb(verb, rest, ctx);
  }
  const { object, ifAny } = splitIfAny(phrase);
  const deed = readTransition(object, pathResource, ctx);
  return deed && { ...deed, ifAny: ifAny !== undefined };
}

/** Splits off `, if any` at the end. */
function splitIfAny(phrase: Phrase): { readonly object: Phrase; readonly ifAny: Phrase | undefined } {
  const found = /\s*,?\s*if\s+any\s*$/i.exec(phrase.text);
  if (!found) return { object: phrase, ifAny: undefined };
  return { object: trim(slice(phrase, 0, found.index)), ifAny: trim(slice(phrase, found.index)) };
}

function readHandler(name: Phrase, ctx: BuildContext): DeedSyntax | undefined {
  if (/^[A-Za-z_$][\w$]{0,63}$/.test(name.text)) return { kind: "handler", name: name.text };
  return unreadable(name, "the name of a function, `handler quote`", ctx);
}

function readVerb(verb: Verb, rest: Phrase, ctx: BuildContext): DeedSyntax | undefined {
  const { object, ifAny } = splitIfAny(rest);
  const every = verb === "delete" || verb === "update" ? afterWord(object, "every") : undefined;
  if (verb === "create" || verb === "upsert") return readMaking(verb, object, ifAny, ctx);
  const resource = storedResource(every ?? object, verb, ctx);
  if (!resource) return undefined;
  const mayFindNone = { ifAny: ifAny !== undefined };
  switch (verb) {
    case "update":
    case "delete":
      if (every && ifAny)
        return unreadable(
          ifAny,
          `\`${verb} every ${resource.name}\` alone: without records it does nothing`,
          ctx,
        );
      return { kind: verb, resource: resource.name, every: every !== undefined, ...mayFindNone };
    case "read":
    case "replace":
      return { kind: verb, resource: resource.name, ...mayFindNone };
    default:
      if (ifAny) return unreadable(ifAny, `\`${verb} ${resource.name}\` alone: it needs no record`, ctx);
      return { kind: verb, resource: resource.name };
  }
}

/** Reads the object of `create Book`, or of `create Book or list of Book, items 1..100`. */
function readMaking(
  verb: "create" | "upsert",
  object: Phrase,
  ifAny: Phrase | undefined,
  ctx: BuildContext,
): DeedSyntax | undefined {
  const [, single, list, bounds] =
    /^([^\s,]+)\s+or\s+list\s+of\s+([^\s,]+)(?:\s*,\s*(.*))?$/is.exec(object.text) ?? [];
  const resource = storedResource(single === undefined ? object : slice(object, 0, single.length), verb, ctx);
  if (!resource) return undefined;
  const { name } = resource;
  if (ifAny) return unreadable(ifAny, `\`${verb} ${name}\` alone: it needs no record`, ctx);
  if (single === undefined || list === undefined) return { kind: verb, resource: name };
  if (unquotedText(list) !== name) return unreadable(object, `\`${name} or list of ${name}\``, ctx);
  const cell = bounds === undefined ? undefined : trim(slice(object, object.text.length - bounds.length));
  const items = cell && readItems(cell, `${verb} ${name} or list of ${name}`, ctx);
  if (cell && !items) return undefined;
  return { kind: verb, resource: name, orList: items ? { items } : {} };
}

function unquotedText(text: string): string {
  return text.replaceAll("`", "");
}

/** Reads the bounds of a list body. Undefined if they were reported. */
function readItems(cell: Phrase, deed: string, ctx: BuildContext): OrList["items"] {
  const { rules } = parseRules(cell, deed, fieldContext(ctx, "endpoints", "payload shapes"));
  const [first, ...others] = rules.map(({ rule }) => rule);
  if (first === undefined) return undefined;
  if (first.rule === "items" && others.length === 0) return first;
  return unreadable(cell, "the bounds of the list, as in `items 1..100`", ctx);
}

/** A resource with records of its own. Values are stored in other records. */
function storedResource(phrase: Phrase, verb: string, ctx: BuildContext): DeclaredResource | undefined {
  const name = unquote(phrase);
  if (name.text === "") return unreadable(phrase, `a resource after \`${verb}\``, ctx);
  const resource = ctx.declarations.resources.get(name.text);
  if (!resource) {
    const known = [...ctx.declarations.resources.values()]
      .filter((resource) => !resource.isValue)
      .map((resource) => resource.name);
    ctx.reporter.report("endpoints/unknown-resource", positionIn(name), {
      name: name.text,
      ...nearestHint(name.text, known),
    });
    return undefined;
  }
  if (!resource.isValue) return resource;
  ctx.reporter.report("endpoints/value-resource", positionIn(name), { name: name.text });
  return undefined;
}

/** Reads `collect Parcel`, or `collect` if only one resource can be meant. */
function readTransition(
  phrase: Phrase,
  pathResource: string | undefined,
  ctx: BuildContext,
): TransitionDeed | undefined {
  const [first, second, more] = phrase.text.split(/\s+/) as [string, string?, string?];
  if (first === "" || more !== undefined || /[^\w\s]/.test(phrase.text))
    return unreadable(phrase, deedsExpected, ctx);
  const name = slice(phrase, 0, first.length);
  if (second === undefined) return transitionAlone(name, pathResource, ctx);
  const resource = resourceBehindTransition(name, trim(slice(phrase, first.length)), ctx);
  if (!resource) return undefined;
  if (resource.transitions.includes(first))
    return { kind: "transition", resource: resource.name, transition: first };
  reportUnknownTransition(name, resource, ctx);
  return undefined;
}

const quotedVerbs = verbs.map((verb) => `\`${verb}\``);
const deedsExpected = `what the endpoint does: ${quotedVerbs.slice(0, -1).join(", ")} or ${quotedVerbs.at(-1)} and a resource, a transition and its resource, \`sign in User\`, \`stream\`, \`answer\` or \`handler name\``;

/** The resource in `craete Parcel`: it exists, so the verb is wrong. */
function resourceBehindTransition(
  transition: Phrase,
  phrase: Phrase,
  ctx: BuildContext,
): DeclaredResource | undefined {
  const { resources } = ctx.declarations;
  const resource = resources.get(phrase.text);
  if (resource) return resource;
  const known = [...resources.values()]
    .filter((resource) => resource.transitions.includes(transition.text))
    .map((resource) => resource.name);
  const params = {
    name: phrase.text,
    ...nearestHint(phrase.text, known.length > 0 ? known : resources.keys()),
  };
  ctx.reporter.report("endpoints/unknown-resource", positionIn(phrase), params);
  return undefined;
}

function transitionAlone(
  name: Phrase,
  pathResource: string | undefined,
  ctx: BuildContext,
): TransitionDeed | undefined {
  const owners = [...ctx.declarations.resources.values()].filter((resource) =>
    resource.transitions.includes(name.text),
  );
  const owner =
    owners.find((owner) => owner.name === pathResource) ?? (owners.length === 1 ? owners[0] : undefined);
  if (owner) return { kind: "transition", resource: owner.name, transition: name.text };
  if (owners.length > 1) {
    const params = { name: name.text, resources: owners.map((owner) => owner.name) };
    ctx.reporter.report("endpoints/whose-transition", positionIn(name), params);
    return undefined;
  }
  if ((verbs as readonly string[]).includes(name.text.toLowerCase()))
    return unreadable(name, `a resource after \`${name.text}\``, ctx);
  return unreadable(name, deedsExpected, ctx);
}

/** Reports a name that is not a transition of its resource. It may be another's, or a misspelt verb. */
function reportUnknownTransition(name: Phrase, resource: DeclaredResource, ctx: BuildContext): void {
  const owners = [...ctx.declarations.resources.values()]
    .filter((resource) => resource.transitions.includes(name.text))
    .map((resource) => resource.name);
  const { nearest: near, known } = nearestHint(name.text, resource.transitions);
  const verb = verbInOurWords(name.text) ?? nearest(name.text, [...verbs, ...resource.transitions]);
  const params = { name: name.text, resource: resource.name, nearest: near ?? verb, known, others: owners };
  ctx.reporter.report("endpoints/unknown-transition", positionIn(name), params);
}

function unreadable(phrase: Phrase, expected: string, ctx: BuildContext): undefined {
  ctx.reporter.report("endpoints/unreadable", positionIn(phrase), { text: phrase.text, expected });
}

function withoutStreams(does: readonly DoesSyntax[]): readonly DoesSyntax[] {
  return does.filter(({ deed }) => deed.kind !== "stream");
}

/** Reads `- Then: confirm when body.confirm`: an additional transition of the same record. */
export function readThens(
  items: readonly ItemNode[],
  deeds: Deeds,
  ctx: BuildContext,
): readonly ThenSyntax[] {
  return items.flatMap((item) => {
    const { head, when } = whenClause(unquote(item.value));
    const [name, ...behind] = unquote(head).text.split(/\s+/) as [string, ...string[]];
    const phrase = slice(unquote(head), 0, name.length);
    const { resource } = deeds;
    if (!resource) {
      if (!deeds.faulty && !deeds.open) reportSenseless(item, "the endpoint acts on no record", ctx);
      return [];
    }
    if (!resource.deletedMarked && doesAny(deeds.does, "delete")) {
      const reason = `the deleted record no longer exists (\`- Deleted: marked\` of ${resource.name} would keep it)`;
      reportSenseless(item, reason, ctx);
      return [];
    }
    if (behind.length > 0 && behind.join(" ") !== resource.name) {
      unreadable(head, `the name of a transition of ${resource.name}`, ctx);
      return [];
    }
    if (!resource.transitions.includes(name)) {
      reportUnknownTransition(phrase, resource, ctx);
      return [];
    }
    return [{ transition: name, when: when && unquote(when), position: positionIn(phrase) }];
  });
}

function reportSenseless({ key }: ItemNode, reason: string, { reporter }: BuildContext): void {
  reporter.report("endpoints/senseless-item", positionIn(key), { key: key.text, reason });
}

/** The reach of an endpoint: that of its alternatives, if they agree; otherwise a record that may be new. */
export function commonReach(does: readonly DoesSyntax[]): Reach {
  const plainActions = withoutStreams(does);
  const reaches = new Set(
    (plainActions.length > 0 ? plainActions : does).map((action) => reachOf(action.deed)),
  );
  if (reaches.size === 1) return nonNull([...reaches][0]);
  if (reaches.size === 0) return "none";
  return reaches.has("many") ? "many" : "new or one";
}

/** Whether an alternative is of one of these kinds. */
export function doesAny(does: readonly DoesSyntax[], ...kinds: readonly DeedSyntax["kind"][]): boolean {
  return does.some((action) => kinds.includes(action.deed.kind));
}

/** Whether an alternative signs in a caller. */
export function signsInAny(does: readonly DoesSyntax[]): boolean {
  return does.some(({ deed }) => signsIn(deed));
}

/** Whether an alternative may create a record. */
export function makesAny(does: readonly DoesSyntax[]): boolean {
  return does.some(({ deed }) => mayCreate(deed));
}

/** Whether an alternative changes a record of its resource. */
export function changesAny(does: readonly DoesSyntax[]): boolean {
  return does.some(({ deed }) => isChanging(deed));
}

/** Whether nothing is known of what the endpoint does: its `Does` is not shown, or is missing. */
export function isUnknown({ does, faulty }: Deeds): boolean {
  return does.length === 0 && !faulty;
}

/** Whether the endpoint streams events and does nothing else. */
export function onlyStreams(does: readonly DoesSyntax[]): boolean {
  return doesAny(does, "stream") && withoutStreams(does).length === 0;
}
