/**
 * Statements about complete items (notation, "What a document is" and "The 26 items"): `- Webhooks:
 * not shown`, and the one sentence form that is recognised, `Events, webhooks or notifications: not
 * shown.`
 */
import { type Phrase, positionIn } from "../source/phrase.ts";
import type { Position } from "../source/source.ts";
import {
  type Block,
  type ItemName,
  type ItemNode,
  itemsOfParts,
  type PartName,
  type PartNode,
} from "./nodes.ts";
import { isNone, isNotShown, keyText } from "./read.ts";

/** An answer to a complete item, and the smallest text that states it. */
export interface Statement {
  readonly item: ItemName;
  readonly answer: "none" | "not shown";
  readonly position: Position;
}

/** The statements before the first section of a part: items with `none` or `not shown`, and gap sentences. */
export function statementsOf(part: PartNode): Statement[] {
  const statements = part.body.flatMap((block) => statementsIn(part.part, block));
  if (!headingsOnlyGroup.has(part.part)) return statements;
  // Sentences count only before the first heading. Items count anywhere in the part.
  const items = part.sections.flatMap((section) => section.body.filter((block) => block.kind === "item"));
  return [...statements, ...items.flatMap((item) => itemStatements(part.part, item))];
}

/** Parts in which a level-3 heading only groups rows. In other parts it names a subject that its items are about. */
const headingsOnlyGroup: ReadonlySet<PartName> = new Set(["events", "errors", "limits"]);

function statementsIn(part: PartName, block: Block): Statement[] {
  if (block.kind === "prose") return sentenceStatements(part, block.text);
  if (block.kind === "item") return itemStatements(part, block);
  return [];
}

/**
 * The complete items that an item is about. Empty if its key names none, or its value states
 * something else.
 */
export function itemStatements(part: PartName, item: ItemNode): Statement[] {
  if (item.fence) return [];
  const answer = isNone(item.value) ? "none" : isNotShown(item.value) ? "not shown" : undefined;
  if (answer === undefined) return [];
  return itemsNamed(part, keyText(item.key), answer).map((name) => ({
    item: name,
    answer,
    position: item.position,
  }));
}

function itemsNamed(part: PartName, key: string, answer: "none" | "not shown"): readonly ItemName[] {
  // Part 5: without a scheme there are no credentials, and no placement.
  if (part === "authentication" && key === "scheme" && answer === "none") return itemsOfParts.authentication;
  if (part === "versioning" && key === "scheme") return ["version scheme"];
  if (part === "versioning" && key === "compatibility") return ["compatibility rules"];
  return (itemsOfParts[part] as readonly ItemName[]).filter((name) => name === key);
}

const ending = /:\s+(not\s+shown|none)\.$/i;
const alone = /^\s*(not\s+shown|none)\.?$/i;

/**
 * A paragraph of one sentence that ends in `: not shown.` or `: none.` applies to every item that
 * it names, or to all items of the part if it names none. So does a paragraph of only these words.
 */
export function sentenceStatements(part: PartName, phrase: Phrase): Statement[] {
  const text = phrase.text.trimEnd();
  const end = alone.exec(text) ?? ending.exec(text.slice(-40));
  if (!end) return [];
  const subject = text.slice(0, text.length - end[0].length);
  // With another full stop inside, the text is several sentences, and therefore description.
  if (/[.!?](\s|$)/.test(subject)) return [];
  const answer = (end[1] as string).toLowerCase() === "none" ? "none" : "not shown";
  const names: readonly ItemName[] = itemsOfParts[part];
  const named = names.flatMap((item) => {
    const at = wordsAt(subject, item);
    return at === undefined ? [] : [{ item, answer, position: positionIn(phrase, at.from, at.to) } as const];
  });
  if (named.length > 0) return named;
  return names.map((item) => ({ item, answer, position: positionIn(phrase) }));
}

/** Index of a name as whole words, in any case, possibly over a line break. */
function wordsAt(text: string, name: string): { from: number; to: number } | undefined {
  const words = name.split(" ").join("\\s+");
  const match = new RegExp(`(?<![\\p{L}\\p{N}_-])${words}(?![\\p{L}\\p{N}_-])`, "iu").exec(text);
  return match ? { from: match.index, to: match.index + match[0].length } : undefined;
}
