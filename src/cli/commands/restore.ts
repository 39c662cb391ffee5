/** `ninefold restore`: replaces a document's store with a backup. */
import { type Restored, restoreStore, StoreMismatch } from "../../store/index.ts";
import { counted } from "../../support/quantity.ts";
import { readArguments } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, CliError } from "../command.ts";
import { storePath, DocumentFailed, cliErrorOfStore, loadModel } from "../open-service.ts";
import { warn } from "../terminal.ts";

const usage = `Usage: ninefold restore BACKUP FILE [--store PATH] [--thorough] [--accept-missing-log] [--json]

Replaces the document's store with a backup (a file, or a .db.zst of a folder). First the backup is
compared with its checksum (BACKUP.sha256) and with the document, and its integrity is checked. The
previous store is kept in the same folder. The service must not be running.

  --store PATH  the store's file; without it: the file in the document's folder, with its name
  --thorough    compares each index with its records too, which takes ten times as long
  --accept-missing-log
                accepts a file that was copied from a running store without its log (-wal)
  --json        JSON instead of text

Exit codes: 0 done · 1 the document has mistakes · 2 wrong usage · 3 the backup or the store can't be used

Example: ninefold restore backups/parcel-desk.ninefold-2026-11-23T03-00-00Z.db.zst examples/parcel-desk.md
`;

export const restoreCommand: Command = {
  name: "restore",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        store: { type: "string" },
        thorough: { type: "boolean" },
        "accept-missing-log": { type: "boolean" },
        json: { type: "boolean" },
      },
      positionals: ["BACKUP", "FILE"],
    });
    const [backup = "", file = ""] = positionals;
    const path = storePath(values.store, file, terminal);
    try {
      const { model } = await loadModel(file, terminal);
      const restored = await restoreStore(model, backup, path, {
        checksIndexes: values.thorough ?? false,
        acceptsMissingLog: values["accept-missing-log"] ?? false,
      });
      terminal.write(
        values.json ? `${JSON.stringify(asJson(path, restored))}\n` : inText(path, backup, restored),
      );
      if (!restored.isVerified)
        warn(terminal, `ninefold restore: ${backup} has no checksum file: only its format was checked.\n`);
      return exitCodes.ok;
    } catch (error) {
      if (error instanceof DocumentFailed) throw new CommandFailed(`${error.message} Nothing was changed.`);
      if (error instanceof StoreMismatch)
        throw new CliError(
          `${error.message}\nRestore it with the document of its time: \`ninefold restore ${backup} THAT.md --store ${path}\`.`,
        );
      throw cliErrorOfStore(error);
    }
  },
};

function asJson(store: string, { document, records, lastEvent, former, isVerified }: Restored) {
  return { store, document, records, last_event: lastEvent, former, verified: isVerified };
}

function inText(path: string, backup: string, { records, lastEvent, former }: Restored): string {
  const kept = former === null ? "" : ` The previous store is in ${former}.`;
  return `${path} was restored from ${backup}: ${counted(records, "record")}, up to event ${lastEvent}.${kept}\n`;
}
