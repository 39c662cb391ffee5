/**
 * The command line: finds the command, prints help, and turns errors into messages and an exit
 * code.
 */
import { nearest } from "../support/nearest.ts";
import { exitCodes } from "./command.ts";
import { type CommandEntry, commands } from "./commands/index.ts";
import { errorJson, failure, requestsJson } from "./failure.ts";
import { guideNames, ownPage } from "../manual/own-pages.ts";
import { type Terminal, terminalOf } from "./terminal.ts";
import { ownVersion } from "./version.ts";

/** Runs one command line and returns its exit code. */
export async function main(args: readonly string[], terminal: Terminal): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    terminal.printError(overview());
    return exitCodes.usage;
  }
  if (first === "--help" || first === "-h") return show(terminal, overview());
  if (first === "--version" || first === "-v") return show(terminal, `${ownVersion()}\n`);
  if (first === "help") return help(rest, terminal);
  const entry = commandNamed(first);
  if (!entry) return unknownCommand(first, rest, terminal);
  const command = await entry.load();
  const requested = requestedHelp(rest);
  if (requested === "-h") return show(terminal, command.shortUsage ?? command.usage);
  if (requested !== undefined) return show(terminal, command.usage);
  try {
    return await command.run(rest, terminal);
  } catch (error) {
    return failure(error, { command, args: rest }, terminal);
  }
}

/** Runs the command line of this process. */
export async function run(): Promise<void> {
  // A reader of the output may close it early (`| head`); that is no failure.
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit(exitCodes.ok);
    throw error;
  });
  // If the reader of standard error has closed it, a service continues: the reader of its log may
  // have ended first.
  process.stderr.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });
  process.exitCode = await main(process.argv.slice(2), terminalOf(process));
}

function commandNamed(name: string): CommandEntry | undefined {
  return commands.find((command) => command.name === name);
}

/** The `--help` or `-h` among the arguments before `--`. */
function requestedHelp(args: readonly string[]): string | undefined {
  const end = args.indexOf("--");
  const before = args.slice(0, end === -1 ? undefined : end);
  return ["--help", "-h"].find((option) => before.includes(option));
}

/** Pages of this package by topic: `docs/guides/webhooks.md`. */
const pages: readonly (readonly [topic: string, path: string])[] = [
  ["card", "docs/card.md"],
  ["agents", "skills/ninefold/SKILL.md"],
  ["quickstart/backend", "docs/quickstart/backend.md"],
  ["quickstart/twin", "docs/quickstart/twin.md"],
  ["quickstart/design", "docs/quickstart/design.md"],
  ["playground", "docs/playground.md"],
  ["tutorial", "docs/tutorial.md"],
  ["glossary", "docs/glossary.md"],
  ["words", "docs/words.md"],
  ["notation", "docs/notation.md"],
  ["names", "docs/names.md"],
  ["lifecycle", "docs/lifecycle.md"],
  ["engine-defaults", "docs/engine-defaults.md"],
  ["decisions", "docs/decisions.md"],
  ["compared", "docs/compared.md"],
  ["benchmarks", "docs/benchmarks.md"],
  ["changes", "CHANGELOG.md"],
];

/**
 * Help for a page, a command, a guide, or any word that `explain` knows. A command takes precedence
 * over a guide of the same name; `help guides/data` prints the guide.
 */
async function help(words: readonly string[], terminal: Terminal): Promise<number> {
  const [name, topic] = words;
  if (name === undefined) return show(terminal, `${overview()}\n${topics()}`);
  const guide = name === "guide" || name === "guides" ? topic : /^guides\/([\w-]+)$/.exec(name)?.[1];
  if (guide !== undefined && guideNames().includes(guide)) return show(terminal, guidePage(guide));
  const page = pages.find(([word]) => word === name)?.[1];
  if (page !== undefined) {
    const heading = words.slice(1).join(" ");
    if (name === "notation" && heading === "") return show(terminal, await notationList());
    return heading === "" || heading === "all"
      ? show(terminal, ownPage(page))
      : helpOnHeading(name, page, heading, terminal);
  }
  const { explanationOf, guidesOf } = await import("../manual/explanation.ts");
  const command = commandNamed(name);
  if (command) {
    const guides = guidesOf(name).map((text) => `Guide: ninefold help guides/${text}\n`);
    const { usage } = await command.load();
    return show(terminal, guides.length === 0 ? usage : `${usage}\n${guides.join("")}`);
  }
  if (guideNames().includes(name)) return show(terminal, guidePage(name));
  const explanation = explanationOf(words.join(" "));
  if (explanation !== undefined) return show(terminal, explanation);
  return unknownCommand(guide ?? name, [], terminal, [...pages.map(([word]) => word), ...guideNames()]);
}

/** The parts and headings of the reference, which is too long to be read at once. */
async function notationList(): Promise<string> {
  const { headingList } = await import("../manual/reference.ts");
  return `The notation, by parts and headings:

${headingList(ownPage("docs/notation.md")).join("\n")}

ninefold help notation 4           a part, by its number or name (\`endpoints\`)
ninefold help notation null        a heading
ninefold help notation pagination  an item, a rule, a type or a function, as \`ninefold explain\` prints it
ninefold help notation all         everything
ninefold help card                 every form once, on one page
`;
}

/** A section of a page; of the reference, also what it says of a word. */
async function helpOnHeading(
  name: string,
  page: string,
  heading: string,
  terminal: Terminal,
): Promise<number> {
  const { headingSection, nearestWords, headingTitles } = await import("../manual/reference.ts");
  const { explanationOf } = await import("../manual/explanation.ts");
  const text = ownPage(page);
  const found = headingSection(heading, text) ?? (name === "notation" ? explanationOf(heading) : undefined);
  if (found !== undefined) return show(terminal, found);
  const near = nearestWords(heading, headingTitles(text));
  const hint =
    near.length === 0
      ? `See \`ninefold help ${name}\`.`
      : `Did you mean ${near.map((title) => `"${title}"`).join(", ")}?`;
  terminal.printError(`ninefold: Unknown heading "${heading}" of ${name}. ${hint}\n`);
  return exitCodes.usage;
}

function guidePage(name: string): string {
  return ownPage(`docs/guides/${name}.md`);
}

function topics(): string {
  return `ninefold help TOPIC prints a page:
  ${pages.map(([word]) => word).join(", ")}
  guides: ${guideNames().join(", ")}

\`ninefold help notation\` lists the parts of the notation; \`ninefold help notation 4\` prints one.
\`ninefold help guides/data\` prints the guide where a command has the same name. Any other word (gap,
login, enum, rate limit) is looked up as \`ninefold explain\` does.
`;
}

function show(terminal: Terminal, text: string): number {
  terminal.write(text);
  return exitCodes.ok;
}

function unknownCommand(
  name: string,
  args: readonly string[],
  terminal: Terminal,
  topicNames: readonly string[] = [],
): number {
  const known = name.startsWith("-")
    ? ["--help", "--version"]
    : ["help", ...commands.map((command) => command.name), ...topicNames];
  const suggestion = nearest(name, known);
  const hint =
    suggestion === undefined
      ? "See `ninefold --help`."
      : `Did you mean \`ninefold ${topicNames.includes(suggestion) ? "help " : ""}${suggestion}\`?`;
  const kind = name.startsWith("-") ? "option" : topicNames.length > 0 ? "command or page" : "command";
  const message = `Unknown ${kind} "${name}".`;
  if (requestsJson(args)) terminal.write(errorJson(message, hint));
  else terminal.printError(`ninefold: ${message} ${hint}\n`);
  return exitCodes.usage;
}

function overview(): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  const list = commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`).join("\n");
  return `Ninefold checks, serves and tests an interface specification in nine parts.

Usage: ninefold <command> [arguments]

${list}

  ninefold <command> --help   how a command is called (-h: in short)
  ninefold help TOPIC         a page of the documentation, or what a word means; without TOPIC: the list
  ninefold --version          the version

Exit codes: 0 success · 1 the document or the test failed · 2 wrong usage ·
3 a file, a port or a store can't be used
`;
}
