/** The empty form: nine parts, 26 items, none of them shown. What `ninefold new` writes, and what a half-known service starts from. */
import { basename, extname } from "node:path";
import { itemsOfParts, partNames, partTitles } from "../syntax/nodes.ts";

export function emptyDocument(name: string): string {
  const parts = partNames.map((part) => {
    const items = itemsOfParts[part].map((item) => `- ${capital(item)}: not shown`);
    return `## ${partTitles[part]}\n\n${items.join("\n")}\n`;
  });
  return [`# Interface Specification: ${name}\n`, ...parts].join("\n");
}

/** `parcel-desk.md` → `Parcel Desk` */
export function nameFromFile(file: string): string {
  const words = basename(file, extname(file))
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return words.map(capital).join(" ") || "Unnamed Service";
}

function capital(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
