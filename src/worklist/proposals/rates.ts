/**
 * Proposes the rates that a comment of an import has from descriptions, and the headers that have
 * them. Whom a rate is about is in no description.
 */
import { itemsOf, isNotShown, keyText } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import type { Edit } from "../document/edits.ts";
import { lineOf, type SourceDocument } from "../document/source-document.ts";

export function proposeRates(document: SourceDocument): readonly Proposal[] {
  const items = itemsOf(document.parts.limits?.body ?? []);
  const open = items.find(({ key, value }) => keyText(key) === "rate limits" && isNotShown(value));
  const [, seen = ""] = /<!-- openapi limits: (.*?) -->/.exec(document.source.text) ?? [];
  const rates = [...seen.matchAll(/a description has "(\d+ per (second|minute|hour|day))"/g)];
  const units = new Set(rates.map(([, , unit]) => unit));
  // Two numbers for one unit are about different requests.
  if (!open || rates.length === 0 || units.size < rates.length) return [];
  const rows = rates.map(
    ([, bound, unit]) => `| rate${rates.length > 1 ? ` ${unit}` : ""} | ${bound} | not shown |`,
  );
  const line = lineOf(open);
  return [
    {
      kind: "rate-limits",
      subject: "rates",
      at: line,
      edits: [...rows.map((limit) => ({ limit })), ...headerEdits(document, seen, line)],
      evidence: rates.map(([text]) => text),
    },
  ];
}

/** Replaces the gap by the item of the rate headers, and removes these headers from endpoints. */
function headerEdits({ endpoints }: SourceDocument, seen: string, line: number): readonly Edit[] {
  const names = new Set(
    [...seen.matchAll(/\bX-RateLimit-(\w+)/gi)].map(([, name = ""]) => name.toLowerCase()),
  );
  const isStructured = /\bRateLimit-Policy\b/i.test(seen) && /\bRateLimit(?!-)/i.test(seen);
  const isUnix = seen.includes("X-RateLimit-Reset is a Unix time");
  const known = ["limit", "remaining", "used", "reset"].filter((name) => names.has(name));
  const isKnown = known.length > 1 && known.length === names.size && (!names.has("reset") || isUnix);
  if (!isStructured && !isKnown) return [{ line, text: undefined }];
  const parts = known.map((name) => (name === "reset" ? "reset as unix seconds" : name)).join(", ");
  const form = isStructured ? /^RateLimit(-Policy)?: not shown$/i : /^X-RateLimit-\w+: not shown$/i;
  const stated = endpoints.flatMap(({ section }) =>
    itemsOf(section.body).filter(
      ({ key, value }) => keyText(key) === "header" && form.test(value.text.trim()),
    ),
  );
  return [
    { line, text: `- Rate headers: ${isStructured ? "RateLimit" : `X-RateLimit (${parts})`}` },
    ...stated.map((item) => ({ line: lineOf(item), text: undefined })),
  ];
}
