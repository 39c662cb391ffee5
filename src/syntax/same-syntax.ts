/**
 * Compares two documents by syntax, without positions: the same parts, items, tables and blocks.
 */
import type { Phrase } from "../source/phrase.ts";
import type { Block, DocumentNode } from "./nodes.ts";
import { keyText } from "./read.ts";

export function sameSyntax(a: DocumentNode, b: DocumentNode): boolean {
  return JSON.stringify(plainDocument(a)) === JSON.stringify(plainDocument(b));
}

function plainDocument(document: DocumentNode): unknown {
  return {
    name: document.name?.text,
    intro: document.intro.map(plainBlock),
    parts: Object.values(document.parts).map((part) => ({
      part: part.part,
      body: part.body.map(plainBlock),
      sections: part.sections.map((section) => ({
        heading: section.heading.text,
        body: section.body.map(plainBlock),
      })),
    })),
  };
}

function plainBlock(block: Block): unknown {
  switch (block.kind) {
    case "item": {
      const fence = block.fence && plainBlock(block.fence);
      return { key: keyText(block.key), value: block.value.text, fence };
    }
    case "table":
      return { columns: texts(block.columns), rows: block.rows.map((row) => texts(row.cells)) };
    case "fence":
      return { language: block.language, content: block.content.text };
    case "prose":
      // Blanks at line ends and before the first line are layout.
      return { prose: block.text.text.trim().replace(/[ \t]+$/gm, "") };
  }
}

function texts(phrases: readonly Phrase[]): string[] {
  return phrases.map((phrase) => phrase.text);
}
