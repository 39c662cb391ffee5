/** One verb of `ninefold data`: its arguments, and its implementation. */
import type { RecordsClient } from "./records-client.ts";
import type { Terminal } from "../terminal.ts";

export interface Given {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

export interface Verb {
  /** The options for `readArguments`, after FILE. */
  readonly positionals: readonly string[];
  readonly options: readonly string[];
  /** If it fails, the message adds that nothing was changed. */
  readonly changes: boolean;
  /** It stores new records: a store that doesn't exist yet is created for it. */
  readonly createsStore?: true;
  /** @throws WrongUsage | CliError | Refused */
  run(client: RecordsClient, given: Given, terminal: Terminal): Promise<void>;
}

export const textOf = ({ values }: Given, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};
