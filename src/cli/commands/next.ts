/** `ninefold next`: the open questions of a document, and answers to them. */
import { realpath } from "node:fs/promises";
import { formatText } from "../../diagnostics/formats/text.ts";
import { createSource } from "../../source/source.ts";
import { accept, type Accepted, answerByHand, AnswerRefused } from "../../worklist/accept.ts";
import { answerKinds } from "../../worklist/document/answers.ts";
import { addRejections } from "../../worklist/document/rejections.ts";
import { DocumentRejected, workListOf } from "../../worklist/worklist.ts";
import { acceptedText, formatQuestions, questionsJson } from "../questions/questions-text.ts";
import { namesIn, readArguments, unknownWord } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, WrongArguments, WrongUsage } from "../command.ts";
import { writeWhole } from "../export/out-file.ts";
import { readDocument } from "../read-document.ts";
import { readStandardInput } from "../read-standard-input.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold next FILE|- [--all | --json]
       ninefold next FILE --accept WHAT[,WHAT…]
       ninefold next FILE --set QUESTION TEXT
       ninefold next FILE --reject KIND[,KIND…]

Lists the open questions of a document. The first ones let the most endpoints respond. Each has the lines to write,
and their place. The document itself suggests proposals: \`likely\` if every proposal of its kind was right in the
documents that were measured, else \`possible\`. FILE is - for standard input.

  --all          every question with all its places, instead of the first 12
  --json         one JSON object: of each question id, kind, level, opens, lines, evidence
  --accept WHAT  writes proposals into the document: numbers of the list (3,5), a kind (list), one place
                 ("list:GET /pets"), or all that are \`likely\` or \`possible\`
  --set QUESTION TEXT
                 writes an answer: \`identifiers\` for how all identifiers without a proposal are made,
                 \`identifiers:RESOURCE\` for one, \`fields\` or \`fields:RESOURCE\` for the rules of fields that the
                 service fills (\`nullable\`: they are null). Of a single \`not shown\`, what it is about:
                 \`Pet.name\`, an input (\`"GET /pets kind"\`), an item (\`"GET /pets Order"\`, \`Scheme\`) or \`line:N\`
  --reject KIND  proposes answers of this kind no more; a comment of the document keeps it

An answer is written whole or not at all. \`check\` accepts the document with it, and the document is in canonical form.

Exit codes: 0 done · 1 the document has mistakes, or an answer would be one · 2 wrong usage
            3 the file can't be read or written

Example: ninefold next api.md --accept likely
         ninefold next api.md --set identifiers 'random(12)'
`;

/** Maximum number of questions that are listed without `--all`. */
const questionsMax = 12;

export const nextCommand: Command = {
  name: "next",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        all: { type: "boolean" },
        json: { type: "boolean" },
        accept: { type: "string", multiple: true },
        set: { type: "string" },
        reject: { type: "string", multiple: true },
      },
      positionals: ["FILE|-", "[TEXT]"],
    });
    const [file = "", answer] = positionals;
    const { all = false, json = false, set } = values;
    const [accepted, rejected] = [values.accept, values.reject].map((option) => option && namesIn(option));
    const changes = [accepted, rejected, set].filter((option) => option !== undefined);
    if (changes.length > 1) throw new WrongUsage("--accept, --set and --reject can't be combined.");
    if (all && json) throw new WrongUsage("--all and --json can't be combined.");
    if (changes.length > 0 && (all || json))
      throw new WrongUsage("--all and --json can't be combined with --accept, --set and --reject.");
    if (changes.length > 0 && file === "-")
      throw new WrongUsage("--accept, --set and --reject take a file, not standard input.");
    if (set !== undefined && answer === undefined)
      throw new WrongUsage("--set needs an answer after it: --set identifiers 'random(12)'.");
    if (set === undefined && answer !== undefined)
      throw new WrongArguments(`Unexpected argument "${answer}".`);
    const unknown = (rejected ?? []).find((kind) => !Object.hasOwn(answerKinds, kind));
    if (unknown !== undefined) throw unknownWord("kind", unknown, Object.keys(answerKinds));
    const name = file === "-" ? "<stdin>" : file;
    const text = file === "-" ? await readStandardInput() : await readDocument(file);
    try {
      if (rejected) return await rewrite(file, addRejections(text, rejected));
      if (accepted) return await answered(file, accept(name, text, accepted), terminal);
      if (set !== undefined)
        return await answered(file, answerByHand(name, text, set, answer ?? ""), terminal);
      const list = workListOf(name, text);
      if (json) terminal.write(`${JSON.stringify(questionsJson(list), null, 2)}\n`);
      else terminal.write(formatQuestions(list, { colour: terminal.colour, all, questionsMax }));
      return exitCodes.ok;
    } catch (error) {
      if (error instanceof DocumentRejected) {
        const source = createSource(name, text);
        terminal.printError(
          formatText(error.diagnostics, source, { colour: terminal.errorsInColour === true }),
        );
        return exitCodes.failed;
      }
      throw error instanceof AnswerRefused
        ? new CommandFailed(`${error.message} Nothing is written.`)
        : error;
    }
  },
};

async function rewrite(file: string, text: string): Promise<number> {
  await writeWhole(await realpath(file), text);
  return exitCodes.ok;
}

async function answered(file: string, accepted: Accepted, terminal: Terminal): Promise<number> {
  await writeWhole(await realpath(file), accepted.text);
  terminal.printError(acceptedText(accepted));
  return exitCodes.ok;
}
