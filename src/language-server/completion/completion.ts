/**
 * Completion: the names that are valid at the cursor. They are the names among which the compiler
 * searches for the nearest one. Habits order them.
 */
import { compile, readNames } from "../../compile.ts";
import { type CompletionItem, CompletionItemKind, type TextEdit } from "vscode-languageserver";
import { functionNamed, functions } from "../../expressions/functions/index.ts";
import { macroNames } from "../../expressions/binding/macro-forms.ts";
import type { Model } from "../../model/model.ts";
import type { TextDocument } from "vscode-languageserver-textdocument";
import { type Analysis, rangeBetween } from "../analysis.ts";
import { type Chunk, chunkAt, chunksOf } from "../chunks.ts";
import { expressionAt, type Place, placeIn } from "../place.ts";
import { type TextShift, textShift } from "../text-shift.ts";
import { comparedWithProbe, probe } from "../probe.ts";
import { contextsAt, type Habits, keyContexts } from "./habits.ts";
import { namesInExpression } from "./expression-names.ts";
import { surroundingsOf, type Surroundings } from "./reduced-document.ts";
import { type Slot, slotsAt } from "./slots.ts";

/** Maximum number of items in an answer; the client sends another request when more is typed. */
const itemsMax = 60;

export interface Completion {
  readonly items: readonly CompletionItem[];
  readonly isIncomplete: boolean;
}

/** The chunk with the cursor. Offsets of places and slots count from its start. */
interface Around {
  readonly document: TextDocument;
  readonly chunk: Chunk;
  readonly place: Place;
  readonly habits: Habits;
  /** The analysis of an earlier state. */
  readonly analysis: Analysis;
  readonly moved: TextShift;
  readonly surroundings: () => Surroundings;
}

/**
 * The completions at the cursor. The document may be newer than its analysis: the text around the
 * cursor is parsed again, and the rest is assumed unchanged.
 */
export function completionAt(analysis: Analysis, document: TextDocument, cursor: number): Completion {
  const whole = document.getText();
  const chunks = chunksOf(whole);
  const chunk = chunkAt(chunks, cursor);
  const { text } = chunk;
  const offset = cursor - chunk.start;
  const place = placeIn(text, chunk.part, offset);
  const line = document.positionAt(cursor).line - document.positionAt(chunk.start).line;
  let surroundings: Surroundings | undefined;
  const around: Around = {
    document,
    chunk,
    place,
    habits: analysis.habits.habitsOf(chunks, { chunk, line }),
    analysis,
    moved: textShift(analysis.source.text, whole),
    surroundings: () => (surroundings ??= surroundingsOf(chunks, chunk, place)),
  };
  const slots = slotsAt(text, offset, place);
  const habitual = (slot: Slot): readonly string[] => {
    const words = around.habits.wordsIn(contextsOf(slot, around).slice(0, 5));
    return words.filter(startsWith(text.slice(slot.start, offset)));
  };
  // If a stretch has known names, a shorter one from the same start has no others.
  const read = new Set<number>();
  for (const slot of slots) {
    if (read.has(slot.start)) continue;
    const all = candidates(slot, around);
    if (all.length > 0) read.add(slot.start);
    const known = all.filter(startsWith(text.slice(slot.start, offset)));
    if (known.length === 0) continue;
    // Keywords between names, such as `where` and `with`, are not in the lists of names.
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
function candidates(slot: Slot, around: Around): readonly string[] {
  const { chunk, place, analysis } = around;
  const { text } = chunk;
  const { model } = analysis.compilation;
  const lists = knownAtSlot(slot, around);
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
    ...[
      ...(model?.endpointsPart.functions ?? []),
      ...(model?.shapes ?? []),
      ...(model?.shapeFunctions ?? []),
    ].map(({ name }) => name),
    "has",
    "shape",
    "true",
    "false",
    "null",
  ]);
}

/**
 * The names in the expression's scope if it had one, else those of a reduced document with what the
 * place can name.
 */
function knownAtSlot(slot: Slot, around: Around): readonly (readonly string[])[] {
  const { chunk, place, document, analysis, moved } = around;
  const inExpression =
    expressionAt(chunk.text, place, slot.start) &&
    namesInExpression(analysis, document.getText(), moved, {
      ...slot,
      start: slot.start + chunk.start,
      end: slot.end + chunk.start,
    });
  // A text may be compared with names that only the whole model has, such as event types.
  if (inExpression && (inExpression.length > 0 || slot.kind !== "text")) return inExpression;
  const own = chunk.text.slice(0, slot.start) + slot.form(probe) + chunk.text.slice(slot.end + slot.dropped);
  // Event types are compared only by the checks of the whole model, which run if it has no error.
  if (chunk.part === "events" && slot.kind === "text") {
    const whole = document.getText();
    const behind = whole.slice(chunk.start + chunk.text.length);
    return comparedWithProbe(() => compile(whole.slice(0, chunk.start) + own + behind, { file: "probe" }));
  }
  const { before, after } = around.surroundings();
  const text = before + own + after;
  // The same applies to past inputs, which the changes of a version name.
  const isJudged = chunk.part === "versioning" && chunk.section !== "";
  return comparedWithProbe(() => (isJudged ? void compile(text, { file: "probe" }) : readNames(text)));
}

/** The names after a dot that follows a list, a collection or a text. */
const members: readonly string[] = [
  ...macroNames,
  ...functions.filter(({ form, internal }) => form !== "function" && !internal).map(({ name }) => name),
];

function distinct(words: readonly string[]): readonly string[] {
  return [...new Set(words)];
}

function contextsOf(slot: Slot, { chunk: { text }, place }: Around): readonly string[] {
  if (slot.kind !== "key") return contextsAt(text, slot.start, place);
  const above = text.slice(0, slot.start).split("\n").slice(0, -1).toReversed();
  const before = above.find((line) => /^ {0,3}(?:[-*+]\s+[^:]+:|#)/.test(line));
  return keyContexts(place, /^ {0,3}[-*+]\s+([^:]+):/.exec(before ?? "")?.[1]?.trim() ?? "");
}

function toItems(slot: Slot, words: readonly string[], around: Around): Completion {
  const { document, chunk, habits, analysis } = around;
  const contexts = contextsOf(slot, around);
  const line = wordsIn(lineUpTo(document, slot.start + chunk.start));
  const scored = words.map((word, at) => {
    // `status = body.status`, `user: User`: an expression or a cell often repeats a word of its
    // line; a list doesn't.
    const isListed = slot.kind === "piece" && line.words.has(word);
    const repeated = isListed ? -repeatedWeight : line.plain.has(plainForm(word)) ? repeatedWeight : 0;
    return { word, at, score: habits.score(word, contexts) + repeated };
  });
  const sorted = scored.toSorted((a, b) => b.score - a.score || a.at - b.at).slice(0, itemsMax);
  const range = rangeBetween(document, slot.start + chunk.start, slot.end + chunk.start);
  const isKey = slot.kind === "key" && chunk.text[slot.end] !== ":";
  const items = sorted.map(({ word }, at): CompletionItem => {
    const textEdit: TextEdit = { range, newText: isKey ? `${word}: ` : word };
    const detail = functionNamed(word)?.sentence;
    return {
      label: word,
      kind: kindOf(word, slot, analysis.compilation.model),
      sortText: String(at).padStart(4, "0"),
      filterText: word,
      textEdit,
      ...(detail === undefined ? {} : { detail }),
    };
  });
  return { items, isIncomplete: words.length > itemsMax };
}

/** The weight of a word that always occurs at such a place in the examples. */
const repeatedWeight = 1;

function lineUpTo(document: TextDocument, offset: number): string {
  const { line } = document.positionAt(offset);
  return document.getText({ start: { line, character: 0 }, end: document.positionAt(offset) });
}

function wordsIn(text: string): { readonly words: ReadonlySet<string>; readonly plain: ReadonlySet<string> } {
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
