/** `ninefold new`: creates a form to fill in, or a complete example. */
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readArguments, unknownWord } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { emptyDocument, nameFromFile } from "../empty-document.ts";
import { exampleFiles, exampleNames, ownPage } from "../../manual/own-pages.ts";
import { promptForAnswers, readAnswers } from "../initial-answers.ts";
import { writeErrorOf } from "../read-file.ts";

const usage = `Usage: ninefold new [FILE] [--purpose TEXT] [--resource NAME] [--callers WHO] [--bare] [--agents]
       ninefold new [FILE] --example NAME [--agents]

Writes a document with all nine parts and all 26 items, for you to fill in, with a line that says what to
write there. On a terminal it prompts for three answers first; Enter leaves one open. What you answer is
written, everything else is \`not shown\`. Without FILE the document goes to standard output. An existing
file is never overwritten.

  --purpose TEXT   what the service is for, in one sentence
  --resource NAME  its first resource: Booking
  --callers WHO    who calls it: anyone, programs (with an API key) or people (who sign in)
  --bare           no question, and no line that says what to write
  --example NAME   a whole service instead, with its seed and handlers: helpdesk, parcel-desk, conduit …
  --agents         also writes AGENTS.md next to FILE: how an agent works with the document

Exit codes: 0 written · 2 wrong usage · 3 the file exists already, or can't be written

Example: ninefold new parcel-desk.md
         ninefold new helpdesk.md --example helpdesk
`;

export const newCommand: Command = {
  name: "new",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        purpose: { type: "string" },
        resource: { type: "string" },
        callers: { type: "string" },
        bare: { type: "boolean" },
        example: { type: "string" },
        agents: { type: "boolean" },
      },
      positionals: ["[FILE]"],
    });
    const [file] = positionals;
    const { bare = false, example, agents = false } = values;
    const given = readAnswers(values);
    if (example !== undefined && (bare || Object.keys(given).length > 0))
      throw new WrongUsage("--example can't be combined with the other options.");
    if (example !== undefined && !exampleNames().includes(example))
      throw unknownWord("example", example, exampleNames());
    if (agents && file === undefined) throw new WrongUsage("--agents requires FILE.");
    const name = file === undefined ? "Unnamed Service" : nameFromFile(file);
    if (file !== undefined && existsSync(file)) throw writeErrorOf(file, { code: "EEXIST" });
    const isInteractive =
      file !== undefined && !bare && example === undefined && Object.keys(given).length === 0;
    const answers =
      isInteractive && terminal.prompt ? await promptForAnswers(terminal.prompt, terminal.printError) : given;
    const text =
      example === undefined
        ? emptyDocument(name, { explains: !bare, answers })
        : ownPage(`examples/${example}.md`);
    if (file === undefined) {
      terminal.write(text);
      return exitCodes.ok;
    }
    const further = example === undefined ? [] : companionsOf(example, file);
    if (agents)
      further.push({
        path: join(dirname(file), "AGENTS.md"),
        text: agentInstructions(basename(file)),
      });
    for (const { path } of further) if (existsSync(path)) throw writeErrorOf(path, { code: "EEXIST" });
    await written(file, text);
    for (const newFile of further) await written(newFile.path, newFile.text);
    const seed = further.find(({ path }) => path.endsWith(".seed.md"));
    const seeded = seed ? ` --seed ${seed.path}` : "";
    terminal.write(
      example === undefined
        ? `Wrote ${file}: nine parts, 26 items, ${Object.keys(answers).length === 0 ? "none of them stated yet" : "the rest of them not stated yet"}. \`ninefold check ${file}\` lists what is still open, and \`ninefold serve ${file} --watch --open\` runs it.\n`
        : `Wrote ${[file, ...further.map(({ path }) => path)].join(", ")}. \`ninefold serve ${file}${seeded} --watch\` runs it, and \`ninefold test ${file}\` its scenarios.\n`,
    );
    return exitCodes.ok;
  },
};

interface NewFile {
  readonly path: string;
  readonly text: string;
}

/** The seed and the handlers of an example, under the name of the new document. */
function companionsOf(example: string, file: string): NewFile[] {
  const stem = file.replace(/\.md$/, "");
  return exampleFiles(example).map(([ending, text]) => ({
    path: `${stem}${ending}`,
    text: text
      .replaceAll(`./${example}.types.ts`, `./${basename(stem)}.types.ts`)
      .replaceAll(`${example}.md`, basename(file)),
  }));
}

/** @throws CliError */
async function written(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, { flag: "wx" });
  } catch (error) {
    throw writeErrorOf(file, error);
  }
}

/** The package's skill without its front matter, adapted to this document. */
function agentInstructions(file: string): string {
  return ownPage("skills/ninefold/SKILL.md")
    .replace(/^---\n[\s\S]*?\n---\n\n/, "")
    .replaceAll("service.seed.md", file.replace(/\.md$/, ".seed.md"))
    .replaceAll("service.md", file);
}
