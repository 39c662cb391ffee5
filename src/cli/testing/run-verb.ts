/** For tests: runs one verb of `ninefold data` with an open client. */
import type { RecordsClient } from "../records/records-client.ts";
import { verbs } from "../records/verbs.ts";

/** @throws as the verb does */
export async function runVerb(
  client: RecordsClient,
  verb: string,
  positionals: readonly string[],
  values: Readonly<Record<string, string | boolean>> = {},
): Promise<{ readonly out: string; readonly complaints: string }> {
  let out = "";
  let complaints = "";
  const terminal = {
    write: (text: string) => {
      out += text;
    },
    printError: (text: string) => {
      complaints += text;
    },
    isTerminal: false,
    colour: false,
    environment: {},
  };
  await verbs[verb]?.run(client, { positionals, values }, terminal);
  return { out, complaints };
}
