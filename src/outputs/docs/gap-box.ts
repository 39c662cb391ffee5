/**
 * A gap box: what the document does not state at the place of the content, and what would close the
 * gap.
 */
import type { ItemName } from "../../syntax/nodes.ts";
import type { LedgerEntry } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import { gapAnswers } from "./gap-answers.ts";
import { inlineCode } from "./highlight.ts";
import { type Html, html, joinHtml } from "./html.ts";
import { anchorOf } from "./links.ts";
import { linkTo, type Site } from "./site.ts";

export function gapBox(subject: string, position: Position, further?: Html): Html {
  return html`<div class="gap"><p><strong>Not shown:</strong> ${subject} (line ${position.start.line} of the document). ${further}</p></div>`;
}

export function isOpen(entry: LedgerEntry): boolean {
  return entry.answer === "not shown" || entry.answer === "silent";
}

/** The open items among these, as one box; nothing where all are answered. */
export function itemGaps(site: Site, items: readonly ItemName[]): Html | undefined {
  const open = site.model.ledger.filter((entry) => items.includes(entry.item) && isOpen(entry));
  if (open.length === 0) return undefined;
  return html`<div class="gap"><p><strong>Not shown:</strong> ${joinHtml(
    open.map((entry) => linkTo(site, anchorOf.item(entry.item), entry.item)),
    ", ",
  )}.</p>
<ul class="plain">${open.map((entry) => html`<li>${answerWords(entry)}</li>`)}</ul></div>`;
}

/** What a reader would learn from the item, and the lines that would close the gap. */
export function answerWords(entry: LedgerEntry): Html {
  const { question, lines } = gapAnswers[entry.item];
  return html`${question} To answer it, write ${joinHtml(
    lines.map((line) => inlineCode(line)),
    " or ",
  )}.`;
}

/** Whether the document answers the item with `none`. */
export function isNone(site: Site, item: ItemName): boolean {
  return site.model.ledger.some((entry) => entry.item === item && entry.answer === "none");
}
