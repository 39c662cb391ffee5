/**
 * `ninefold sandbox`: controls a running sandbox (`ninefold serve FILE --sandbox`) from a shell,
 * through its operations API.
 */
import type { ParseArgsOptionsConfig } from "node:util";
import { readArguments, unknownArgument } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, WrongArguments } from "../command.ts";
import { createClient, defaultOperations, Refused } from "../operations/client.ts";
import { type Verb, verbs } from "../sandbox/verbs.ts";

const usage = `Usage: ninefold sandbox status
       ninefold sandbox reset [--without-seed]
       ninefold sandbox seed [SEED.md] [--scenario NAME]
       ninefold sandbox add 'RESOURCE with FIELD = EXPRESSION, … as NAME' [--events]
       ninefold sandbox list RESOURCE [--limit 100]
       ninefold sandbox snapshot NAME | snapshots | restore NAME | forget NAME
       ninefold sandbox clock [--advance "14 days" | --now TIME] [--stop | --run]
       ninefold sandbox events [--after SEQUENCE] [--type TYPE] [--limit 100]
       ninefold sandbox requests [--limit 100]
       ninefold sandbox deliveries [--id ID] [--event ID] [--state dead] [--resource R --receiver ID] [--limit 100]
       ninefold sandbox pause | resume [--resource R --receiver ID]
       ninefold sandbox redeliver --id ID | --event ID | --state dead | --resource R --receiver ID | --from TIME --until TIME
       ninefold sandbox enable --resource R --receiver ID
       ninefold sandbox fault [--endpoint "POST /parcels"] [--caller ID] [--webhook TYPE]
         [--times 1 | --always] [--skip N] [--delay "2 seconds"] [--after-work]
         --status 503 [--body TEXT] | --error "rate limited" | --connection reset|cut|hang
         | --deliver "twice"|"after the next"
       ninefold sandbox faults | heal [NUMBER]
       ninefold sandbox spaces | remove NAME | remove --all

Controls a running sandbox (see \`ninefold serve\`). Each command works in one data space.

  --space NAME      the data space; without it: the one of requests that name none
  --operations URL  the operations address of the sandbox; without it: the environment variable
                    NINEFOLD_OPERATIONS, or ${defaultOperations}. Its token is found
                    where it runs for the same user; else NINEFOLD_OPERATIONS_TOKEN
  --json            prints the response of the operations API unchanged

Exit codes: 0 done · 1 the sandbox rejected the command · 2 wrong usage · 3 no sandbox answers

Example: ninefold sandbox clock --advance "14 days"
`;

/** The options of all verbs; each verb accepts the first three and those that it lists. */
const options = {
  space: { type: "string" },
  operations: { type: "string" },
  json: { type: "boolean" },
  "without-seed": { type: "boolean" },
  scenario: { type: "string" },
  events: { type: "boolean" },
  limit: { type: "string" },
  advance: { type: "string" },
  now: { type: "string" },
  stop: { type: "boolean" },
  run: { type: "boolean" },
  after: { type: "string" },
  type: { type: "string" },
  all: { type: "boolean" },
  id: { type: "string" },
  event: { type: "string" },
  state: { type: "string" },
  resource: { type: "string" },
  receiver: { type: "string" },
  from: { type: "string" },
  until: { type: "string" },
  endpoint: { type: "string" },
  caller: { type: "string" },
  webhook: { type: "string" },
  times: { type: "string" },
  always: { type: "boolean" },
  skip: { type: "string" },
  delay: { type: "string" },
  status: { type: "string" },
  body: { type: "string" },
  error: { type: "string" },
  connection: { type: "string" },
  deliver: { type: "string" },
  "after-work": { type: "boolean" },
} as const;

export const sandboxCommand: Command = {
  name: "sandbox",
  usage,
  async run(args, terminal) {
    const [word = "", ...rest] = args;
    const verb = Object.hasOwn(verbs, word) ? verbs[word] : undefined;
    if (!verb) {
      const known = Object.keys(verbs);
      if (word === "") throw new WrongArguments(`ACTION is missing. Write one of ${known.join(", ")}.`);
      throw unknownArgument("action", word, known);
    }
    const { values, positionals } = readArguments(rest, {
      options: optionsOf(verb),
      positionals: verb.positionals,
    });
    const given = { positionals, values: values as Readonly<Record<string, string | boolean | undefined>> };
    const { operations, space } = given.values;
    const request = await verb.request(given);
    const client = createClient(
      typeof operations === "string"
        ? operations
        : terminal.environment["NINEFOLD_OPERATIONS"] || defaultOperations,
      typeof space === "string" ? space : undefined,
      terminal.environment,
    );
    try {
      const answer = await client.send(request);
      terminal.write(given.values["json"] ? `${JSON.stringify(answer, null, 2)}\n` : verb.describe(answer));
      return exitCodes.ok;
    } catch (error) {
      throw error instanceof Refused ? new CommandFailed(error.message) : error;
    }
  },
};

function optionsOf(verb: Verb): ParseArgsOptionsConfig {
  const names = ["space", "operations", "json", ...verb.options];
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}
