/** The interface of a verb of `ninefold data`: its arguments and its implementation. */
import type { RecordsClient } from "./records-client.ts";
import type { Terminal } from "../terminal.ts";

export interface VerbArguments {
  readonly positionals: readonly string[];
  readonly values: Readonly<Record<string, string | boolean | undefined>>;
}

export interface Verb {
  /** The positional arguments after FILE, and the options, for `readArguments`. */
  readonly positionals: readonly string[];
  readonly options: readonly string[];
  /** Whether it changes records, so that the message of a failure adds that nothing was changed. */
  readonly changes: boolean;
  /** Whether it stores new records, so that a missing store is created. */
  readonly createsStore?: true;
  /** @throws WrongUsage | CliError | Refused */
  run(client: RecordsClient, given: VerbArguments, terminal: Terminal): Promise<void>;
}

export const textOf = ({ values }: VerbArguments, name: string): string | undefined => {
  const value = values[name];
  return typeof value === "string" ? value : undefined;
};
