/** Help of one option: its lines in the help text of every command that has it. */
import { commands } from "./commands/index.ts";

/** Options by name, without dashes, with their lines per command. */
export type OptionHelp = ReadonlyMap<string, readonly CommandOption[]>;

interface CommandOption {
  readonly command: string;
  /** From the option to the end of its description. */
  readonly lines: readonly string[];
}

/** Reads the help texts of all commands. */
export async function optionHelp(): Promise<OptionHelp> {
  const found = new Map<string, CommandOption[]>();
  for (const { name: command, load } of commands) {
    const { usage } = await load();
    for (const { names, lines } of optionsIn(usage))
      for (const name of names) found.set(name, [...(found.get(name) ?? []), { command, lines }]);
  }
  return found;
}

/** `--trust-proxy`, `trust-proxy` and `NINEFOLD_TRUST_PROXY` are one option. */
function optionName(word: string): string {
  const variable = /^NINEFOLD_([A-Z_]+)$/.exec(word.trim())?.[1];
  return variable === undefined
    ? word.trim().replace(/^-+/, "").toLowerCase()
    : variable.toLowerCase().replaceAll("_", "-");
}

/** What the commands' help says about an option; undefined if no command has it. */
export function optionText(help: OptionHelp, word: string): string | undefined {
  const found = help.get(optionName(word));
  return found
    ?.map(({ command, lines }) => `ninefold ${command}\n\n${lines.map((line) => `  ${line}\n`).join("")}`)
    .join("\n");
}

function optionsIn(usage: string) {
  const found: { readonly names: readonly string[]; readonly lines: string[] }[] = [];
  let depth = 0;
  for (const line of usage.split("\n")) {
    const indent = line.length - line.trimStart().length;
    const last = found.at(-1);
    if (/^ +-{1,2}[a-z]/.test(line)) {
      const [head = ""] = line.trim().split(/ {2,}/);
      depth = indent;
      found.push({
        names: [...head.matchAll(/--([a-z][a-z-]*)/g)].map(([, name = ""]) => name),
        lines: [line.trim()],
      });
    } else if (last && indent > depth) last.lines.push(line.slice(depth));
    // Any other line ends the description.
    else depth = Number.POSITIVE_INFINITY;
  }
  return found;
}
