/**
 * Repository files: the paths, texts and imports of the repository's own files, for the tests of
 * this folder.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const root = join(import.meta.dirname, "..", "..");

/** Returns the absolute path of a file of the repository. */
export function pathOf(path: string): string {
  return join(root, path);
}

export function textOf(path: string): string {
  return readFileSync(pathOf(path), "utf8");
}

/**
 * Returns the files under a folder, as paths from the repository's root, in order, without
 * installed and built files.
 */
export function filesUnder(folder: string, ending = ""): readonly string[] {
  return (
    readdirSync(pathOf(folder), { withFileTypes: true })
      // A build of the site has a folder next to its sources while it runs.
      .filter(({ name }) => !["node_modules", "dist", ".git"].includes(name) && !name.startsWith(".build-"))
      .flatMap((entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? filesUnder(path, ending) : [path];
      })
      .filter((path) => path.endsWith(ending))
      .map((path) => relative(root, pathOf(path)).replaceAll("\\", "/"))
      .sort()
  );
}

/** Returns the code of a source without comments and without the contents of its texts. */
export function codeOf(path: string): string {
  const text = textOf(path);
  const tokens =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\[\s\S]|[^`\\])*`/g;
  return text.replace(tokens, (token) => {
    if (token.startsWith("/")) return "";
    // Expressions in a template are code.
    if (token.startsWith("`"))
      return [...token.matchAll(/\$\{([^}]*)\}/g)].map((hit) => ` ${hit[1]} `).join("");
    return '""';
  });
}

/** Returns the imports of a source as written, also of types. */
export function importsOf(path: string): readonly string[] {
  const form = /^(?:import|export)\s[^"';]*?from\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...textOf(path).matchAll(form)].map((hit) => (hit[1] ?? hit[2] ?? hit[3]) as string);
}

/** Returns the imports of a source at run time: without types and dynamic imports. */
export function valuesImportedOf(path: string): readonly string[] {
  const form = /^(?:import|export)\s+(?!type\b)([^"';]*?)\s*from\s+"([^"]+)"|^import\s+"([^"]+)"/gm;
  const areTypes = (names: string) =>
    names.startsWith("{") &&
    names
      .replace(/[{}]/g, "")
      .split(",")
      .every((name) => name.trim() === "" || name.trim().startsWith("type "));
  return [...textOf(path).matchAll(form)].flatMap((hit) => {
    const target = hit[2] ?? hit[3];
    return target === undefined || (hit[1] !== undefined && areTypes(hit[1])) ? [] : [target];
  });
}
