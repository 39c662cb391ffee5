/**
 * Build of the playground: a page, and a worker with the compiler and the engine. The sources are
 * the same as everywhere else. `platform/` replaces modules of Node; a function that a browser
 * can't provide throws when it is called.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

const folder = join(import.meta.dirname, "platform");

/** Sources that use files and servers, by the end of their path. */
const replaced: Readonly<Record<string, string>> = {
  "/store/index.ts": "store.ts",
  "/own-pages.ts": "own-pages.ts",
};

const absentMark = "\0absent:";

function platform(): Plugin {
  return {
    name: "platform",
    enforce: "pre",
    resolveId(source) {
      const replacement = Object.entries(replaced).find(([ending]) => source.endsWith(ending))?.[1];
      if (replacement !== undefined) return join(folder, replacement);
      const name = source === "nodemailer" ? source : /^node:(.+)$/.exec(source)?.[1];
      if (name === undefined) return null;
      const file = join(folder, `${name}.ts`);
      return existsSync(file) ? file : absentMark + source;
    },
    /** A Node module without a replacement has all its names, and each function throws. */
    async load(id) {
      if (!id.startsWith(absentMark)) return null;
      const name = id.slice(absentMark.length);
      const names = Object.keys(await import(name)).filter((name) => name !== "default");
      const lines = names.map((name) => `export const ${name} = absent("${name}");`);
      return `const absent = (name) => function () {
        throw new Error("The playground has no " + name + " of ${name}.");
      };
      ${lines.join("\n")}
      export default {};`;
    },
    /**
     * SQLite's build can start workers for files in the browser. A store in memory needs none, so
     * the build omits them.
     */
    transform(code, id) {
      if (!id.includes("@sqlite.org/sqlite-wasm")) return null;
      return code.replaceAll(
        /new URL\("(sqlite3-[\w-]+\.m?js)", import\.meta\.url\)/g,
        `new URL("data:,$1")`,
      );
    },
  };
}

export default defineConfig({
  root: import.meta.dirname,
  base: "./",
  logLevel: "warn",
  plugins: [platform()],
  worker: { format: "es", plugins: () => [platform()] },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 2000,
  },
});
