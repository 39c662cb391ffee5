/**
 * `ninefold migrate`: plans, applies or checks the migration of stored records to a changed
 * document.
 */
import { existsSync } from "node:fs";
import { compareInWorker } from "../../compare/compare-in-worker.ts";
import type { Model } from "../../model/model.ts";
import {
  databaseForm,
  migrateStore,
  planStoreFor,
  planStoresOf,
  storeLabel,
  storeKind,
  StoreMismatch,
  type StorePlan,
} from "../../store/index.ts";
import { counted } from "../../support/quantity.ts";
import { readArguments } from "../arguments.ts";
import { type Command, CommandFailed, exitCodes, CliError, WrongUsage } from "../command.ts";
import { noticedLine } from "../comparison/comparison-text.ts";
import { storedModel } from "../comparison/old-document.ts";
import { planAsJson, refusedAsJson } from "../migration/plan-json.ts";
import { planText, refusedBlock, warningBlock } from "../migration/plan-text.ts";
import {
  storePath,
  DocumentFailed,
  cliErrorOfStore,
  loadModel,
  mismatchAdvice,
  startCheckFor,
} from "../open-service.ts";
import { isRunning } from "../operations/owner.ts";
import { withProgress } from "../migration/progress.ts";
import type { Terminal } from "../terminal.ts";

const usage = `Usage: ninefold migrate FILE --plan|--apply [--store PATH] [--json]
       ninefold migrate FILE --check [--store PATH | --from OLD.md] [--json]

Migrates a store to its document: applies the pending stored changes of part 9, and all other changes
that part 2 requires. \`serve\` does the same when it starts.

  --plan        a dry run: prints each step, how many records change, examples before and after, the
                estimated time and disk space; or what prevents the migration, and the lines to
                write for those records. Changes nothing; the store may be served meanwhile
  --apply       first copies the store if anything could be lost, then makes all changes in one
                transaction, or none. The service must not be running. A database is not copied,
                and instances may run: compatible changes are made online; for any other, the
                instances stop and must be replaced
  --check       for CI: only whether the migration is possible, and what prevents it
  --store PATH  the store's file, or ${databaseForm};
                without it: the file in the document's folder, with its name
  --from OLD.md checks against the stores of an older document, as far as that is known without one
  --json        JSON instead of text

Exit codes: 0 possible, done, or nothing to do · 1 the document has mistakes, or the records don't fit it
            2 wrong usage · 3 the store can't be used

Example: ninefold migrate examples/parcel-desk.md --plan
`;

export const migrateCommand: Command = {
  name: "migrate",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: {
        plan: { type: "boolean" },
        apply: { type: "boolean" },
        check: { type: "boolean" },
        store: { type: "string" },
        from: { type: "string" },
        json: { type: "boolean" },
      },
      positionals: ["FILE"],
    });
    const modes = (["plan", "apply", "check"] as const).filter((name) => values[name]);
    if (modes.length !== 1) throw new WrongUsage("Add --plan (a dry run), --apply or --check.");
    if (values.from !== undefined && !values.check)
      throw new WrongUsage("--from requires --check: a document has no records to change.");
    if (values.from !== undefined && values.store !== undefined)
      throw new WrongUsage(
        "--store and --from can't be combined: --check reads a store or an older document.",
      );
    const [file = ""] = positionals;
    const path = storePath(values.store, file, terminal);
    const job: Job = {
      file,
      path,
      store: shown(path),
      json: values.json ?? false,
      terminal,
    };
    try {
      const { model } = await loadModel(file, terminal);
      if (values.apply) return await apply(model, job);
      if (values.from !== undefined) return await checkFrom(values.from, model, job);
      return await plan(model, job, values.check ?? false);
    } catch (error) {
      if (!(error instanceof DocumentFailed)) throw error;
      throw new CommandFailed(`${error.message} Nothing was changed.`);
    }
  },
};

interface Job {
  readonly file: string;
  /** The store's file or connection URL, and its printable form. */
  readonly path: string;
  readonly store: string;
  readonly json: boolean;
  readonly terminal: Terminal;
}

/** The printable form of a store's URL, without a password. @throws CliError */
function shown(path: string): string {
  try {
    return storeLabel(path);
  } catch (error) {
    throw cliErrorOfStore(error);
  }
}

async function plan(model: Model, job: Job, isCheck: boolean): Promise<number> {
  const { file, path, store, terminal } = job;
  refuseMissing(path);
  const found = await withProgress(terminal, (watch) =>
    planStoreFor(model, path, { ...watch, isRunning, checkStart: startCheckFor(model) }),
  ).catch((error: unknown) => {
    throw cliErrorOfStore(error);
  });
  const code = codeOf(found, isCheck);
  const noticed = isCheck || job.json ? undefined : await noticedBy(job, model);
  if (job.json) terminal.write(`${JSON.stringify(planAsJson(found, store), null, 2)}\n`);
  else if (isCheck) terminal.write(checkText(found, store, job, code));
  else terminal.write(`${planText(found, { file, store })}${noticed === undefined ? "" : `\n${noticed}\n`}`);
  return code;
}

/**
 * One line on whether callers notice the change; undefined where they don't, or where the store
 * doesn't have the text of its document.
 */
async function noticedBy({ path, file, store }: Job, model: Model): Promise<string | undefined> {
  const before = await storedModel(path).catch(() => undefined);
  const differences = before && (await compareInWorker(before, model));
  return differences && noticedLine(differences, { file, from: store });
}

/** In CI (`--check`), a heading that differs from its applied text counts as a mistake. */
function codeOf({ refused, warnings }: StorePlan, isCheck: boolean): number {
  return refused || (isCheck && warnings.length > 0) ? exitCodes.failed : exitCodes.ok;
}

function checkText(found: StorePlan, of: string, { file }: Job, code: number): string {
  const names = found.steps.flatMap(({ name }) => (name === null ? [] : [name]));
  const made = names.length === 0 ? "no stored change is needed" : `to apply: ${names.join(", ")}`;
  const verdict = code === exitCodes.ok ? `${of} can be migrated to ${file}; ${made}.` : undefined;
  const blocks = [
    ...(verdict === undefined ? [] : [verdict]),
    ...(found.refused ? [`${of} can't be migrated to ${file}.`, refusedBlock(found.refused)] : []),
    ...warningBlock(found),
  ];
  return `${blocks.join("\n\n")}\n`;
}

async function checkFrom(from: string, model: Model, job: Job): Promise<number> {
  const { terminal } = job;
  const old = await loadModel(from, terminal);
  if (old.model.name !== model.name)
    throw new CliError(
      `${from} specifies another service: "${old.model.name}", not "${model.name}". Name an older version of the same document.`,
    );
  const found = planStoresOf(old.model, model);
  const isHashed = found.warnings.some((line) => line.startsWith("The stored change "));
  const code = found.refused || isHashed ? exitCodes.failed : exitCodes.ok;
  if (job.json) terminal.write(`${JSON.stringify(planAsJson(found, from), null, 2)}\n`);
  else terminal.write(checkText(found, `A store of ${from}`, job, code));
  return code;
}

/** @throws CliError */
function refuseMissing(path: string): void {
  if (storeKind(path) === "file" && !existsSync(path))
    throw new CliError(
      `There is no store at ${path}, so there is nothing to migrate: \`serve\` creates it. Name another store with --store.`,
    );
}

async function apply(model: Model, job: Job): Promise<number> {
  const { file, path, store, terminal } = job;
  refuseMissing(path);
  const began = performance.now();
  const warnings: string[] = [];
  try {
    const made = await withProgress(terminal, (watch) =>
      migrateStore(model, path, {
        onWarning: (warning) => warnings.push(warning),
        checkStart: startCheckFor(model),
        watch: { ...watch, onMigrating: (who) => printWaiting(who, store, terminal) },
      }),
    );
    const ms = Math.round(performance.now() - began);
    if (job.json) {
      const answer = { store, changes: made?.changes ?? [], copy: made?.copy ?? null, ms };
      terminal.write(`${JSON.stringify(answer, null, 2)}\n`);
      return exitCodes.ok;
    }
    if (!made) terminal.write(`${store} matches ${file}: there was nothing to do.\n`);
    else {
      const lines = made.changes.map(
        ({ name, records, ms }) => `  ${name}: ${counted(records, "record")} in ${seconds(ms)}`,
      );
      const where = made.copy === null ? "" : ` The store as it was is kept in ${made.copy}.`;
      terminal.write(
        [`${store} now matches ${file}, after ${seconds(ms)}.${where}`, ...lines, ""].join("\n"),
      );
    }
    for (const warning of warnings.filter((candidate) => !made?.copy || !candidate.includes(made.copy)))
      terminal.printError(`ninefold migrate: ${warning}\n`);
    return exitCodes.ok;
  } catch (error) {
    if (!(error instanceof StoreMismatch)) throw cliErrorOfStore(error, whenInUse(file));
    if (job.json) terminal.write(`${JSON.stringify(refusedAsJson(error, store), null, 2)}\n`);
    else terminal.printError(`ninefold migrate: ${error.message}\n${mismatchAdvice(error)}\n`);
    return exitCodes.failed;
  }
}

function printWaiting(who: "another" | "this", store: string, terminal: Terminal): void {
  if (who === "another")
    terminal.printError(
      `ninefold migrate: another instance is changing the tables of ${store}; this one waits for it.\n`,
    );
}

function whenInUse(file: string): string {
  return `Stop that process first: \`ninefold serve ${file}\` does the same when it starts, and with --watch as soon as the document is saved. --plan prints the steps while it runs.`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}
