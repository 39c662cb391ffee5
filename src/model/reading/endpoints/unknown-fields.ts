/** Reads `Unknown fields`, of the part or of an endpoint. */
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { nearest } from "../../../support/nearest.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import type { Endpoint, Gap, UnknownFieldTreatment } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";

const treatments = ["rejected", "ignored"] as const satisfies readonly UnknownFieldTreatment[];

/**
 * `rejected`, or `ignored in query, rejected in body`. A place that isn't named stays silent.
 * Undefined if the value can't be read, which is reported.
 *
 * @param owner the endpoint, or "the endpoints"
 */
export function readUnknownFields(
  item: ItemNode,
  owner: string,
  ctx: BuildContext,
): Endpoint["unknownFields"] {
  const stated: { query?: UnknownFieldTreatment | Gap; body?: UnknownFieldTreatment | Gap } = {};
  for (const piece of splitOutside(unquote(item.value), ",")) {
    const [, word = "", place] = /^(.*?)(?: in (query|body))?$/s.exec(keyText(piece)) ?? [];
    const places = place === undefined ? (["query", "body"] as const) : [place as "query" | "body"];
    const treatment = word === "not shown" ? openTreatment(item, piece, owner, ctx) : treatmentOf(word);
    if (treatment === undefined) return unreadable(piece, word, ctx);
    for (const of of places) {
      if (stated[of] !== undefined) return unreadable(unquote(item.value), "", ctx);
      stated[of] = treatment;
    }
  }
  return stated;
}

function treatmentOf(word: string): UnknownFieldTreatment | undefined {
  return treatments.find((known) => known === word);
}

function openTreatment(item: ItemNode, piece: Phrase, owner: string, { ledger }: BuildContext): Gap {
  const subject = `"${item.key.text}" of ${owner}`;
  return ledger.gap("endpoints", "payload shapes", subject, positionIn(piece));
}

function unreadable(value: Phrase, word: string, { reporter }: BuildContext): undefined {
  if (/^\w+$/.test(word)) {
    // Only the word is wrong: the place behind it stays when the hint is applied.
    const wrong = slice(trim(value), 0, word.length);
    reporter.report("endpoints/unknown-word", positionIn(wrong), {
      text: wrong.text,
      what: "treatment of unknown fields",
      nearest: nearest(word, treatments),
      known: treatments,
    });
  } else
    reporter.report("endpoints/unreadable", positionIn(value), {
      text: value.text,
      expected: "`rejected` or `ignored`, for each place once: `ignored in query, rejected in body`",
    });
}
