/**
 * Prepared statements: PostgreSQL can express every statement that the engine prepares at its
 * start, for every example and document, except the known statements below.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import { postgresDialect } from "../../src/store/postgres/statements/dialect.ts";
import { NotInSql } from "../../src/store/sql/environment.ts";
import { tablesOf } from "../../src/store/tables.ts";
import * as queries from "../../src/store/sql/queries.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";

type Make = (...given: readonly never[]) => unknown;

/** The prepare functions of a store, and how the statement of each is created. */
const makes: Readonly<Record<string, Make>> = {
  prepareRecords: queries.compileRecords,
  prepareCount: queries.compileCount,
  prepareCounts: queries.compileCounts,
  prepareShaped: queries.compileShaped,
  prepareValue: queries.compileValue,
  prepareJson: queries.compileJsonQuery,
};

/** A page in a shape whose records query each other by functions of the engine. */
const known = [...Array(2).fill("contentful.md prepareJson: a function of our own inside of a macro")];

const folders = ["../../examples", "../../examples/twins", "../documents"].map((folder) =>
  join(import.meta.dirname, folder),
);

async function refusedOf(file: string): Promise<readonly string[]> {
  const { model, diagnostics } = compile(readFileSync(file, "utf8"), { file });
  if (!model || diagnostics.some(({ severity }) => severity === "error")) return [];
  const meaning = meaningOf(model);
  const compiler = queries.createCompiler(meaning, tablesOf(model), postgresDialect);
  const refused: string[] = [];
  const store = await openStore(model, meaning, { path: ":memory:" });
  const noting = new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const make = typeof name === "string" ? makes[name] : undefined;
      return (...given: readonly unknown[]) => {
        try {
          make?.(...([...given, compiler] as never[]));
        } catch (error) {
          if (!(error instanceof NotInSql)) throw error;
          refused.push(`${basename(file)} ${String(name)}: ${error.message}`);
        }
        return value.apply(target, given) as unknown;
      };
    },
  });
  const module = file.replace(/\.md$/, ".ts");
  const service = await createService(model, {
    store: noting,
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
    secret: () => "a secret that is long enough for all",
    ...(existsSync(module) && { handlers: await import(module) }),
  });
  await service.close();
  return refused;
}

test("PostgreSQL can express the statements of all documents", async () => {
  const files = folders.flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md") && !name.endsWith(".seed.md"))
      .map((name) => join(folder, name)),
  );
  const refused: string[] = [];
  for (const file of files) refused.push(...(await refusedOf(file)));
  assert.deepEqual(refused.sort(), known);
});
