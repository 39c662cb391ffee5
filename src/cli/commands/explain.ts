/** `ninefold explain`: the page of a diagnostic, or what the reference says of an item, a rule, a type, a function or a name. */
import { codes } from "../../diagnostics/codes/index.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { foundText, nearestWord, placesOf } from "../explaining.ts";
import { ownPage } from "../own-pages.ts";

const usage = `Usage: ninefold explain CODE|WORD

Prints what there is to know of a diagnostic (CODE, as \`check\` tells it), or what the reference says of
an item, a rule, a type, a function or a name that stands in expressions.

Exit codes: 0 told · 1 nothing is known of it · 2 wrong usage

Example: ninefold explain endpoints/unknown-item
         ninefold explain Idempotency
         ninefold explain random
`;

export const explainCommand: Command = {
  name: "explain",
  usage,
  async run(args, terminal) {
    const { positionals } = readArguments(args, { options: {}, positionals: ["CODE|WORD"] });
    const [word = ""] = positionals;
    if (Object.hasOwn(codes, word)) {
      terminal.write(withoutLinks(ownPage(`docs/diagnostics/${word}.md`)));
      return exitCodes.ok;
    }
    const reference = ownPage("docs/notation.md");
    const found = placesOf(word, reference);
    if (found.length > 0) {
      terminal.write(`${found.map(foundText).join("\n")}`);
      return exitCodes.ok;
    }
    const meant = nearestWord(word, reference, Object.keys(codes));
    const hint = meant === undefined ? "" : ` Did you mean \`ninefold explain ${meant}\`?`;
    terminal.complain(`ninefold explain: nothing is known of "${word}".${hint}\n`);
    return exitCodes.failed;
  },
};

/** The last line leads to other pages, which a terminal can't. */
function withoutLinks(page: string): string {
  return `${page.replace(/\n\[All diagnostics\][^\n]*\n$/, "").trimEnd()}\n`;
}
