/**
 * Completion: what may stand at the cursor. The compiler knows it, as the names among which it looks
 * for the nearest one. Habits order them.
 */
import { type CompletionItem, CompletionItemKind, type TextEdit } from "vscode-languageserver";
import { functionNamed, functions } from "../../expressions/functions/index.ts";
import { macroNames } from "../../expressions/binding/macro-forms.ts";
import type { Model } from "../../model/model.ts";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { rangeBetween } from "../analysis.ts";
import { expressionAt, type Place, placeAt } from "../place.ts";
import { knownAt } from "../probe.ts";
import { contextsAt, type Habits, habitsOf, keyContexts } from "./habits.ts";
import { reducedAt } from "./reduced.ts";
import { type Slot, slotsAt } from "./slots.ts";

/** Most items of one answer; the client sends another request when more is typed. */
const itemsMax = 60;

interface State {
  readonly document: TextDocument;
  /** The model of the newest state that had one. */
  readonly model: Model | undefined;
}

export interface Completion {
  readonly items: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

export function completionAt({ document, model }: State, cursor: number): Completion {
  const whole = document.getText();
  const { text, removed } = reducedAt(whole, cursor, placeAt(whole, cursor));
  const offset = cursor - removed;
  const place = placeAt(text, offset);
  const habits = habitsOf(whole, document.positionAt(cursor).line);
  const slots = slotsAt(text, offset, place);
  const around = { document, text, removed, place, habits, model };
  const habitual = (slot: Slot): readonly string[] => {
    const words = habits.wordsIn(contextsOf(text, slot, place).slice(0, 5));
    return words.filter(startsWith(text.slice(slot.start, offset)));
  };
  for (const slot of slots) {
    const known = candidates(text, slot, place, model).filter(startsWith(text.slice(slot.start, offset)));
    if (known.length === 0) continue;
    // Words of the notation between names, such as `where` and `with`, are among no names.
    const between =
      isBehindDot(text, slot) || slot.kind === "key" || slot.kind === "text" ? [] : habitual(slot);
    return toItems(slot, distinct([...known, ...between]), around);
  }
  const last = slots.at(-1);
  if (!last || place.form === "heading") return { items: [], isIncomplete: false };
  return toItems(last, habitual(last), around);
}

function startsWith(typed: string): (word: string) => boolean {
  const wanted = typed.toLowerCase();
  return (word) => word.toLowerCase().startsWith(wanted);
}

function isBehindDot(text: string, { start }: Slot): boolean {
  return /\.\s*$/.test(text.slice(Math.max(0, start - 4), start));
}

/** Names that may fill the slot. */
function candidates(text: string, slot: Slot, place: Place, model: Model | undefined): readonly string[] {
  const lists = knownAt(text, { start: slot.start, end: slot.end + slot.dropped }, slot.form);
  const known = lists.flat();
  if (slot.kind === "key" || slot.kind === "text") return distinct(known);
  if (!expressionAt(text, place, slot.start)) {
    const isEmpty = slot.kind === "piece" && known.length > 0;
    return distinct([...known, ...(isEmpty ? ["not shown"] : [])]);
  }
  if (isBehindDot(text, slot))
    return known.length > 0 ? distinct(known) : lists.length > 0 || slot.dropped > 0 ? members : [];
  if (lists.length === 0) return [];
  return distinct([
    ...known,
    ...functions.filter(({ form, internal }) => form !== "method" && !internal).map(({ name }) => name),
    ...[...(model?.shapes ?? []), ...(model?.shapeFunctions ?? [])].map(({ name }) => name),
    "has",
    "shape",
    "true",
    "false",
    "null",
  ]);
}

/** What follows a dot behind a list, a collection or a text. */
const members: readonly string[] = [
  ...macroNames,
  ...functions.filter(({ form, internal }) => form !== "function" && !internal).map(({ name }) => name),
];

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

function contextsOf(text: string, slot: Slot, place: Place): readonly string[] {
  if (slot.kind !== "key") return contextsAt(text, slot.start, place);
  const above = text.slice(0, slot.start).split("\n").slice(0, -1).toReversed();
  const stop = above.findIndex((line) => /^ {0,3}#/.test(line));
  const before = above
    .slice(0, stop === -1 ? undefined : stop)
    .find((line) => /^ {0,3}[-*+]\s+[^:]+:/.test(line));
  return keyContexts(place, /^ {0,3}[-*+]\s+([^:]+):/.exec(before ?? "")?.[1]?.trim() ?? "");
}

interface Around {
  readonly document: TextDocument;
  /** The reduced text, and how many characters it has less in front of the cursor. */
  readonly text: string;
  readonly removed: number;
  readonly place: Place;
  readonly habits: Habits;
  readonly model: Model | undefined;
}

function toItems(
  slot: Slot,
  words: readonly string[],
  { document, text, removed, place, habits, model }: Around,
): Completion {
  const contexts = contextsOf(text, slot, place);
  const line = alike(lineUpTo(document, slot.start + removed));
  const scored = words.map((word, at) => {
    // `status = body.status`, `user: User`: an expression or a cell often repeats a word of its line, a list doesn't.
    const isListed = slot.kind === "piece" && line.words.has(word);
    const repeated = isListed ? -repeatedWeight : line.plain.has(plainForm(word)) ? repeatedWeight : 0;
    return { word, at, score: habits.score(word, contexts) + repeated };
  });
  const sorted = scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, itemsMax);
  const range = rangeBetween(document, slot.start + removed, slot.end + removed);
  const isKey = slot.kind === "key" && text[slot.end] !== ":";
  const items = sorted.map(({ word }, at): CompletionItem => {
    const textEdit: TextEdit = { range, newText: isKey ? `${word}: ` : word };
    const detail = functionNamed(word)?.sentence;
    return {
      label: word,
      kind: kindOf(word, slot, model),
      sortText: String(at).padStart(4, "0"),
      filterText: word,
      textEdit,
      ...(detail === undefined ? {} : { detail }),
    };
  });
  return { items, isIncomplete: words.length > itemsMax };
}

/** As much as a word that always stands at such a place in the examples. */
const repeatedWeight = 1;

function lineUpTo(document: TextDocument, offset: number): string {
  const { line } = document.positionAt(offset);
  return document.getText({ start: { line, character: 0 }, end: document.positionAt(offset) });
}

function alike(text: string): { readonly words: ReadonlySet<string>; readonly plain: ReadonlySet<string> } {
  const words = new Set([...text.matchAll(/[A-Za-z]\w*/g)].map(([word]) => word));
  return { words, plain: new Set([...words].map(plainForm)) };
}

function plainForm(word: string): string {
  return word.toLowerCase().replaceAll("_", "");
}

function kindOf(word: string, slot: Slot, model: Model | undefined): CompletionItemKind {
  if (slot.kind === "key") return CompletionItemKind.Property;
  if (slot.kind === "text") return CompletionItemKind.EnumMember;
  if (model?.resources.some(({ name }) => name === word)) return CompletionItemKind.Class;
  if (model?.shapes.some(({ name }) => name === word)) return CompletionItemKind.Interface;
  if (model?.events.events.some(({ name }) => name === word)) return CompletionItemKind.Event;
  if (model?.resources.some(({ fields }) => fields.some(({ name }) => name === word)))
    return CompletionItemKind.Field;
  if (functionNamed(word) || macroNames.has(word)) return CompletionItemKind.Function;
  return CompletionItemKind.Keyword;
}
