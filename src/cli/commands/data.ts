/**
 * `ninefold data`: reads and changes the records in a document's store under the document's rules,
 * whether a process serves it or not.
 */
import type { ParseArgsOptionsConfig } from "node:util";
import { databaseForm } from "../../store/index.ts";
import { readArguments, unknownArgument } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, WrongArguments } from "../command.ts";
import { copyStores } from "../copy/copy-stores.ts";
import { storePath, DocumentFailed, refuseMissingStore } from "../open-service.ts";
import { Refused } from "../operations/client.ts";
import { openRecordsClient } from "../records/records-client.ts";
import { textOf, type Verb } from "../records/verb.ts";
import { verbs } from "../records/verbs.ts";

const usage = `Usage: ninefold data list FILE RESOURCE [--where 'this.price > 500'] [--columns a,b.c] [--sort -price] [--limit 100] [--cursor C] [--deleted] [--csv]
       ninefold data show FILE RESOURCE ID [--history]
       ninefold data add FILE RESOURCE 'FIELD = EXPRESSION, …'
       ninefold data edit FILE RESOURCE ID 'FIELD = EXPRESSION, …'
       ninefold data remove FILE RESOURCE ID [--plan]
       ninefold data run FILE RESOURCE ID TRANSITION ['{"input": …}']
       ninefold data erase FILE RESOURCE ID --plan|--apply [--clear|--remove]
       ninefold data export FILE RESOURCE [--where 'this.price > 500'] [--out PATH | --csv] [--null NULL]
       ninefold data import FILE RESOURCE PATH [--mode add|upsert|replace] [--keep-going] [--null NULL] [--no-events]
       ninefold data copy FROM TO [--json]

Works on the records in a document's store, under the document's own rules: through the process that
serves it, at its operations address, or on the file if no process serves it. Secrets are shown
once, when they are created. Write an ID of several fields with slashes between them.

copy takes two stores, files or ${databaseForm}. It
copies all of FROM into TO, which must not exist: records, events, deliveries, timers, secrets and
kept responses. Neither may be served meanwhile. After an interruption the same command continues. TO
can be served once both were read again and are the same.

  --store PATH   the store's file; without it: the file in the document's folder, with its name
  --json         JSON instead of text
  --where EXPR   only records that meet this condition in the notation; \`this\` is the record
  --columns A,B  only these fields, as a table; parts as address.city
  --sort FIELD   sorts by this field; -FIELD in descending order (default: newest first)
  --limit N      the maximum number of records
  --cursor C     continues after the last record: the cursor that the previous list printed
  --deleted      also records that are marked as deleted
  --csv          comma-separated values (RFC 4180) instead of text
  --history      also its history, newest first
  --plan         a dry run: prints what would be deleted with it
  --apply        erases it permanently, with all that belongs to it: also its data in events,
                 deliveries and kept responses, and in the store's files
  --clear        if \`on delete\` prevents it: clears the references to it
  --remove       if \`on delete\` prevents it: also erases the records that refer to it
  -o, --out PATH the file to write: .jsonl (a JSON object a line) or .csv; without it, the terminal
  --null WORD    the word for null in CSV; an empty cell is a field that is not sent
  --mode MODE    add: all records are new · upsert: records with a known identifier are changed ·
                 replace: like upsert, but clears fields that a line leaves out (default: add)
  --keep-going   stores the valid lines, 1,000 in a commit, and writes the others to
                 PATH.refused.jsonl; after an interruption it continues (default: all or nothing)
  --no-events    sends no events and no webhooks

Exit codes: 0 done · 1 rejected by the document's rules · 2 wrong usage · 3 the file or the store can't be used

Example: ninefold data add examples/parcel-desk.md Shop 'name = "Ada & Co"'
`;

const options = {
  store: { type: "string" },
  json: { type: "boolean" },
  where: { type: "string" },
  columns: { type: "string" },
  sort: { type: "string" },
  limit: { type: "string" },
  cursor: { type: "string" },
  deleted: { type: "boolean" },
  csv: { type: "boolean" },
  history: { type: "boolean" },
  plan: { type: "boolean" },
  apply: { type: "boolean" },
  clear: { type: "boolean" },
  remove: { type: "boolean" },
  out: { type: "string", short: "o" },
  null: { type: "string" },
  mode: { type: "string" },
  "keep-going": { type: "boolean" },
  "no-events": { type: "boolean" },
} as const;

export const dataCommand: Command = {
  name: "data",
  usage,
  async run(args, terminal) {
    const [word, ...rest] = args;
    if (word === "copy") return copyStores(rest, terminal);
    const verb = verbNamed(word);
    const { values, positionals } = readArguments(rest, {
      options: optionsOf(verb),
      positionals: ["FILE", ...verb.positionals],
    });
    const [file = "", ...restArguments] = positionals;
    const given = {
      positionals: restArguments,
      values: values as Readonly<Record<string, string | boolean | undefined>>,
    };
    const store = storePath(textOf(given, "store"), file, terminal);
    try {
      if (!verb.createsStore) await refuseMissingStore(store);
      const client = await openRecordsClient(file, store, terminal);
      try {
        await verb.run(client, given, terminal);
      } finally {
        await client.close();
      }
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof DocumentFailed || error instanceof Refused)) throw error;
      throw new CommandFailed(inWords(error, verb));
    }
  },
};

/** @throws WrongUsage */
function verbNamed(word: string | undefined): Verb {
  const found = word !== undefined && Object.hasOwn(verbs, word) ? verbs[word] : undefined;
  if (found) return found;
  const known = [...Object.keys(verbs), "copy"];
  if (word === undefined) throw new WrongArguments(`ACTION is missing. Write one of ${known.join(", ")}.`);
  throw unknownArgument("action", word, known);
}

function optionsOf(verb: Verb): ParseArgsOptionsConfig {
  const names = ["store", "json", ...verb.options];
  return Object.fromEntries(Object.entries(options).filter(([name]) => names.includes(name)));
}

/** A record from the command line is one line, so its message needs no line number. */
function inWords(error: Error, { changes }: Verb): string {
  const detail = error instanceof Refused ? [error.detail, ...error.hints].join(" ") : error.message;
  const cause = detail.replace(/^Line 1: /, "").replace(/ Nothing was (?:stored|changed)\.$/, "");
  const sentence = /[.?!]$/.test(cause) ? cause : `${cause}.`;
  return changes ? `${sentence} Nothing was changed.` : sentence;
}
