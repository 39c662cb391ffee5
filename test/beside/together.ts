/**
 * The tests beside the code (`src/**`), many files in one process: a process of its own for each would read and compile the same sources
 * 167 times. Each file is a suite, so what it says of its beginning and end (`before`, `after`) is about its own tests. Every file still
 * runs alone as well: `node --test src/x.test.ts`.
 */
import { globSync } from "node:fs";
import { join } from "node:path";
import { describe } from "node:test";
import { pathToFileURL } from "node:url";

const root = join(import.meta.dirname, "../..");

/** Folders of `src` whose tests have a process of their own, so that two of them keep two cores busy. */
const rooms = ["cli", "engine", "store"] as const;

/** Registers the tests of one of these folders, or of everything else in `src`. */
export function together(room: (typeof rooms)[number] | "the rest"): void {
  const files =
    room === "the rest"
      ? globSync("src/**/*.test.ts", { cwd: root, exclude: rooms.map((other) => `src/${other}/**`) })
      : globSync(`src/${room}/**/*.test.ts`, { cwd: root });
  if (files.length === 0) throw new Error(`src has no tests of ${room}`);
  for (const file of files.sort())
    describe(file, async () => {
      await import(pathToFileURL(join(root, file)).href);
    });
}
