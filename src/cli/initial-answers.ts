/**
 * The three questions of `ninefold new`: what the service is for, its first resource, and who calls
 * it. Each may be left open. What follows from an answer is written; the rest are gaps.
 */
import { compile } from "../compile.ts";
import { nearest } from "../support/nearest.ts";
import { WrongUsage } from "./command.ts";
import { type CallerKind, callerKinds, emptyDocument, type FirstAnswers } from "./empty-document.ts";

/** Prompts for one answer on the terminal; undefined at the end of the input. */
export type Prompt = (question: string) => Promise<string | undefined>;

/** Parses the answers as typed; an empty answer leaves its question open. @throws WrongUsage */
export function readAnswers(typed: {
  readonly purpose?: string | undefined;
  readonly resource?: string | undefined;
  readonly callers?: string | undefined;
}): FirstAnswers {
  const purpose = purposeOf(typed.purpose ?? "");
  const resource = resourceOf(typed.resource ?? "");
  const callers = callersOf(typed.callers ?? "");
  const answers: FirstAnswers = {
    ...(purpose === undefined ? {} : { purpose }),
    ...(resource === undefined ? {} : { resource }),
    ...(callers === undefined ? {} : { callers }),
  };
  if (Object.keys(answers).length > 0) rejectMistakes(answers);
  return answers;
}

/** A document from these answers must check: `Request` is a fine noun, but a name in use. */
function rejectMistakes(answers: FirstAnswers): void {
  const { diagnostics } = compile(emptyDocument("Draft", { answers }), { file: "draft.md" });
  const mistake = diagnostics.find(({ kind }) => kind === "mistake");
  if (mistake) throw new WrongUsage([mistake.message, mistake.hint].filter(Boolean).join(" "));
}

const questions = [
  ["purpose", "What is the service for? (one sentence: books meeting rooms)\n> "],
  ["resource", "What is its first resource? (a noun in the singular: Booking)\n> "],
  ["callers", "Who calls it? (anyone, programs with an API key, or people who sign in)\n> "],
] as const;

/** Prompts again until each answer is valid. */
export async function promptForAnswers(
  prompt: Prompt,
  report: (text: string) => void,
): Promise<FirstAnswers> {
  let answers: FirstAnswers = {};
  for (const [name, question] of questions) {
    for (;;) {
      const text = await prompt(question);
      if (text === undefined) return answers;
      try {
        answers = { ...answers, ...readAnswers({ [name]: text }) };
        break;
      } catch (error) {
        if (!(error instanceof WrongUsage)) throw error;
        report(`${error.message}\n`);
      }
    }
  }
  return answers;
}

/** Maximum length of a purpose, in characters. */
const purposeMax = 300;

function purposeOf(text: string): string | undefined {
  const line = text.replace(/\s+/g, " ").trim().replace(/\.$/, "");
  if (line === "") return undefined;
  if (line.length > purposeMax || /[<>|`\p{Cc}]/u.test(line) || /^(?:none|not shown)$/i.test(line))
    throw new WrongUsage(
      `The purpose is one sentence of at most ${purposeMax} characters, without <, >, | and \`. Write for example "books meeting rooms".`,
    );
  return line;
}

/** Maximum number of words in the name of a resource: more are a sentence. */
const wordsMax = 4;

/** `meeting room` → `MeetingRoom`. */
function resourceOf(text: string): string | undefined {
  const words = text
    .trim()
    .split(/[\s_-]+/)
    .filter(Boolean);
  if (words.length === 0) return undefined;
  const name = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  if (words.length > wordsMax || !/^[A-Z][A-Za-z0-9]{0,59}$/.test(name))
    throw new WrongUsage(
      `"${text.trim().slice(0, 80)}" can't be the name of a resource. Write a noun in letters and digits, such as Booking.`,
    );
  return name;
}

function callersOf(text: string): CallerKind | undefined {
  const word = text.trim().toLowerCase().split(/\s+/)[0] ?? "";
  if (word === "") return undefined;
  const kind = callerKinds.find(
    (callerKind) => callerKind === word || callerKind === nearest(word, callerKinds),
  );
  if (kind === undefined)
    throw new WrongUsage(`Callers are one of ${callerKinds.join(", ")}, not "${text.trim().slice(0, 80)}".`);
  return kind;
}
