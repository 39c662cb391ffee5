/**
 * `ninefold completion`: a script by which a shell completes commands, their options and files.
 * Made from the help texts of the commands.
 */
import { readArguments, unknownArgument } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { commands } from "./index.ts";

const usage = `Usage: ninefold completion bash|zsh|fish

Prints a script by which the shell completes commands, options and files.

  bash   eval "$(ninefold completion bash)" in ~/.bashrc
  zsh    eval "$(ninefold completion zsh)" in ~/.zshrc, after compinit
  fish   ninefold completion fish > ~/.config/fish/completions/ninefold.fish

Exit codes: 0 printed · 2 wrong usage

Example: ninefold completion bash
`;

interface Known {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly string[];
}

export const completionCommand: Command = {
  name: "completion",
  usage,
  async run(args, terminal) {
    const { positionals } = readArguments(args, { options: {}, positionals: ["SHELL"] });
    const write = shells[positionals[0] ?? ""];
    if (!write) throw unknownArgument("shell", positionals[0] ?? "", Object.keys(shells));
    terminal.write(write(await known()));
    return exitCodes.ok;
  },
};

async function known(): Promise<readonly Known[]> {
  return Promise.all(
    commands.map(async ({ name, summary, load }) => {
      const { usage: text } = await load();
      const options = new Set([...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)].map(([option]) => option));
      return { name, summary, options: [...options, "--help"].toSorted() };
    }),
  );
}

const shells: Readonly<Record<string, (all: readonly Known[]) => string>> = {
  bash: bashScript,
  zsh: (all) => `autoload -U +X bashcompinit && bashcompinit\n${bashScript(all)}`,
  fish: fishScript,
};

function bashScript(all: readonly Known[]): string {
  const cases = all.map(({ name, options }) => `    ${name}) words="${options.join(" ")}" ;;`);
  return `_ninefold() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${[...all.map(({ name }) => name), "help", "--help", "--version"].join(" ")}" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
${cases.join("\n")}
    help) words="${all.map(({ name }) => name).join(" ")}" ;;
  esac
  case "$word" in
    -*) COMPREPLY=($(compgen -W "$words" -- "$word")) ;;
    *) COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _ninefold ninefold
`;
}

function fishScript(all: readonly Known[]): string {
  const lines = all.flatMap(({ name, summary, options }) => [
    `complete -c ninefold -n __fish_use_subcommand -f -a ${name} -d '${summary.replaceAll("'", "\\'")}'`,
    ...options.map(
      (option) => `complete -c ninefold -n '__fish_seen_subcommand_from ${name}' -l ${option.slice(2)}`,
    ),
  ]);
  return `${lines.join("\n")}\n`;
}
