/** `ninefold sandbox`: drives a sandbox that runs (`ninefold serve FILE --sandbox`) from a shell, through its operations API. */
import { nearest } from "../../support/nearest.ts";
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes, WrongUsage } from "../command.ts";
import { createClient, defaultOperations, Refused } from "../sandbox/client.ts";
import { verbs } from "../sandbox/verbs.ts";

const usage = `Usage: ninefold sandbox status
       ninefold sandbox reset [--without-seed]
       ninefold sandbox seed [SEED.md] [--scenario NAME]
       ninefold sandbox add 'RESOURCE with FIELD = EXPRESSION, … as NAME' [--events]
       ninefold sandbox list RESOURCE [--limit 100]
       ninefold sandbox snapshot NAME | snapshots | restore NAME | forget NAME
       ninefold sandbox clock [--advance "14 days" | --now TIME] [--stop | --run]
       ninefold sandbox events [--after SEQUENCE] [--type TYPE] [--limit 100]
       ninefold sandbox requests [--limit 100]
       ninefold sandbox spaces | remove NAME | remove --all

Drives a sandbox that runs: \`ninefold serve FILE --sandbox\`. Each works in one data space.

  --space NAME      the data space; without it: the one of requests that name none
  --operations URL  where the sandbox is operated; without it: the environment variable
                    NINEFOLD_OPERATIONS, or ${defaultOperations}
  --json            what the operations API answers, as it is

Exit codes: 0 done · 1 the sandbox said no · 2 wrong usage · 3 no sandbox answers

Example: ninefold sandbox clock --advance "14 days"
`;

const common = {
  space: { type: "string" },
  operations: { type: "string" },
  json: { type: "boolean" },
} as const;

export const sandboxCommand: Command = {
  name: "sandbox",
  summary: "drive a sandbox that runs: reset, snapshots, clock, data spaces",
  usage,
  async run(args, terminal) {
    const [word = "", ...rest] = args;
    const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
    if (!verb) {
      const known = Object.keys(verbs);
      const meant = nearest(word, known);
      throw new WrongUsage(
        word === ""
          ? `Say what to do: ${known.join(", ")}.`
          : `There is no "${word}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`,
      );
    }
    const { values, positionals } = readArguments(rest, {
      options: { ...verb.options, ...common },
      positionals: verb.positionals,
    });
    const given = { positionals, values: values as Readonly<Record<string, string | boolean | undefined>> };
    const { operations, space } = given.values;
    const asked = await verb.asks(given);
    const client = createClient(
      typeof operations === "string"
        ? operations
        : terminal.environment["NINEFOLD_OPERATIONS"] || defaultOperations,
      typeof space === "string" ? space : undefined,
    );
    try {
      const answer = await client.ask(asked);
      terminal.write(given.values["json"] ? `${JSON.stringify(answer, null, 2)}\n` : verb.tells(answer));
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      terminal.complain(`ninefold sandbox: ${error.message}\n`);
      return exitCodes.failed;
    }
  },
};
