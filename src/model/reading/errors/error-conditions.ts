/**
 * Conditions of errors (3.7, column `When`): a condition and an optional subject, `duplicate of
 * Parcel`.
 */
import { scalarTypes } from "../../../fields/types/index.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { afterWord, endsNotShown, keyText } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../../declarations.ts";
import { type Condition, conditions, mayBeOf } from "../../conditions.ts";
import type { ErrorRow, ErrorSubject } from "../../model.ts";
import { fieldTypeAt } from "../any-part/field-path.ts";
import { limitNames } from "../limits/limit-names.ts";
import { reportUnknownField } from "../any-part/part-names.ts";
import { type PartReader, suggestion } from "../any-part/part-reader.ts";

export type ErrorCase = ErrorRow["when"][number];

/** The values after `of type`. */
const typeNames = [
  ...Object.keys(scalarTypes),
  "list",
  "map",
  "object",
  "one of",
  "reference",
  "value",
  "state",
];

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
export function readCases(reader: PartReader<"errors">, cell: Phrase): ErrorCase[] {
  return splitOutside(unquote(cell), ",").flatMap((piece) => readCase(reader, piece) ?? []);
}

function readCase(reader: PartReader<"errors">, piece: Phrase): ErrorCase | undefined {
  if (endsNotShown(piece)) return reader.unreadable(piece, subjectForms);
  const parsed = parseCase(piece);
  if (!parsed) {
    const end = piece.text.search(/\sof\s/);
    const name = end === -1 ? piece : slice(piece, 0, end);
    const params = suggestion(keyText(name), conditions);
    reader.context.reporter.report("errors/unknown-condition", positionIn(name), params);
    return undefined;
  }
  const { condition, rest } = parsed;
  const position = positionIn(piece);
  if (rest.text === "") return { condition, position };
  const words = afterWord(rest, "of") ?? rest;
  const of =
    words.text === ""
      ? reader.unreadable(piece, subjectForms)
      : readSubject(reader, condition, unquote(words));
  return of && { condition, of, position };
}

const subjectForms =
  "a condition, and perhaps `of Parcel`, `of Parcel.weight`, `of type integer`, or the name of a transition or a limit";

function readSubject(
  reader: PartReader<"errors">,
  condition: Condition,
  words: Phrase,
): ErrorSubject | undefined {
  const { resources } = reader.context.declarations;
  const type = afterWord(words, "type");
  if (type) return typeSubject(reader, condition, unquote(type));
  const resource = resources.get(words.text);
  if (resource) {
    if (mayBeOf(condition, "resource")) return { kind: "resource", resource: resource.name };
    return neverAbout(reader, condition, words, "resource");
  }
  const parted = /^(\w+)(?:\.|\s+)([\w.[\]]+)$/.exec(words.text);
  const owner = parted && resources.get(parted[1] as string);
  if (owner)
    return memberSubject(
      reader,
      condition,
      owner,
      slice(words, words.text.length - (parted[2] as string).length),
    );
  if (mayBeOf(condition, "transition") && transitionNames(reader).includes(words.text)) {
    return { kind: "transition", transition: words.text };
  }
  const limits = limitNames(reader.context.document);
  if (mayBeOf(condition, "limit") && limits.includes(words.text)) return { kind: "limit", limit: words.text };
  const known = [
    ...resources.keys(),
    ...(mayBeOf(condition, "transition") ? transitionNames(reader) : []),
    ...(mayBeOf(condition, "limit") ? limits : []),
  ];
  reader.context.reporter.report("errors/unknown-subject", positionIn(words), {
    ...suggestion(words.text.split(".")[0] as string, known),
    name: words.text,
    condition,
  });
  return undefined;
}

function typeSubject(
  reader: PartReader<"errors">,
  condition: Condition,
  type: Phrase,
): ErrorSubject | undefined {
  const { reporter } = reader.context;
  if (!mayBeOf(condition, "type")) {
    const ofTypes = conditions.filter((condition) => mayBeOf(condition, "type"));
    reporter.report("errors/type-of-no-input", positionIn(type), {
      condition,
      type: type.text,
      conditions: ofTypes,
    });
    return undefined;
  }
  const name = keyText(type);
  // In the model, a type is named by its kind.
  if (typeNames.includes(name)) return { kind: "type", type: name === "one of" ? "enum" : name };
  reporter.report("errors/unknown-type", positionIn(type), suggestion(type.text, typeNames));
  return undefined;
}

/** Reports a subject that no problem of the condition can have. */
function neverAbout(
  { context: { reporter } }: PartReader<"errors">,
  condition: Condition,
  words: Phrase,
  subject: "resource" | "field" | "transition",
): undefined {
  reporter.report("errors/never-about", positionIn(words), {
    condition,
    subject,
    text: words.text,
    conditions: conditions.filter((condition) => mayBeOf(condition, subject)),
  });
}

/** `Parcel.weight`, `Parcel deliver`: a field or a transition of the resource. */
function memberSubject(
  reader: PartReader<"errors">,
  condition: Condition,
  owner: DeclaredResource,
  name: Phrase,
): ErrorSubject | undefined {
  const { declarations } = reader.context;
  if (owner.transitions.includes(name.text)) {
    if (!mayBeOf(condition, "transition")) return neverAbout(reader, condition, name, "transition");
    return { kind: "transition", resource: owner.name, transition: name.text };
  }
  if (owner.gap || fieldTypeAt(declarations, owner, name.text)) {
    if (!mayBeOf(condition, "field")) return neverAbout(reader, condition, name, "field");
    return { kind: "field", resource: owner.name, field: name.text.replaceAll("[]", "") };
  }
  reportUnknownField(reader, name, owner.name, [...owner.fields.keys(), ...owner.transitions]);
  return undefined;
}

function transitionNames(reader: PartReader<"errors">): string[] {
  return [...reader.context.declarations.resources.values()].flatMap((resource) => resource.transitions);
}
