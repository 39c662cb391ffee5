/**
 * The items and tables of a part in which level-3 headings only group (events, errors, limits),
 * without the content of headings with a form of their own. Part 4 reads `### Shape: …` everywhere.
 */
import type { Block, DocumentNode, ItemNode, PartName, Section, TableNode } from "../../../syntax/nodes.ts";
import { itemsOf, tablesOf } from "../../../syntax/read.ts";

export interface PartBlocks {
  readonly items: readonly ItemNode[];
  readonly tables: readonly TableNode[];
  /** Headings that only group rows. */
  readonly groups: readonly Section[];
}

export function partBlocks(document: DocumentNode, part: PartName): PartBlocks {
  const node = document.parts[part];
  if (!node) return { items: [], tables: [], groups: [] };
  const groups = node.sections.filter((section) => !isShapeHeading(section.heading.text));
  const blocks: Block[] = [...node.body, ...groups.flatMap((group) => group.body)];
  return { items: itemsOf(blocks), tables: tablesOf(blocks), groups };
}

/** Whether a `cel` block is unread, because its heading only groups. */
export function unreadFence(group: Section): boolean {
  return group.body.some((block) => block.kind === "fence" && block.language === "cel");
}

/** `### Shape: Page`, `### Shape: Issue of Issue`. */
export function isShapeHeading(heading: string): boolean {
  return /^shape\s*:/i.test(heading.trim());
}
