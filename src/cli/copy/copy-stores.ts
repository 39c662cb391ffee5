/** `ninefold data copy`: copies a store into another one, file or database, and compares both. */
import { copyStore, databaseForm, type MovedStore, storeLabel } from "../../store/index.ts";
import { counted } from "../../support/quantity.ts";
import { readArguments } from "../arguments.ts";
import { exitCodes, WrongUsage } from "../command.ts";
import { cliErrorOfStore } from "../open-service.ts";
import { createProgress, type Progress } from "../progress.ts";
import type { Terminal } from "../terminal.ts";

/** @throws WrongUsage | CliError */
export async function copyStores(args: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readArguments(args, {
    options: { json: { type: "boolean" } },
    positionals: ["FROM", "TO"],
  });
  const [from = "", to = ""] = positionals;
  const document = [from, to].find((candidate) => /\.md$/i.test(candidate));
  if (document !== undefined)
    throw new WrongUsage(`${document} is a document: name two stores, each a file or ${databaseForm}.`);
  const began = performance.now();
  const moved = await copied(from, to, terminal);
  const ms = Math.round(performance.now() - began);
  if (values.json) terminal.write(`${JSON.stringify(asJson(from, to, moved, ms))}\n`);
  else terminal.write(inLines(from, to, moved, ms));
  return exitCodes.ok;
}

async function copied(from: string, to: string, terminal: Terminal): Promise<MovedStore> {
  const bars = new Map<string, Progress>();
  try {
    return await copyStore(from, to, {
      onRows(what, done, all) {
        let bar = bars.get(what);
        if (!bar) {
          for (const [, earlier] of bars) earlier.end();
          bar = terminal.errorsToTerminal ? createProgress(terminal, what) : inTenths(what, terminal);
          bars.set(what, bar);
        }
        bar.update(done, all);
      },
    });
  } catch (error) {
    throw cliErrorOfStore(error);
  } finally {
    for (const [, bar] of bars) bar.end();
  }
}

/** A smaller copy finishes before a line could be read. */
const rowsPerReport = 10_000;

/** Without a terminal, one line for each tenth of the work. */
function inTenths(what: string, terminal: Terminal): Progress {
  let reportedRows = 0;
  return {
    update(done, all) {
      const tenths = all === 0 ? 10 : Math.floor((done / all) * 10);
      if (all < rowsPerReport || tenths <= reportedRows || terminal.isQuiet) return;
      reportedRows = tenths;
      terminal.printError(`${what}: ${tenths * 10} %, ${done.toLocaleString("en-US")} rows\n`);
    },
    end() {},
  };
}

function asJson(from: string, to: string, { document, resumedAt, tables }: MovedStore, ms: number) {
  return {
    from: storeLabel(from),
    to: storeLabel(to),
    document,
    resumed_at: resumedAt,
    tables: tables.map(({ name, isOwn, rows, hash }) => ({
      name,
      kind: isOwn ? "own" : "resource",
      rows,
      sha256: hash,
    })),
    ms,
  };
}

function inLines(from: string, to: string, { document, resumedAt, tables }: MovedStore, ms: number): string {
  const width = Math.max(...tables.map(({ name }) => name.length));
  const lines = tables.map(
    ({ name, rows, hash }) =>
      `  ${name.padEnd(width)}  ${rows.toLocaleString("en-US").padStart(12)}  ${hash.slice(0, 16)}`,
  );
  const resumed = resumedAt === 0 ? "" : ` ${counted(resumedAt, "row")} were there already.`;
  const records = tables.reduce((sum, { isOwn, rows }) => (isOwn ? sum : sum + rows), 0);
  return [
    ...lines,
    `${storeLabel(to)} has all of ${storeLabel(from)}, of "${document}": ${counted(records, "record")}, each table the same by count and hash, in ${(ms / 1000).toFixed(1)} s.${resumed}`,
    "",
  ].join("\n");
}
