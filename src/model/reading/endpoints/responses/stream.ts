/** The items of a `stream`: `Sends`, `Starts`, `Ends` (server-sent events). */
import { nonNull } from "../../../../support/non-null.ts";
import { bindExpression } from "../../../../expressions/bind.ts";
import type { Expression } from "../../../../expressions/node.ts";
import { type Scope, withFixed } from "../../../../expressions/scope.ts";
import {
  findWord,
  type Phrase,
  positionIn,
  slice,
  splitOutside,
  trim,
  unquote,
} from "../../../../source/phrase.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { afterWord, keyText } from "../../../../syntax/read.ts";
import type { StreamItems } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { loggedEventType } from "../../scopes/event-type.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { recordScope } from "../../scopes/record-scope.ts";
import { bindCondition } from "../clauses.ts";
import { readShapeOrExpression } from "./returns.ts";

type Sends = StreamItems["sends"][number];
type Ends = StreamItems["ends"][number];

export function readStream(
  items: {
    readonly sends: readonly ItemNode[];
    readonly starts: ItemNode | undefined;
    readonly ends: readonly ItemNode[];
  },
  scope: Scope,
  ctx: BuildContext,
): StreamItems {
  const starts = items.starts && readStarts(items.starts, scope, ctx);
  return {
    sends: items.sends.flatMap((item) => readSends(item, scope, ctx)),
    ...(starts ? { starts } : {}),
    ends: items.ends.flatMap((item) => readEnds(item, scope, ctx)),
  };
}

// now · beginning · query.since
function readStarts(item: ItemNode, scope: Scope, ctx: BuildContext): StreamItems["starts"] {
  const value = unquote(item.value);
  const word = keyText(value);
  if (word === "now" || word === "beginning") return word;
  const bound = bindExpression(value, scope, ctx.reporter);
  if (!bound || positionTypes.has(bound.node.type.kind)) return bound;
  ctx.reporter.report("endpoints/unreadable", positionIn(value), {
    text: value.text,
    expected:
      "`now`, `beginning`, or an expression for the number of an event (`event.sequence`) or its id in a stream",
  });
  return undefined;
}

/** Types that can identify a position in the log. */
const positionTypes: ReadonlySet<string> = new Set(["integer", "string", "any", "null"]);

// parcel.moved, parcel.left when this.shop == caller.shop as Parcel · run.done as text "[DONE]"
function readSends(item: ItemNode, scope: Scope, ctx: BuildContext): Sends[] {
  const whole = unquote(item.value);
  const { names, when, as: form } = clausesOf(whole);
  const text = form && afterWord(form, "text");
  const as = text ?? form;
  const events = splitOutside(names, ",")
    .map(unquote)
    .filter((name) => isKnownEvent(name, ctx));
  // `this` is the event's record, so events of different resources are bound separately.
  const resourceOf = (name: Phrase) => ctx.declarations.events.get(name.text)?.resource;
  const groups = Map.groupBy(events, (name) => String(resourceOf(name)));
  return [...groups.values()].flatMap((group) => {
    const resource = resourceOf(nonNull(group[0]));
    const about =
      typeof resource === "string"
        ? withFixed(scope, { this: { kind: "record", resource } })
        : recordScope(ctx.declarations, resource, scope);
    const inner = withFixed(about, { event: loggedEventType });
    const condition = when && bindCondition(when, inner, ctx);
    const payload = as && readShapeOrExpression(as, inner, ctx);
    if (text && payload && !isText(payload, ctx, text)) return [];
    if ((when && !condition) || (as && !payload)) return [];
    return [
      {
        events: group.map((name) => name.text),
        ...(condition ? { when: condition } : {}),
        ...(payload ? { as: payload } : {}),
        isText: text !== undefined,
        position: positionIn(nonNull(group[0])),
      },
    ];
  });
}

/** Whether event data without JSON is a text. If not, it is reported. */
function isText({ node }: Expression, { reporter }: BuildContext, phrase: Phrase): boolean {
  if (["string", "any", "null"].includes(node.type.kind)) return true;
  reporter.report("endpoints/unreadable", positionIn(phrase), {
    text: phrase.text,
    expected: "an expression of type string after `as text`; any other value is sent as JSON, after `as`",
  });
  return false;
}

function clausesOf(phrase: Phrase): {
  readonly names: Phrase;
  readonly when: Phrase | undefined;
  readonly as: Phrase | undefined;
} {
  const asAt = findWord(phrase.text, "as");
  const as = asAt === -1 ? undefined : trim(slice(phrase, asAt + "as".length));
  const head = asAt === -1 ? phrase : trim(slice(phrase, 0, asAt));
  const whenAt = findWord(head.text, "when");
  if (whenAt === -1) return { names: head, when: undefined, as };
  return { names: trim(slice(head, 0, whenAt)), when: trim(slice(head, whenAt + "when".length)), as };
}

function isKnownEvent(name: Phrase, { declarations: { events }, reporter }: BuildContext): boolean {
  // If the document has no events, they are a gap, and no name is wrong.
  if (events.size === 0 || events.has(name.text)) return true;
  reporter.report("endpoints/unknown-event", positionIn(name), {
    name: name.text,
    ...nearestHint(name.text, events.keys()),
  });
  return false;
}

function readEnds(item: ItemNode, scope: Scope, ctx: BuildContext): Ends[] {
  const whole = unquote(item.value);
  const condition = afterWord(whole, "when");
  if (condition) {
    const when = bindCondition(condition, scope, ctx);
    return when ? [{ when, position: positionIn(whole) }] : [];
  }
  const names = afterWord(whole, "after");
  if (!names) {
    ctx.reporter.report("endpoints/unreadable", positionIn(whole), {
      text: whole.text,
      expected: "`after parcel.delivered` or `when <condition>`",
    });
    return [];
  }
  return splitOutside(names, ",")
    .map(unquote)
    .filter((name) => isKnownEvent(name, ctx))
    .map((name) => ({ after: name.text, position: positionIn(name) }));
}
