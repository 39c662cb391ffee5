/** `ninefold learn`: answers a document's open questions from recorded traffic. */
import { realpath } from "node:fs/promises";
import { formatText } from "../../diagnostics/formats/text.ts";
import {
  type RecordedEntry,
  recordedEntries,
  secretsOfEntries,
} from "../../inputs/recordings/har-exchanges.ts";
import { createSource } from "../../source/source.ts";
import { accept, AnswerRefused } from "../../worklist/accept.ts";
import { learnedWorkList } from "../../worklist/learn/learn.ts";
import { DocumentRejected } from "../../worklist/worklist.ts";
import { secretLines } from "../import/secret-lines.ts";
import { acceptedText, formatQuestions, questionsJson } from "../questions/questions-text.ts";
import { readArguments } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, WrongUsage } from "../command.ts";
import { writeWhole } from "../export/out-file.ts";
import { readDocument, readText } from "../read-document.ts";

const usage = `Usage: ninefold learn FILE --har RECORDING [--all | --json]
       ninefold learn FILE --har RECORDING --accept WHAT[,WHAT…]

Lists what recorded traffic shows of a document's open questions: how identifiers are made, times and defaults of
fields, orders, filters, bounds of pages, statuses, responses, states. Each proposal names the requests that show it,
and what they refute. \`likely\` needs evidence for and against (a refusal as well as a success), else it is
\`possible\`. Values of the recording are compared; secrets are never written, and their places are listed.

  --har RECORDING
                 requests with their responses, in HAR, as a browser or a proxy saves them
  --all          every place, instead of the first ones
  --json         one JSON object: of each question id, kind, level, opens, lines, evidence
  --accept WHAT  writes proposals into the document: numbers of the list (3,5), a kind (seen-order), one place
                 ("seen-order:GET /pets"), or all that are \`likely\` or \`possible\`

Nothing is written without --accept. An answer is written whole or not at all.

Exit codes: 0 done · 1 the document has mistakes, or an answer would be one · 2 wrong usage
            3 a file can't be read or written

Example: ninefold learn api.md --har traffic.har
`;

const questionsMax = 24;
const recordingBytesMax = 64 * 1024 * 1024;

export const learnCommand: Command = {
  name: "learn",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        har: { type: "string" },
        all: { type: "boolean" },
        json: { type: "boolean" },
        accept: { type: "string" },
      },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    const { har, all = false, json = false } = values;
    if (har === undefined) throw new WrongUsage("--har is missing. Name a recording: --har traffic.har.");
    if ([all, json, values.accept !== undefined].filter(Boolean).length > 1)
      throw new WrongUsage("--all, --json and --accept can't be combined.");
    const text = await readDocument(file);
    const recording = await readText(har, recordingBytesMax);
    try {
      const entries = recordedEntries(har, recording);
      if (values.accept !== undefined) {
        const names = values.accept.split(",").flatMap((name) => name.trim() || []);
        const accepted = accept(file, text, names, (name, current) =>
          learnedWorkList(name, current, entries),
        );
        await writeWhole(await realpath(file), accepted.text);
        terminal.printError(acceptedText(accepted) + unwritten(entries));
        return exitCodes.ok;
      }
      const list = learnedWorkList(file, text, entries);
      if (json) terminal.write(`${JSON.stringify(questionsJson(list), null, 2)}\n`);
      else if (list.questions.length === 0)
        terminal.write(`The ${entries.length} requests answer no open question of ${file}.\n`);
      else terminal.write(formatQuestions(list, { colour: terminal.colour, all, questionsMax }));
      terminal.printError(unwritten(entries));
      return exitCodes.ok;
    } catch (error) {
      if (error instanceof DocumentRejected) {
        const source = createSource(file, text);
        terminal.printError(
          formatText(error.diagnostics, source, { colour: terminal.errorsInColour === true }),
        );
        return exitCodes.failed;
      }
      if (error instanceof AnswerRefused) throw new CommandFailed(`${error.message} Nothing is written.`);
      throw error;
    }
  },
};

/** The secrets of the recording. A caller is known by them, and no answer has one. */
function unwritten(entries: readonly RecordedEntry[]): string {
  return secretLines(secretsOfEntries(entries), "compared, and never written");
}
