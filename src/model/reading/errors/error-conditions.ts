/**
 * Conditions of errors (3.7, column `When`): a condition and an optional subject, `duplicate of
 * Parcel`.
 */
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { afterWord, endsNotShown, keyText } from "../../../syntax/read.ts";
import { type Condition, conditions } from "../../errors/conditions.ts";
import type { ErrorRow } from "../../model.ts";
import { suggestion } from "../any-part/part-reader.ts";
import { splitWord } from "../any-part/when-clause.ts";
import { readSubject, type SubjectReader } from "./error-subjects.ts";

export type ErrorCase = ErrorRow["when"][number];

/** The longest first, so that a condition isn't read as a shorter one. */
const byLength = [...conditions].sort((a, b) => b.length - a.length);

/** Splits `not found of User` into the condition and the text after it. */
export function parseCase(
  piece: Phrase,
): { readonly condition: Condition; readonly rest: Phrase } | undefined {
  const value = unquote(piece);
  for (const condition of byLength) {
    const rest = afterWords(value, condition);
    if (rest) return { condition, rest };
  }
  return undefined;
}

/** Like `afterWord`, with any white space between the words. */
function afterWords(phrase: Phrase, words: string): Phrase | undefined {
  const match = new RegExp(`^${words.replaceAll(" ", "\\s+")}(?=\\s|$)`, "i").exec(phrase.text);
  return match ? trim(slice(phrase, match[0].length)) : undefined;
}

/** All cases of a cell. Unreadable ones are reported and omitted. */
export function readCases(reader: SubjectReader, cell: Phrase): ErrorCase[] {
  return splitOutside(unquote(cell), ",").flatMap((piece) => readCase(reader, piece) ?? []);
}

function readCase(reader: SubjectReader, piece: Phrase): ErrorCase | undefined {
  if (endsNotShown(piece)) return reader.unreadable(piece, subjectForms);
  const parsed = parseCase(piece);
  if (!parsed) {
    const end = piece.text.search(/\sof\s/);
    const name = end === -1 ? piece : slice(piece, 0, end);
    // Not cut: the conditions are a closed list, and no other page of `check` shows it.
    const params = { ...suggestion(keyText(name), conditions), known: conditions };
    reader.context.reporter.report("errors/unknown-condition", positionIn(name), params);
    return undefined;
  }
  const { condition, rest } = parsed;
  const position = positionIn(piece);
  if (rest.text === "") return { condition, of: [], position };
  const words = afterWord(rest, "of") ?? rest;
  if (words.text === "") return reader.unreadable(piece, subjectForms);
  const of = splitWord(words, "and").map((subject) => readSubject(reader, condition, unquote(subject)));
  return of.includes(undefined)
    ? undefined
    : { condition, of: of.filter((subject) => subject !== undefined), position };
}

const subjectForms =
  "a condition, optionally with `of Parcel`, `of Parcel.weight`, `of query.cursor`, `of POST /parcels`, `of type integer`, `of rule length`, or the name of a transition or a limit";
