/**
 * Build of the console with switches: its sources run in a browser, so they are built once with all
 * mutants in them. Each window knows which one is active (`browsers.ts`).
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "vite";

const entry = "console/src/main.tsx";
/** The function that switches in the page call, as `plant.ts` defines it for processes. */
const prelude = `const reached = new Set();
globalThis.__mutant = (number) => {
  if (!reached.has(number)) { reached.add(number); globalThis.__reached?.(number); }
  return number === globalThis.__active;
};
`;

/** @param switched texts with switches, by file relative to the repository */
export async function buildConsole(
  root: string,
  outDir: string,
  switched: ReadonlyMap<string, string>,
): Promise<void> {
  await build({
    configFile: join(root, "console", "vite.config.ts"),
    build: { outDir, emptyOutDir: true, minify: false },
    plugins: [
      {
        name: "switches",
        enforce: "pre",
        load(id) {
          const file = id.slice(root.length + 1);
          const text = switched.get(file) ?? (file === entry ? readFileSync(id, "utf8") : undefined);
          // Switches of other modules are evaluated only when the page renders, after the entry's
          // imports.
          return file === entry ? `import "virtual:switches";\n${text}` : text;
        },
        resolveId: (id) => (id === "virtual:switches" ? `\0${id}` : undefined),
      },
      {
        name: "prelude",
        load: (id) => (id === "\0virtual:switches" ? { code: prelude, moduleSideEffects: true } : undefined),
      },
    ],
  });
}

/**
 * The module of the service that serves the console, changed to find the build in another folder.
 */
export function servingFrom(text: string, folder: string): string {
  const changed = text.replace("folder = builtFolder", `folder = ${JSON.stringify(folder)}`);
  if (changed === text) throw new Error("src/admin/console-files.ts names its folder in another way");
  return changed;
}
