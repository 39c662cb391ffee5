/**
 * Every kind of stored change, on stores of any size, killed at any of its statements. Afterwards
 * the store is as it was before, or has the change, as compared by hashes of all its content. A
 * kill leaves the files as they are at that moment, so they are copied.
 *
 *   node test/durability/stored-changes.ts [--records 1000000] [--kills 6] [--kind NAME]
 *
 *   node test/durability/stored-changes.ts --postgres [--records 1000000] [--kind NAME]   # only how long, in a PostgreSQL of its own
 *
 * Prints for each kind: seconds, statements, and how many of the kills left it as before and how many as done.
 */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { compile } from "../../src/compile.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { openStore } from "../../src/store/index.ts";
import { freshSchema } from "../postgres/server.ts";

interface Kind {
  readonly ticket?: readonly string[];
  readonly identifier?: string;
  readonly others?: string;
  readonly step: readonly string[];
  readonly boardOf?: string;
}

const plain = [
  "title | string | required",
  "priority | one of low, normal, high |",
  "label | string |",
  "price | integer |",
];
const without = (name: string, ...more: readonly string[]): readonly string[] => [
  ...plain.filter((row) => !row.startsWith(`${name} |`)),
  ...more,
];
const made = (name: string, ...rows: readonly string[]): string =>
  `### ${name}\n\n- Identifier: id, made by \`sequence()\`\n\n| Field | Type | Rules |\n|---|---|---|\n| id | integer | |\n${rows.map((row) => `| ${row} |\n`).join("")}\n`;

/** The new document's tickets, and the stored change that leads there. */
export const kinds: Readonly<Record<string, Kind>> = {
  "rename a field": {
    ticket: without("title", "name | string | required"),
    step: ["Renamed: Ticket.title to Ticket.name"],
  },
  "rename a resource": { step: ["Renamed: Draft to Sketch"], others: "Sketch" },
  "rename a value": {
    ticket: without("priority", "priority | one of low, medium, high |"),
    step: ['Renamed: Ticket.priority "normal" to "medium"'],
  },
  "a new required field": {
    ticket: [...plain, "country | string | required"],
    step: ['For each Ticket: `country = "NL"`'],
  },
  "convert a field": {
    ticket: without("price", "cost | string | required"),
    step: ['For each Ticket: `cost = string(old.price) + " EUR"`', "Removed: Ticket.price"],
  },
  "split a field": {
    ticket: without("title", "first | string | required", "rest | string | required"),
    step: [
      'For each Ticket: `first = old.title.split(" ", 2)[0]; rest = old.title.split(" ", 2)[1]`',
      "Removed: Ticket.title",
    ],
  },
  "merge fields": {
    ticket: without("label", "note | string | required").filter((row) => !row.startsWith("title")),
    step: ['For each Ticket: `note = old.title + "/" + old.label`', "Removed: Ticket.title, Ticket.label"],
  },
  "a text to a reference": {
    ticket: without("label", "label | Label |"),
    others: `Draft\n${made("Label", "name | string | required, unique")}`,
    step: ["For each Ticket: `upsert Label with name = old.label as l; label = l`"],
  },
  "a field to a new resource": {
    ticket: without("price", "cost | Cost |"),
    others: `Draft\n${made("Cost", "amount | integer |")}`,
    step: ["For each Ticket: `create Cost with amount = old.price as c; cost = c`", "Removed: Ticket.price"],
  },
  "another identifier": {
    identifier: "string",
    step: ['For each Ticket: `id = "T-" + string(old.id)`'],
  },
  "query others": {
    ticket: [...plain, "drafts | integer |"],
    step: ["For each Ticket: `drafts = Draft.count(d, d.ticket == old)`"],
  },
  "drop a resource": { others: "", step: ["Removed: Draft"] },
};

function documentOf(kind: Kind | undefined): string {
  const [draft = "Draft", ...more] = (kind?.others ?? "Draft").split("\n");
  const drafts =
    draft === ""
      ? ""
      : `### ${draft}\n\n- Identifier: id, given\n\n| Field | Type | Rules |\n|---|---|---|\n| id | integer | |\n| ticket | Ticket | |\n\n`;
  const rows = (kind?.ticket ?? plain).map((row) => `| ${row} |\n`).join("");
  const change = kind ? `### Stored change: it\n\n${kind.step.map((item) => `- ${item}\n`).join("")}` : "";
  const parts = ["States and transitions", "Endpoints", "Authentication", "Events", "Errors", "Limits"];
  return `# Interface Specification: Desk

## What the service does

## Resources and their fields

### Ticket

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | ${kind?.identifier ?? "integer"} | |
${rows}
${drafts}${more.join("\n")}
${parts.map((part) => `## ${part}\n`).join("\n")}
## Versioning

- Scheme: none

${change}`;
}

function modelOf(kind: Kind | undefined): Model {
  const { model, diagnostics } = compile(documentOf(kind), { file: "desk.md" });
  const [wrong] = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (!model || wrong) throw new Error(`${wrong?.position.start.line}: ${wrong?.message}`);
  return model;
}

/** Creates a store with this many tickets, and a tenth as many drafts. */
async function fill(path: string, records: number): Promise<void> {
  const model = modelOf(undefined);
  await (await openStore(model, meaningOf(model), { path })).close();
  const database = new DatabaseSync(path);
  const priorities = ["low", "normal", "high"];
  const ticket = database.prepare(
    "INSERT INTO Ticket (id, title, priority, label, price) VALUES (?, ?, ?, ?, ?)",
  );
  const draft = database.prepare("INSERT INTO Draft (id, ticket) VALUES (?, ?)");
  database.exec("BEGIN");
  for (let id = 1; id <= records; id += 1) {
    ticket.run(id, `Ticket ${id * 7919}`, priorities[id % 3] as string, `label ${id % 97}`, (id * 31) % 1000);
    if (id % 10 === 0) draft.run(id / 10, id);
  }
  database.exec("COMMIT");
  database.close();
}

/** Returns the seconds that the kind takes in a new schema. */
async function secondsOnPostgres(name: string, records: number): Promise<number> {
  const schema = await freshSchema();
  try {
    const former = modelOf(undefined);
    await (await openStore(former, meaningOf(former), { path: schema.url })).close();
    const client = await schema.connect();
    await client.query(
      `INSERT INTO "Ticket" (id, title, priority, label, price) SELECT n, 'Ticket ' || n * 7919::bigint,
        (ARRAY['low', 'normal', 'high'])[n % 3 + 1], 'label ' || n % 97, n::bigint * 31 % 1000 FROM generate_series(1, ${records}) AS n`,
    );
    await client.query(
      `INSERT INTO "Draft" (id, ticket) SELECT n, n * 10 FROM generate_series(1, ${records} / 10) AS n`,
    );
    await client.query("ANALYZE");
    const model = modelOf(kinds[name]);
    const from = performance.now();
    await (await openStore(model, meaningOf(model), { path: schema.url })).close();
    return (performance.now() - from) / 1000;
  } finally {
    await schema.drop();
  }
}

/** A hash of all tables of a store, without the times and durations of the migration itself. */
function hashOf(path: string): string {
  const database = new DatabaseSync(path, { readOnly: true });
  const hash = createHash("sha256");
  const names = database
    .prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'index') AND sql IS NOT NULL ORDER BY name",
    )
    .all() as { name: string; sql: string }[];
  for (const { name, sql } of names) {
    hash.update(`${name} ${sql}\n`);
    if (!sql.startsWith("CREATE TABLE") || name.startsWith("ninefold_changes")) continue;
    const statement = database.prepare(`SELECT * FROM "${name}"`);
    statement.setReturnArrays(true);
    for (const row of statement.iterate()) if (!isOfTheOpening(row)) hash.update(JSON.stringify(row));
  }
  database.close();
  return hash.digest("hex");
}

/**
 * Whether a row describes the opening: the process that has the store open, whether it was closed
 * regularly, and the backup before the changes.
 */
function isOfTheOpening(row: unknown): boolean {
  return ["owner", "clean", "copy"].includes((row as readonly unknown[])[0] as string);
}

function isDone(path: string): boolean {
  const database = new DatabaseSync(path, { readOnly: true });
  const found = database.prepare("SELECT count(*) AS n FROM ninefold_changes").get() as { n: number };
  database.close();
  return found.n > 0;
}

/**
 * Opens the store with the kind's document, and copies its files before each of these statements. A
 * copy is what a process killed there would have left; its locks ended with it. Another process
 * makes the copies, because closing a file here would release SQLite's locks.
 */
async function killedAt(
  name: string,
  path: string,
  places: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const left = new Map<number, string>();
  const statements = countStatements((at) => {
    if (!places.includes(at)) return;
    const folder = join(dirname(path), `at-${at}`);
    mkdirSync(folder);
    execFileSync("sh", ["-e", "-c", 'cp -a "$0"* "$1"', path, folder]);
    left.set(at, join(folder, basename(path)));
  });
  try {
    await opened(name, path);
  } finally {
    statements.stop();
  }
  return left;
}

/** The number of statements, and their duration. */
async function counted(
  name: string,
  path: string,
): Promise<{ readonly statements: number; readonly seconds: number }> {
  const from = performance.now();
  const statements = countStatements();
  try {
    await opened(name, path);
  } finally {
    statements.stop();
  }
  return { statements: statements.count(), seconds: (performance.now() - from) / 1000 };
}

/** Opens the store with the kind's document, which changes it, and closes it. */
async function opened(name: string, path: string): Promise<void> {
  const model = modelOf(kinds[name]);
  await (await openStore(model, meaningOf(model), { path })).close();
}

export interface Outcome {
  readonly seconds: number;
  readonly statements: number;
  readonly asBefore: number;
  readonly done: number;
}

/**
 * @param kills the number of statements at which to kill, evenly spread
 * @throws Error if a killed store is neither unchanged nor complete
 */
export async function killedChange(name: string, records: number, kills: number): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-killed-"));
  try {
    const [former, done, path] = ["former.db", "done.db", "killed.db"].map((file) => join(folder, file)) as [
      string,
      string,
      string,
    ];
    await fill(former, records);
    copyFileSync(former, done);
    const { statements, seconds } = await counted(name, done);
    const hashes = { before: hashOf(former), done: hashOf(done) };
    if (hashes.before === hashes.done) throw new Error(`${name}: nothing was changed`);
    const outcome = { seconds, statements, asBefore: 0, done: 0 };
    const places = Array.from(
      { length: kills },
      (_, number) => 1 + Math.round((number * (statements - 1)) / Math.max(1, kills - 1)),
    );
    copyFileSync(former, path);
    for (const [at, left] of await killedAt(name, path, places)) {
      const has = isDone(left);
      const hash = hashOf(left);
      if (hash !== (has ? hashes.done : hashes.before))
        throw new Error(
          `${name}: killed before statement ${at} of ${statements}, the store is neither as before nor done`,
        );
      outcome[has ? "done" : "asBefore"] += 1;
      // The next start finds the change complete, or completes it.
      await opened(name, left);
      if (hashOf(left) !== hashes.done)
        throw new Error(`${name}: started again after statement ${at}, it isn't done`);
    }
    return outcome;
  } finally {
    if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Counts the statements that change the store until the process is stopped.
 * @param before called before each, with its number
 */
function countStatements(before: (at: number) => void = () => {}): { count(): number; stop(): void } {
  let statements = 0;
  const count = (): void => {
    statements += 1;
    before(statements);
  };
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function (sql) {
    for (const statement of sql.split(";"))
      if (/\b(CREATE|DROP|ALTER|COMMIT|BEGIN|UPDATE|INSERT|DELETE)\b/.test(statement)) count();
    exec.call(this, sql);
  };
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (sql, ...more) {
    const statement = prepare.call(this, sql, ...(more as []));
    if (!/^\s*(INSERT|UPDATE|DELETE|VACUUM|CREATE|DROP|ALTER)/.test(sql)) return statement;
    const { run } = statement;
    let runs = 0;
    statement.run = (...values: readonly unknown[]) => {
      runs += 1;
      // Of the statements for each record, an occasional one is enough.
      if (runs < 4 || runs % 50_000 === 0) count();
      return run.apply(statement, values as unknown as Parameters<typeof run>);
    };
    return statement;
  };
  return {
    count: () => statements,
    stop() {
      Object.assign(DatabaseSync.prototype, { exec, prepare });
    },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      records: { type: "string", default: "1000000" },
      kills: { type: "string", default: "6" },
      kind: { type: "string" },
      postgres: { type: "boolean", default: false },
    },
  });
  for (const name of Object.keys(kinds).filter((kind) => values.kind === undefined || kind === values.kind)) {
    if (values.postgres) {
      const seconds = await secondsOnPostgres(name, Number(values.records));
      process.stdout.write(`${name.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s\n`);
      continue;
    }
    const { seconds, statements, asBefore, done } = await killedChange(
      name,
      Number(values.records),
      Number(values.kills),
    );
    process.stdout.write(
      `${name.padEnd(28)} ${seconds.toFixed(1).padStart(6)} s   ${String(statements).padStart(4)} statements, killed ${values.kills} times: ${asBefore} as before, ${done} done\n`,
    );
  }
}
