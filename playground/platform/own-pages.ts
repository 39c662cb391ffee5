/**
 * The pages that the language server reads, built into the worker. Replaces
 * `src/manual/own-pages.ts`.
 */
import card from "../../docs/card.md?raw";
import notation from "../../docs/notation.md?raw";

const pages: Readonly<Record<string, string>> = { "docs/card.md": card, "docs/notation.md": notation };

export const ownPage = (path: string): string => pages[path] ?? "";
export const guideNames = (): readonly string[] => [];
