/**
 * `ninefold secrets`: rotates the key that a service signs and seals with, which is in its store.
 */
import { rotateSigningKey } from "../../engine/secrets/signing-keys.ts";
import { systemClock } from "../../engine/ports.ts";
import { createRandomPool } from "../../support/random-pool.ts";
import type { Model } from "../../model/model.ts";
import { duration, readArguments, unknownArgument } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes } from "../command.ts";
import { databaseForm, storeLabel } from "../../store/index.ts";
import {
  DocumentFailed,
  cliErrorOfStore,
  loadModel,
  openModelStore,
  refuseMissingStore,
  storePath,
} from "../open-service.ts";

const usage = `Usage: ninefold secrets rotate FILE [--keep 24h] [--store PATH] [--json]

Changes the key that the service signs and seals with: tokens of schemes whose secret isn't set in
the environment, cursors of lists, ids of streams. The service must not be running; the next start
has the new key. Instances that share a database may run: all accept the new key, then sign with it.

  --keep TIME   how long values signed with the previous key are still accepted; default 24h. If the
                previous key has leaked, write 0s: every caller signs in again
  --store PATH  the store's file, or ${databaseForm};
                without it: the file in the document's folder, with its name
  --json        JSON instead of text

A secret that the operator sets (JWT_SECRET) is changed in the environment; set JWT_SECRET_FORMER to
the previous one for as long as its tokens are to be accepted.

Exit codes: 0 done · 1 the document has mistakes · 2 wrong usage · 3 the store can't be used

Example: ninefold secrets rotate examples/parcel-desk.md --keep 1h
`;

export const secretsCommand: Command = {
  name: "secrets",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: { keep: { type: "string" }, store: { type: "string" }, json: { type: "boolean" } },
      positionals: ["ACTION", "FILE"],
    });
    const [work = "", file = ""] = positionals;
    if (work !== "rotate") throw unknownArgument("action", work, ["rotate"]);
    const keepMs = values.keep === "0s" ? 0 : duration("--keep", values.keep ?? "24h");
    const path = storePath(values.store, file, terminal);
    try {
      const { model } = await loadModel(file, terminal);
      await refuseMissingStore(path);
      const store = await openModelStore(model, path, terminal, {
        hintIfInUse: "Stop the service first; the key is read when it starts.",
      });
      const isShared = store.shared !== undefined;
      const ports = { clock: systemClock, randomBytes: createRandomPool() };
      const since = await rotateSigningKey(store, keepMs, ports).finally(() => store.close());
      const report = {
        store: storeLabel(path),
        since: isShared ? new Date(since).toISOString() : null,
        formerUntil: keepMs === 0 ? null : new Date(since + keepMs).toISOString(),
        environment: named(model),
      };
      terminal.write(values.json ? `${JSON.stringify(report)}\n` : inText(report));
      return exitCodes.ok;
    } catch (error) {
      if (!(error instanceof DocumentFailed)) throw cliErrorOfStore(error);
      throw new CommandFailed(`${error.message} Nothing was changed.`);
    }
  },
};

/** Names of secrets that the operator sets in the environment, which are not in the store. */
function named(model: Model): readonly string[] {
  const names = model.authentication.schemes.flatMap(({ signedWith }) =>
    signedWith && "secretEnv" in signedWith ? [signedWith.secretEnv] : [],
  );
  return [...new Set(names)];
}

interface SecretsReport {
  readonly store: string;
  /**
   * The time from which instances that share the store sign with the key; null if no instance
   * serves it.
   */
  readonly since: string | null;
  readonly formerUntil: string | null;
  readonly environment: readonly string[];
}

function inText({ store, since, formerUntil, environment }: SecretsReport): string {
  const lines = [
    since === null
      ? `${store} has another key.`
      : `${store} has another key. Instances that serve it accept it now, and sign with it from ${since} on.`,
    formerUntil === null
      ? `Values signed with the previous key are rejected${since === null ? "" : " then"}.`
      : `Values signed with the previous key are accepted until ${formerUntil}.`,
  ];
  if (environment.length > 0)
    lines.push(`Where ${environment.join(", ")} is set, tokens are signed with that: change it there.`);
  return `${lines.join("\n")}\n`;
}
