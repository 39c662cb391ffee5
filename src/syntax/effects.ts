/**
 * Grammar of effects (part 3, and `Set` and `Effect` of part 4): parses text to clauses, each a
 * phrase with its position. `model/reading/effects/effects.ts` resolves names and checks values.
 *
 *   field = value · create R with a = x, b = y as r for x in list · upsert R with a = x as r
 *   update R where c set a = x · delete R where c
 *   do t on R where c, first n by k descending with a = x · send e            each may end in: when c
 */
import type { Reporter } from "../diagnostics/diagnostic.ts";
import { outside, type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../source/phrase.ts";
import { afterWord, isEmpty } from "./read.ts";

export interface AssignmentSyntax {
  readonly name: Phrase;
  readonly value: Phrase;
}

export interface OrderKeySyntax {
  readonly by: Phrase;
  readonly descending: boolean;
}

export type EffectSyntax = {
  readonly phrase: Phrase;
  readonly when?: Phrase;
} /** The left side: names joined by dots. */ & (
  | { readonly kind: "assign"; readonly path: readonly Phrase[]; readonly value: Phrase }
  | {
      readonly kind: "create";
      readonly resource: Phrase;
      readonly fields: readonly AssignmentSyntax[];
      readonly as?: Phrase;
      readonly for?: { readonly variable: Phrase; readonly list: Phrase };
    }
  | {
      readonly kind: "upsert";
      readonly resource: Phrase;
      readonly fields: readonly AssignmentSyntax[];
      readonly as?: Phrase;
    }
  | {
      readonly kind: "update";
      readonly resource: Phrase;
      readonly where: Phrase;
      readonly set: readonly AssignmentSyntax[];
    }
  | { readonly kind: "delete"; readonly resource: Phrase; readonly where: Phrase }
  | {
      readonly kind: "do";
      readonly transition: Phrase;
      readonly resource: Phrase;
      readonly where: Phrase;
      readonly first?: Phrase;
      readonly by: readonly OrderKeySyntax[];
      readonly with: readonly AssignmentSyntax[];
    }
  | { readonly kind: "send"; readonly event: Phrase }
);

/** Effects separated by `;`, in order. Unreadable effects are reported and omitted. */
export function parseEffects(phrase: Phrase, reporter: Reporter): EffectSyntax[] {
  return piecesOf(phrase).flatMap((piece) => parseEffect(piece, reporter) ?? []);
}

function piecesOf(phrase: Phrase): Phrase[] {
  // `a = 1; b = 2`, `a = 1`; `b = 2`, and any mixture of the two.
  return splitOutside(unquote(phrase), ";")
    .flatMap((piece) => splitOutside(unquote(piece), ";"))
    .map(unquote)
    .filter((piece) => piece.text !== "");
}

function parseUpsert(phrase: Phrase, rest: Phrase, reporter: Reporter): EffectSyntax | undefined {
  const clauses = clausesOf(rest, ["with", "as", "when"], reporter);
  const fields = clauses?.with ? parseAssignments(clauses.with, reporter) : [];
  if (!clauses || !fields) return undefined;
  return {
    kind: "upsert",
    phrase,
    resource: unquote(clauses.head),
    fields,
    ...(clauses.as ? { as: unquote(clauses.as) } : {}),
    ...whenOf(clauses),
  };
}

function parseEffect(phrase: Phrase, reporter: Reporter): EffectSyntax | undefined {
  // Assignments are tried first, so that a field may have the name of a verb: `send = true`.
  const assignment = /^([A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*)*)\s*=(?!=)/.exec(phrase.text);
  if (assignment) return parseAssign(phrase, assignment[0].length, reporter);
  for (const [verb, parse] of Object.entries(verbs)) {
    const rest = afterWord(phrase, verb);
    if (rest) return parse(phrase, rest, reporter);
  }
  return unreadable(
    reporter,
    phrase,
    "`field = value`, `create …`, `upsert …`, `update …`, `delete …`, `do …` or `send …`",
  );
}

type ParseVerb = (phrase: Phrase, rest: Phrase, reporter: Reporter) => EffectSyntax | undefined;

const verbs: Readonly<Record<string, ParseVerb>> = {
  create: parseCreate,
  upsert: parseUpsert,
  update: parseUpdate,
  delete: parseDelete,
  do: parseDo,
  send: parseSend,
};

function parseAssign(phrase: Phrase, valueFrom: number, reporter: Reporter): EffectSyntax | undefined {
  const left = slice(phrase, 0, valueFrom - 1);
  const right = clausesOf(slice(phrase, valueFrom), ["when"], reporter);
  if (!right) return undefined;
  if (isEmpty(right.head))
    return unreadable(reporter, phrase, "a value after `=`, `null` to clear the field");
  return { kind: "assign", phrase, path: splitOutside(left, "."), value: right.head, ...whenOf(right) };
}

function parseCreate(phrase: Phrase, rest: Phrase, reporter: Reporter): EffectSyntax | undefined {
  const clauses = clausesOf(rest, ["with", "as", "for", "when"], reporter);
  if (!clauses) return undefined;
  const fields = clauses.with ? parseAssignments(clauses.with, reporter) : [];
  const loop = clauses.for && parseLoop(clauses.for, reporter);
  if (!fields || (clauses.for && !loop)) return undefined;
  return {
    kind: "create",
    phrase,
    resource: unquote(clauses.head),
    fields,
    ...(clauses.as ? { as: unquote(clauses.as) } : {}),
    ...(loop ? { for: loop } : {}),
    ...whenOf(clauses),
  };
}

function parseLoop(phrase: Phrase, reporter: Reporter): { variable: Phrase; list: Phrase } | undefined {
  const match = /^([A-Za-z_]\w*)\s+in\s+(?=\S)/.exec(phrase.text);
  if (!match) return unreadable(reporter, phrase, "`for x in <list>`");
  return { variable: slice(phrase, 0, (match[1] as string).length), list: slice(phrase, match[0].length) };
}

function parseUpdate(phrase: Phrase, rest: Phrase, reporter: Reporter): EffectSyntax | undefined {
  const clauses = clausesOf(rest, ["where", "set", "when"], reporter);
  if (!clauses) return undefined;
  if (isEmpty(clauses.where) || isEmpty(clauses.set)) {
    return unreadable(
      reporter,
      phrase,
      "`update <resource> where <condition> set <field> = <value>` (`where true` for all)",
    );
  }
  const set = parseAssignments(clauses.set as Phrase, reporter);
  return (
    set && {
      kind: "update",
      phrase,
      resource: unquote(clauses.head),
      where: clauses.where as Phrase,
      set,
      ...whenOf(clauses),
    }
  );
}

function parseDelete(phrase: Phrase, rest: Phrase, reporter: Reporter): EffectSyntax | undefined {
  const clauses = clausesOf(rest, ["where", "when"], reporter);
  if (!clauses) return undefined;
  if (isEmpty(clauses.where)) {
    return unreadable(reporter, phrase, "`delete <resource> where <condition>` (`where true` for all)");
  }
  return {
    kind: "delete",
    phrase,
    resource: unquote(clauses.head),
    where: clauses.where as Phrase,
    ...whenOf(clauses),
  };
}

function parseDo(phrase: Phrase, rest: Phrase, reporter: Reporter): EffectSyntax | undefined {
  const clauses = clausesOf(rest, ["on", "where", "with", "when"], reporter);
  if (!clauses) return undefined;
  if (isEmpty(clauses.head) || isEmpty(clauses.on) || isEmpty(clauses.where)) {
    return unreadable(
      reporter,
      phrase,
      "`do <transition> on <resource> where <condition>` (`where true` for all)",
    );
  }
  // A comma ends the condition:  where this.show == show, first 2 by rank descending, id
  const [where, ...selection] = splitOutside(clauses.where as Phrase, ",");
  const chosen = parseSelection(selection, reporter);
  const given = clauses.with ? parseAssignments(clauses.with, reporter) : [];
  if (!chosen || !given) return undefined;
  return {
    kind: "do",
    phrase,
    transition: unquote(clauses.head),
    resource: unquote(clauses.on as Phrase),
    where: where as Phrase,
    ...chosen,
    with: given,
    ...whenOf(clauses),
  };
}

/** Reads `first 2 by id` or `by rank descending` with further keys. Undefined without a selection. */
function parseSelection(
  pieces: readonly Phrase[],
  reporter: Reporter,
): { readonly first?: Phrase; readonly by: readonly OrderKeySyntax[] } | undefined {
  const [start, ...more] = pieces;
  if (!start) return { by: [] };
  const clauses = clausesOf(start, ["by"], reporter);
  const count = clauses && afterWord(clauses.head, "first");
  if (!clauses || (isEmpty(clauses.by) && isEmpty(count)) || (!count && !isEmpty(clauses.head))) {
    return unreadable(reporter, start, "`, first 2 by id` or `, by id` after the condition");
  }
  const keys = clauses.by ? [clauses.by, ...more] : more;
  return { ...(count ? { first: count } : {}), by: keys.filter((key) => key.text !== "").map(parseOrderKey) };
}

function parseOrderKey(phrase: Phrase): OrderKeySyntax {
  const direction = /\s+(ascending|descending)$/.exec(phrase.text);
  if (!direction) return { by: unquote(phrase), descending: false };
  return { by: unquote(slice(phrase, 0, direction.index)), descending: direction[1] === "descending" };
}

function parseSend(phrase: Phrase, rest: Phrase, reporter: Reporter): EffectSyntax | undefined {
  const clauses = clausesOf(rest, ["when"], reporter);
  return clauses && { kind: "send", phrase, event: unquote(clauses.head), ...whenOf(clauses) };
}

/** `a = x, b = y`. */
function parseAssignments(phrase: Phrase, reporter: Reporter): AssignmentSyntax[] | undefined {
  const assignments: AssignmentSyntax[] = [];
  for (const piece of splitOutside(unquote(phrase), ",").map(unquote)) {
    const match = /^([A-Za-z_]\w*)\s*=(?!=)\s*(?=\S)/.exec(piece.text);
    if (!match) return unreadable(reporter, piece, "`name = value`, separated by commas");
    assignments.push({
      name: slice(piece, 0, (match[1] as string).length),
      value: slice(piece, match[0].length),
    });
  }
  return assignments;
}

type Clauses<Word extends string> = { readonly head: Phrase } & { readonly [W in Word]?: Phrase };

/** Splits a phrase at words outside of brackets and quotes. `head` is the text before the first word. */
function clausesOf<Word extends string>(
  phrase: Phrase,
  words: readonly Word[],
  reporter: Reporter,
): Clauses<Word> | undefined {
  const cuts = wordsIn(phrase.text, words);
  const clauses: Record<string, Phrase> = { head: trim(slice(phrase, 0, cuts[0]?.at)) };
  for (const [index, { at, word }] of cuts.entries()) {
    const clause = trim(slice(phrase, at + word.length, cuts[index + 1]?.at));
    if (clauses[word]) return repeated(reporter, slice(phrase, at, at + word.length));
    clauses[word] = clause;
  }
  return clauses as Clauses<Word>;
}

function wordsIn<Word extends string>(text: string, words: readonly Word[]): { at: number; word: Word }[] {
  const found: { at: number; word: Word }[] = [];
  for (const at of outside(text)) {
    if (at > 0 && !/\s/.test(text.charAt(at - 1))) continue;
    const word = words.find((word) => text.startsWith(word, at) && !/\S/.test(text[at + word.length] ?? " "));
    if (word !== undefined) found.push({ at, word });
  }
  return found;
}

function whenOf(clauses: { readonly when?: Phrase }): { readonly when?: Phrase } {
  return clauses.when ? { when: clauses.when } : {};
}

function repeated(reporter: Reporter, word: Phrase): undefined {
  reporter.report("states/repeated-clause", positionIn(word), { word: word.text });
}

function unreadable(reporter: Reporter, phrase: Phrase, expected: string): undefined {
  reporter.report("states/unreadable", positionIn(phrase), { text: phrase.text, expected });
}
