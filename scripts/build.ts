/**
 * Build: bundles `src/` into `dist/`. The JavaScript goes into few files, because opening a
 * thousand takes most of a start. Type declarations of the package's exports are included; folders
 * named `assets`, whose files are served unchanged, are copied. Dependencies stay external, and
 * nothing is minified, so that stack traces keep their names. It runs before packing. Another
 * script builds the console in `dist/` (`build-console.ts`), and this build keeps it.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { type Plugin, rolldown } from "rolldown";

const root = join(import.meta.dirname, "..");
const sources = join(root, "src");
const built = join(root, "dist");

mkdirSync(built, { recursive: true });
for (const name of readdirSync(built)) {
  if (name !== "console") rmSync(join(built, name), { recursive: true, force: true });
}
const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [compiler, "--project", join(root, "tsconfig.build.json")], {
  stdio: "inherit",
});
if (status !== 0) process.exit(status ?? 1);
dropDeclarationsBut(declarationsBehind(["index.d.ts", "kit/index.d.ts"]));

const bundle = await rolldown({
  input: Object.fromEntries(
    ["index", "kit/index", "cli/main"].map((name) => [name, join(sources, `${name}.ts`)]),
  ),
  platform: "node",
  external: (id) => !/^[./]/.test(id),
  // The oldest supported Node supports all syntax of the sources.
  transform: { target: "esnext" },
  plugins: [asInItsPlace(), threadsAreEntries()],
});
const { output } = await bundle.write({
  dir: built,
  entryFileNames: "[name].js",
  chunkFileNames: "chunks/[name]-[hash].js",
});
// The build must import only modules that are installed with it.
const { dependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const known = new Set([...output.map(({ fileName }) => fileName), ...Object.keys(dependencies)]);
for (const piece of output) {
  if (piece.type !== "chunk") continue;
  for (const id of [...piece.imports, ...piece.dynamicImports]) {
    const name = id.split("/", id.startsWith("@") ? 2 : 1).join("/");
    if (!id.startsWith("node:") && !known.has(id) && !known.has(name))
      throw new Error(`${piece.fileName} imports ${id}, which is no dependency of the package.`);
  }
}

for (const folder of globSync("**/assets", { cwd: sources })) {
  cpSync(join(sources, folder), join(built, folder), { recursive: true });
}

/**
 * Code that reads its own location (`import.meta.url`), for a file in its folder, gets its
 * unbundled location, whichever bundle it is in.
 */
function asInItsPlace(): Plugin {
  return {
    name: "as in its place",
    transform(code, id) {
      const place = relative(sources, id).replace(/\.ts$/, ".js");
      return code
        .replaceAll("import.meta.url", `new URL("<place>/${place}", import.meta.url).href`)
        .replaceAll("import.meta.dirname", `(import.meta.dirname + "/<place>/${dirname(place)}")`);
    },
    renderChunk(code, { fileName }) {
      const up = dirname(fileName).replace(/[^/]+/g, "..");
      return code.replaceAll("<place>", up);
    },
  };
}

/**
 * If the code starts a thread from a file in its folder
 * (`./reader-thread${extname(import.meta.url)}`), that file is built as an entry.
 */
function threadsAreEntries(): Plugin {
  return {
    name: "threads are entries",
    transform(code, id) {
      for (const [, name] of code.matchAll(/`\.\/([\w-]+)\$\{extname\(/g)) {
        const file = join(dirname(id), `${name}.ts`);
        this.emitFile({ type: "chunk", id: file, fileName: relative(sources, file).replace(/\.ts$/, ".js") });
      }
      return null;
    },
  };
}

/** These files of `dist`, and all files that they import. */
function declarationsBehind(entries: readonly string[]): ReadonlySet<string> {
  const found = new Set(entries);
  for (const file of found) {
    const text = readFileSync(join(built, file), "utf8");
    for (const [, path] of text.matchAll(/(?:from|import\()\s*"(\.[^"]+)\.ts"/g)) {
      const named = join(dirname(file), `${path}.d.ts`);
      // Comments may contain imports too.
      if (existsSync(join(built, named))) found.add(named);
    }
  }
  return found;
}

function dropDeclarationsBut(kept: ReadonlySet<string>): void {
  for (const file of globSync("**/*.d.ts", { cwd: built })) if (!kept.has(file)) rmSync(join(built, file));
  // Deepest first, so that a folder with only empty folders is deleted too.
  const folders = globSync("**/", { cwd: built }).toSorted((a, b) => b.length - a.length);
  for (const folder of folders)
    if (readdirSync(join(built, folder)).length === 0) rmSync(join(built, folder), { recursive: true });
}
