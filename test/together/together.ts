/**
 * Many test files in one process: a separate process for each would load and compile the same
 * sources again, which takes longer than most tests do. Each file is a suite, so its `before` and
 * `after` apply to its own tests. Every file still runs alone as well: `node --test src/x.test.ts`.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");

/**
 * Groups of files that share a process, by the name of the file here that starts it. No group has
 * tests about processes, memory or time, those whose shared files have their own end, or those that
 * take so long that two cores are faster.
 */
const rooms = {
  cli: ["src/cli/**/*"],
  engine: ["src/engine/**/*"],
  store: ["src/store/**/*"],
  "rest-of-sources": ["src/!(cli|engine|store)/**/*", "src/*"],
  changes: ["test/changes/*"],
  client: ["test/client/*"],
  console: ["test/console/*"],
  contracts: ["test/contracts/*", "test/authentication/*", "test/versions/*"],
  "docs-site": ["test/docs-site/*"],
  documents: ["test/documents/*"],
  exports: ["test/exports/*", "test/random/*"],
  operations: ["test/operations/*"],
  outputs: ["test/outputs/*"],
  sandbox: ["test/sandbox/*", "test/store/*"],
  scope: ["test/scope/*"],
  sending: ["test/deliveries/*", "test/streams/*", "test/twins/*"],
} as const;

/** The test files of a room. */
export function filesOf(room: keyof typeof rooms): readonly string[] {
  return rooms[room].flatMap((pattern) => globSync(`${pattern}.test.ts`, { cwd: root })).toSorted();
}

/** Registers the tests of a room. */
export function together(room: keyof typeof rooms): void {
  const files = filesOf(room);
  if (files.length === 0) throw new Error(`there are no tests of ${room}`);
  for (const file of files)
    describe(file, async () => {
      await import(pathToFileURL(join(root, file)).href);
    });
}

export const roomNames = Object.keys(rooms) as (keyof typeof rooms)[];
