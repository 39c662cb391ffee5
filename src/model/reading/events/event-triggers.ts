/**
 * Event triggers (3.6, column `When`): `Parcel created`, `Parcel deliver when …`, `Parcel becomes
 * lost`, `sent`.
 */
import { withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { afterWord, keyText } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { EventTrigger } from "../../model.ts";
import { recordsNamed } from "../any-part/part-names.ts";
import { type PartReader, suggestion } from "../any-part/part-reader.ts";
import { whenClause } from "../any-part/when-clause.ts";

export const triggerForms =
  "`Parcel created`, `Parcel updated`, `Parcel deleted`, `Parcel deliver` (a transition), `Parcel becomes delivered` or `sent`";

/** The parts of a trigger, before names are resolved. */
export interface TriggerWords {
  readonly whole: Phrase;
  /** Absent for `sent`. */
  readonly resource?: Phrase;
  /** `created`, or the name of a transition. With `becomes`, the name of the state. */
  readonly word?: Phrase;
  readonly becomesState: boolean;
  readonly when: Phrase | undefined;
}

/** Reads the cell. Each result is a trigger, or the phrase that can't be read. */
export function parseTriggers(cell: Phrase): (TriggerWords | { readonly unreadable: Phrase })[] {
  return splitOutside(cell, ",").map((piece) => {
    const { head, when } = whenClause(piece);
    const whole = unquote(head);
    if (keyText(whole) === "sent") return { whole, becomesState: false, when };
    const first = /^\S+/.exec(whole.text)?.[0] ?? "";
    const rest = trim(slice(whole, first.length));
    const state = afterWord(rest, "becomes");
    const word = unquote(state ?? rest);
    if (!/^[\w-]+$/.test(word.text)) return { unreadable: whole };
    return {
      whole,
      resource: unquote(slice(whole, 0, first.length)),
      word,
      becomesState: state !== undefined,
      when,
    };
  });
}

/**
 * The triggers of a row with all names resolved. `sentOf` are the resources for which `send` raises
 * this event.
 */
export function readTriggers(
  reader: PartReader<"events">,
  cell: Phrase,
  sentOf: string | undefined,
): EventTrigger[] {
  const triggers: EventTrigger[] = [];
  for (const words of parseTriggers(cell)) {
    if ("unreadable" in words) {
      reader.unreadable(words.unreadable, triggerForms);
      continue;
    }
    const trigger = readTrigger(reader, words, sentOf);
    const whole = trigger && withCondition(reader, trigger, words.when);
    if (whole) triggers.push(whole);
  }
  return triggers;
}

function readTrigger(
  reader: PartReader<"events">,
  words: TriggerWords,
  sentOf: string | undefined,
): EventTrigger | undefined {
  const position = positionIn(words.whole);
  if (!words.resource || !words.word) {
    return { kind: "sent", ...(sentOf === undefined ? {} : { resource: sentOf }), position };
  }
  const { resources } = reader.context.declarations;
  if (/^(?:on|when|after|before)$/i.test(words.resource.text) && !resources.has(words.resource.text)) {
    reader.unreadable(words.whole, triggerForms);
    return undefined;
  }
  const resource = recordsNamed(reader, words.resource);
  if (!resource) return undefined;
  if (words.becomesState) return becomesState(reader, resource, words.word, position);
  const kind = (["created", "updated", "deleted"] as const).find(
    (change) => change === words.word?.text.toLowerCase(),
  );
  if (kind) return { kind, resource: resource.name, position };
  const transition = words.word.text;
  if (resource.transitions.includes(transition)) {
    return { kind: "transition", resource: resource.name, transition, position };
  }
  const known = ["created", "updated", "deleted", ...resource.transitions];
  const params = { ...suggestion(transition, known), resource: resource.name };
  reader.context.reporter.report("events/unknown-transition", positionIn(words.word), params);
  return undefined;
}

function becomesState(
  reader: PartReader<"events">,
  resource: DeclaredResource,
  state: Phrase,
  position: EventTrigger["position"],
): EventTrigger | undefined {
  if (resource.states.includes(state.text)) {
    return { kind: "becomes", resource: resource.name, state: state.text, position };
  }
  const params = { ...suggestion(state.text, resource.states), resource: resource.name };
  reader.context.reporter.report("events/unknown-state", positionIn(state), params);
  return undefined;
}

/**
 * A condition of a trigger sees the record before and after the change. If it is not shown it is
 * never true.
 */
function withCondition(
  reader: PartReader<"events">,
  trigger: EventTrigger,
  when: Phrase | undefined,
): EventTrigger | undefined {
  if (!when) return trigger;
  const record: Type =
    trigger.resource === undefined ? types.any : { kind: "record", resource: trigger.resource };
  const scope = withFixed(reader.context.declarations.baseScope, { this: record, old: record });
  const condition = reader.expression(when, scope, types.boolean);
  return condition && { ...trigger, when: condition };
}
