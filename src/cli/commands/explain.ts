/**
 * `ninefold explain`: the page of a diagnostic, or the entries of glossary and reference for an
 * item, a rule, a type, a function or a word.
 */
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { explanationOf, suggestionsFor } from "../../manual/explanation.ts";

const usage = `Usage: ninefold explain CODE|WORD

Explains a diagnostic (CODE, as \`check\` prints it), an item, a rule, a type, a function, a name in
expressions, or a word that is common elsewhere: login, enum, foreign key, cron, deploy.

Exit codes: 0 printed · 1 the word is unknown · 2 wrong usage

Example: ninefold explain endpoints/unknown-item
         ninefold explain Idempotency
         ninefold explain "rate limit"
`;

export const explainCommand: Command = {
  name: "explain",
  usage,
  async run(args, terminal) {
    const { positionals } = readArguments(args, { options: {}, positionals: ["CODE|WORD"] });
    const [word = ""] = positionals;
    const explanation = explanationOf(word);
    if (explanation !== undefined) {
      terminal.write(explanation);
      return exitCodes.ok;
    }
    terminal.printError(`ninefold explain: Unknown word "${word}". ${hintFrom(suggestionsFor(word))}\n`);
    return exitCodes.failed;
  },
};

/** Most suggestions in one sentence; more are printed as a list. */
const inOneSentenceMax = 3;

function hintFrom(words: readonly string[]): string {
  if (words.length === 0) return "`ninefold help` lists the pages.";
  if (words.length > inOneSentenceMax) return `The codes of this part are:\n  ${words.join("\n  ")}`;
  const commands = words.map((word) => `\`ninefold explain ${word.includes(" ") ? `"${word}"` : word}\``);
  const [last = "", ...before] = commands.reverse();
  return `Did you mean ${before.length === 0 ? last : `${before.reverse().join(", ")} or ${last}`}?`;
}
