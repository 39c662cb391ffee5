/**
 * `ninefold explain`: the page of a diagnostic, or the entries of glossary and reference for an
 * item, a rule, a type, a function or a word.
 */
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { explanationInDocument } from "../explanations/in-document.ts";
import { readDocument } from "../read-document.ts";
import { explanationOf, suggestionsFor } from "../../manual/explanation.ts";
import { optionHelp, optionText } from "../option-help.ts";

const usage = `Usage: ninefold explain [FILE.md] CODE|WORD…

Explains a diagnostic (CODE, as \`check\` prints it), an item, a rule, a type, a function, a name in
expressions, an option of a command, or a word that is common elsewhere: login, enum, cron, deploy.
With FILE.md, it also prints what that document says of a resource or under a heading.

Exit codes: 0 printed · 1 the word is unknown · 2 wrong usage · 3 the file can't be read

Example: ninefold explain endpoints/unknown-item
         ninefold explain Idempotency
         ninefold explain rate limit
         ninefold explain trust-proxy
         ninefold explain parcels.md list Parcel
`;

export const explainCommand: Command = {
  name: "explain",
  usage,
  async run(args, terminal) {
    // An option may be written with its dashes.
    const given = args.map((arg) => arg.replace(/^--(?=[a-z])/, ""));
    const { positionals } = readArguments(given, { options: {}, positionals: ["CODE|WORD…"] });
    const hasFile = positionals.length > 1 && positionals[0]?.endsWith(".md");
    const [file, ...words] = hasFile ? positionals : [undefined, ...positionals];
    const word = words.join(" ");
    const own = file !== undefined ? explanationInDocument(file, await readDocument(file), word) : undefined;
    const options = await optionHelp();
    const option = optionText(options, word);
    const isOption = args.some((arg) => /^--[a-z]|^NINEFOLD_/.test(arg));
    const explanation = isOption ? (option ?? explanationOf(word)) : (explanationOf(word) ?? option);
    // A resource is explained by the document alone, an operation by the notation, too.
    const texts = own !== undefined && words.length === 1 ? [own] : [own, explanation];
    if (texts.some((text) => text !== undefined)) {
      terminal.write(texts.filter((text) => text !== undefined).join("\n"));
      return exitCodes.ok;
    }
    const known = suggestionsFor(word, [...options.keys()]);
    terminal.printError(`ninefold explain: Unknown word "${word}". ${hintFrom(known)}\n`);
    return exitCodes.failed;
  },
};

/** Maximum number of suggestions in one sentence; more are printed as a list. */
const inOneSentenceMax = 3;

function hintFrom(words: readonly string[]): string {
  if (words.length === 0) return "`ninefold help` lists the pages.";
  if (words.length > inOneSentenceMax) return `The codes of this part are:\n  ${words.join("\n  ")}`;
  const commands = words.map((word) => `\`ninefold explain ${word.includes(" ") ? `"${word}"` : word}\``);
  const [last = "", ...before] = commands.reverse();
  return `Did you mean ${before.length === 0 ? last : `${before.reverse().join(", ")} or ${last}`}?`;
}
