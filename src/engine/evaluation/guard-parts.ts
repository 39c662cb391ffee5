/**
 * Guard parts: splits a guard at its `&&`, so that the console can show which part prevents a
 * transition.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import { conjuncts } from "../../expressions/nodes.ts";

export interface GuardPart {
  readonly text: string;
  readonly node: Node;
}

/**
 * Splits a guard into its parts. The result is the whole guard if its text and its node cannot be
 * split in the same way.
 */
export function guardParts({ text, node }: Expression): readonly GuardPart[] {
  const nodes = conjuncts(node);
  const texts = conjunctTexts(text);
  if (nodes.length !== texts.length) return [{ text, node }];
  return nodes.map((part, at) => ({ text: texts[at] as string, node: part }));
}

/**
 * Splits an expression at each `&&` that is outside brackets and quotes. Brackets around the whole
 * expression are removed first.
 */
export function conjunctTexts(expression: string): readonly string[] {
  const text = expression.trim();
  const texts: string[] = [];
  let depth = 0;
  let start = 0;
  let closesAt = text.length - 1;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text.charAt(at);
    if (sign === '"' || sign === "'") at = endOfText(text, at);
    else if ("([{".includes(sign)) depth += 1;
    else if (")]}".includes(sign)) {
      depth -= 1;
      if (depth === 0) closesAt = Math.min(closesAt, at);
    } else if (depth === 0 && (text.startsWith("||", at) || sign === "?")) return [text];
    else if (depth === 0 && text.startsWith("&&", at)) {
      texts.push(text.slice(start, at));
      at += 1;
      start = at + 1;
    }
  }
  const isInBrackets = texts.length === 0 && text.startsWith("(") && closesAt === text.length - 1;
  if (isInBrackets && text.length > 2) return conjunctTexts(text.slice(1, -1));
  const parts = [...texts, text.slice(start)].map((name) => name.trim());
  return parts.length === 1 ? parts : parts.flatMap((part) => conjunctTexts(part));
}

/** Returns the end of the quoted text that starts at a position. */
function endOfText(text: string, start: number): number {
  const quote = text[start];
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
