/** The package's own pages: the text of `ninefold explain` and `ninefold help card`. */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/**
 * Two folders up, both in a checkout (`src/manual`) and in an installed package (`dist/manual`).
 */
const root = new URL("../../", import.meta.url);

/** @param path relative to the package's folder, as `docs/notation.md` */
export function ownPage(path: string): string {
  return readFileSync(new URL(path, root), "utf8");
}

/** The guides, by name. */
export function guideNames(): readonly string[] {
  return readdirSync(new URL("docs/guides/", root))
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.replace(/\.md$/, ""))
    .sort();
}

/** The complete documents of `ninefold new --example`, by name. */
export function exampleNames(): readonly string[] {
  return readdirSync(new URL("examples/", root))
    .filter((name) => name.endsWith(".md") && !name.endsWith(".seed.md"))
    .map((name) => name.replace(/\.md$/, ""))
    .filter((name) => name !== "unidentified-service")
    .sort();
}

/** Files that belong to an example: its seed, its handlers and their types, by their ending. */
export function exampleFiles(name: string): readonly (readonly [ending: string, text: string])[] {
  return [".seed.md", ".ts", ".types.ts"].flatMap((ending) => {
    const path = `examples/${name}${ending}`;
    return existsSync(new URL(path, root)) ? [[ending, ownPage(path)] as const] : [];
  });
}
