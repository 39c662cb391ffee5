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

export function completionAt({ document, model }: State, offset: number): Completion {
  const text = document.getText();
  const place = placeAt(text, offset);
  const habits = habitsOf(text, document.positionAt(offset).line);
  for (const slot of slotsAt(text, offset, place)) {
    const typed = text.slice(slot.start, offset).toLowerCase();
    const words = candidates(text, slot, place, model).filter((word) => word.toLowerCase().startsWith(typed));
    if (words.length > 0) return toItems(document, slot, place, words, habits, model);
  }
  const [last] = slotsAt(text, offset, place).toReversed();
  if (!last || place.form === "heading") return { items: [], isIncomplete: false };
  const typed = text.slice(last.start, offset).toLowerCase();
  const words = habits
    .wordsIn(contextsOf(text, last, place).slice(0, 4))
    .filter((word) => word.toLowerCase().startsWith(typed));
  return toItems(document, last, place, words, habits, model);
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
  if (/\.\s*$/.test(text.slice(Math.max(place.start, slot.start - 4), slot.start)))
    return known.length > 0 ? distinct(known) : lists.length > 0 || slot.dropped > 0 ? members : [];
  if (lists.length === 0) return [];
  return distinct([
    ...known,
    ...functions.filter(({ form, internal }) => form !== "method" && !internal).map(({ name }) => name),
    ...(model?.shapes ?? []).map(({ name }) => name),
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

function toItems(
  document: TextDocument,
  slot: Slot,
  place: Place,
  words: readonly string[],
  habits: Habits,
  model: Model | undefined,
): Completion {
  const contexts = contextsOf(document.getText(), slot, place);
  const scored = words.map((word, at) => ({ word, at, score: habits.score(word, contexts) }));
  const sorted = scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, itemsMax);
  const range = rangeBetween(document, slot.start, slot.end);
  const isKey = slot.kind === "key" && document.getText()[slot.end] !== ":";
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
