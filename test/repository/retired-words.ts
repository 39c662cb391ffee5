/**
 * Retired words: private words that once replaced standard terms, each with the term to write. The
 * glossary (`docs/glossary.md`) has Ninefold's own terms.
 */

/**
 * The replacements by retired word, in lower case. A name in camel case is checked word by word.
 */
const retiredWords: Readonly<Record<string, string>> = {
  aside: "in a worker, off the thread",
  ask: "query, evaluate, request, check",
  asked: "requested, queried, evaluated, checked",
  asker: "caller, client",
  asking: "requesting, querying, evaluating",
  asks: "queries, evaluates, requests, checks",
  begun: "started, opened",
  beside: "next to, in addition to, alongside",
  came: "received, arrived",
  complain: "report, print an error",
  complains: "reports, prints an error",
  foretold: "predicted, expected",
  hoped: "speculative",
  law: "rule of an author, invariant of the code, constraint of a store",
  laws: "rules of an author, invariants of the code, constraints of a store",
  letters: "case mapping, characters",
  nobody: "no caller, no one",
  passenger: "queued statement",
  rehearsal: "dry run",
  rehearse: "dry-run",
  scene: "evaluation context",
  scenes: "evaluation contexts",
  spoken: "negotiated",
  tell: "report, describe, serialize, distinguish",
  telling: "reporting, describing",
  tells: "reports, describes",
  told: "reported, described, received",
  whoever: "the caller, the operator, the client",
  wish: "option, request, candidate, preferred name",
  wishes: "options",
  witness: "observer",
};

/** The replacements of phrases in comments and prose. */
const retiredPhrases: Readonly<Record<string, string>> = {
  "has ended": "finished, closed",
  "is gone": "was deleted, no longer exists",
  "are gone": "were deleted, no longer exist",
  "knows of": "has, depends on",
  "lets in": "allows",
  "lets through": "allows",
  "puts in the place of": "replaces",
  "in the place of": "instead of",
};

export interface RetiredWord {
  readonly word: string;
  /** The line number, from 1. */
  readonly line: number;
  readonly text: string;
}

/** Returns each retired word in a text. */
export function retiredIn(text: string): readonly RetiredWord[] {
  const found: RetiredWord[] = [];
  for (const [at, line] of text.split("\n").entries()) {
    const add = (word: string) => found.push({ word, line: at + 1, text: line });
    for (const [name] of line.matchAll(/[A-Za-z]+/g))
      for (const part of name.split(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/)) {
        const word = part.toLowerCase();
        if (Object.hasOwn(retiredWords, word)) add(word);
      }
    for (const phrase of Object.keys(retiredPhrases))
      if (new RegExp(`\\b${phrase}\\b`, "i").test(line)) add(phrase);
  }
  return found;
}

/** Returns the replacement of a retired word. */
export function insteadOf(word: string): string {
  return retiredWords[word] ?? retiredPhrases[word] ?? "";
}
