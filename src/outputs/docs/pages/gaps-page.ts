/**
 * The ledger: what the document answers to each of the 26 items, and what would answer those that
 * are open.
 */
import { itemsOfParts, partNames, partTitles } from "../../../syntax/nodes.ts";
import type { LedgerEntry } from "../../../model/model.ts";
import { answerWords, isOpen } from "../gap-box.ts";
import { type Html, html } from "../html.ts";
import { anchorOf } from "../links.ts";
import { gapWords } from "../page.ts";
import type { Page, Site } from "../site.ts";

export function gapsPage(site: Site): Page {
  const { model } = site;
  const open = model.ledger.filter(isOpen);
  return {
    path: "gaps.html",
    title: "Gaps",
    description: `The gaps in the document of ${model.name}`,
    body: html`<h1>Gaps</h1>
<p class="lead">${open.length === 0 ? "The document answers all 26 items of its nine parts." : `${gapWords(site)}: the open items of the document, and how to answer each. No page has invented values instead.`}</p>
${partNames.map((part) => {
  const entries = model.ledger.filter(
    (entry) => entry.part === part && (itemsOfParts[part] as readonly string[]).includes(entry.item),
  );
  return html`<section><h2 id="part-${part}">${partTitles[part]}</h2>
<table class="cells items"><thead><tr><th scope="col">Item</th><th scope="col">Answer</th><th scope="col">How to answer it</th></tr></thead><tbody>${entries.map(itemRow)}</tbody></table></section>`;
})}`,
    found: open.map((entry) => ({
      u: `gaps.html#${encodeURIComponent(anchorOf.item(entry.item))}`,
      t: entry.item,
      k: "gap",
      w: entry.answer,
      x: "",
    })),
  };
}

const answerChips = { stated: "ok", none: "", "not shown": "open", silent: "open" } as const;

function itemRow(entry: LedgerEntry): Html {
  return html`<tr id="${anchorOf.item(entry.item)}"><th scope="row">${entry.item}</th><td data-column="Answer"><span class="chip ${answerChips[entry.answer]}">${entry.answer}</span> <span class="quiet">line ${entry.position.start.line}</span></td><td>${isOpen(entry) && answerWords(entry)}${entry.smallerGaps.length > 0 && html`<ul class="plain">${entry.smallerGaps.map((gap) => html`<li><span class="chip open">line ${gap.position.start.line}</span> ${gap.subject}</li>`)}</ul>`}</td></tr>`;
}
