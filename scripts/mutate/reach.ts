/** Which tests reach a file, by the imports of the sources; what a test starts as a process of its own is not seen. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const importing = /\bfrom\s+"(\.[^"]+\.ts)"|\bimport\(\s*"(\.[^"]+\.ts)"|^import\s+"(\.[^"]+\.ts)"/gm;

export interface Reach {
  /** Tests that reach the file: first those whose folders are named alike, then the nearest. */
  testsOf(file: string): readonly string[];
}

/** @param root the repository's folder */
export function createReach(root: string): Reach {
  const imports = new Map<string, readonly string[]>();
  const importsOf = (file: string): readonly string[] => {
    const known = imports.get(file);
    if (known) return known;
    const found = [...readFileSync(file, "utf8").matchAll(importing)]
      .map((match) => resolve(dirname(file), (match[1] ?? match[2] ?? match[3]) as string))
      // Texts of tests have imports too.
      .filter((path) => existsSync(path));
    imports.set(file, found);
    return found;
  };
  const stepsFrom = (test: string): ReadonlyMap<string, number> => {
    const steps = new Map([[test, 0]]);
    // A map goes on to give what is added while it is gone through.
    for (const [file, count] of steps)
      for (const next of importsOf(file)) if (!steps.has(next)) steps.set(next, count + 1);
    return steps;
  };
  const tests = globSync(["src/**/*.test.ts", "test/**/*.test.ts"], { cwd: root })
    .filter((test) => !test.includes("node_modules"))
    .map((test) => ({ test: resolve(root, test), steps: stepsFrom(resolve(root, test)) }));
  return {
    testsOf(file) {
      const folder = dirname(file).split("/").at(-1) as string;
      return tests
        .flatMap(({ test, steps }) => {
          const count = steps.get(file);
          return count === undefined
            ? []
            : [{ test, rank: count - (test.includes(`/${folder}/`) ? 100 : 0) }];
        })
        .sort((a, b) => a.rank - b.rank || (a.test < b.test ? -1 : 1))
        .map(({ test }) => test);
    },
  };
}
