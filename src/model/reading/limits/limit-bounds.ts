/**
 * Bounds of limits (3.8, column `Bound`): the grammar alone. Each parser returns the bound, or the
 * piece that is unreadable.
 */
import { nonNull } from "../../../support/non-null.ts";
import { type Phrase, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { durationMs } from "../../../support/quantity.ts";
import { afterWord, endsNotShown, keyText } from "../../../syntax/read.ts";
import type { PageLimit } from "../../model.ts";
import { splitAtWord } from "../any-part/when-clause.ts";

export interface Unreadable {
  readonly unreadable: Phrase;
}

export interface RateBound {
  readonly count: number;
  readonly periodMs: number;
  readonly burst?: number;
  /** The phrase `burst not shown`, if the burst is a gap. */
  readonly burstOpen?: Phrase;
}

export const rateForms = "`5000 per hour`, or `100 per second, burst 200`";

/** Parses `5000 per hour`, `100 requests per 15 minutes, burst 200`. */
export function parseRate(bound: Phrase): RateBound | Unreadable {
  const [rate, burst, ...more] = splitOutside(unquote(bound), ",");
  if (!rate || more.length > 0) return { unreadable: more[0] ?? bound };
  const match = /^(\d+)(?:\s+requests?)?\s+per\s+(.+)$/i.exec(rate.text);
  const count = match ? Number(match[1]) : Number.NaN;
  const periodMs = match ? durationMs(nonNull(match[2])) : undefined;
  if (!Number.isSafeInteger(count) || count === 0 || !periodMs) return { unreadable: rate };
  if (!burst) return { count, periodMs };
  const burstText = afterWord(burst, "burst");
  if (burstText && endsNotShown(burstText)) return { count, periodMs, burstOpen: burst };
  if (!burstText || !/^\d+$/.test(burstText.text) || Number(burstText.text) === 0)
    return { unreadable: burst };
  return { count, periodMs, burst: Number(burstText.text) };
}

/** Parses `10`, `10 requests`. */
export function parseCount(bound: Phrase): number | undefined {
  const match = /^(\d+)(?:\s+requests?)?$/i.exec(unquote(bound).text);
  const count = match ? Number(match[1]) : 0;
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}

export interface PageBound {
  readonly default?: number;
  readonly maximum?: number;
  readonly over?: PageLimit["over"];
  /** `default not shown`, `maximum not shown`. */
  readonly open: readonly { readonly what: "default" | "maximum"; readonly phrase: Phrase }[];
}

export const pageForms = "`default 20, maximum 100`, optionally with `clamped` or `refused`";

/** Parses `default 20, maximum 100, clamped` in any order. Missing parts are omitted. */
export function parsePage(bound: Phrase): PageBound | Unreadable {
  const read: { default?: number; maximum?: number; over?: PageLimit["over"] } = {};
  const open: { what: "default" | "maximum"; phrase: Phrase }[] = [];
  for (const piece of splitOutside(unquote(bound), ",")) {
    const words = keyText(piece);
    const what = (["default", "maximum"] as const).find((word) => afterWord(piece, word));
    if (words === "clamped" || words === "refused") {
      if (read.over) return { unreadable: piece };
      read.over = words;
      continue;
    }
    if (!what || read[what] !== undefined || open.some((open) => open.what === what))
      return { unreadable: piece };
    const number = afterWord(piece, what) as Phrase;
    if (endsNotShown(number)) open.push({ what, phrase: piece });
    else if (/^\d+$/.test(number.text) && Number(number.text) > 0) read[what] = Number(number.text);
    else return { unreadable: piece };
  }
  return { ...read, open };
}

export interface StoredBound {
  readonly count: number;
  readonly resource: Phrase;
  readonly per: Phrase | undefined;
  readonly where: Phrase | undefined;
}

export const storedForms = "`20 Prediction`, `20 Prediction per Account`, optionally with `where <expr>`";

/** Parses `20 Prediction per Account where <expr>`. */
export function parseStored(bound: Phrase): StoredBound | Unreadable {
  const whole = unquote(bound);
  const [head, where] = splitAtWord(whole, "where") ?? [trim(whole), undefined];
  const [counted, per] = splitAtWord(head, "per") ?? [head, undefined];
  const number = /^\d+/.exec(counted.text)?.[0] ?? "";
  const resource = number === "" ? undefined : afterWord(counted, number);
  const count = Number(number);
  if (!resource || resource.text === "" || !Number.isSafeInteger(count)) return { unreadable: counted };
  if (per?.text === "" || where?.text === "") return { unreadable: whole };
  return { count, resource: unquote(resource), per: per && unquote(per), where };
}

/** The fields of `X-RateLimit (limit, remaining, used, reset as unix seconds)`. */
export type RateHeaderField = "limit" | "remaining" | "used" | "reset" | "reset as unix seconds";

export const rateHeaderForms =
  "`RateLimit`, `X-RateLimit (limit, remaining, reset as unix seconds)` (each may end in `of core`) or `none`";

export function parseRateHeaders(
  value: Phrase,
): "none" | "RateLimit" | { readonly fields: readonly RateHeaderField[] } | Unreadable {
  const bare = unquote(value);
  const text = keyText(bare);
  if (text === "none") return "none";
  if (text === "ratelimit") return "RateLimit";
  const match = /^x-ratelimit\s*\(([^()]*)\)$/.exec(text);
  if (!match) return { unreadable: bare };
  const fields: RateHeaderField[] = [];
  for (const name of nonNull(match[1])
    .split(",")
    .map((piece) => piece.trim())) {
    const known = ["limit", "remaining", "used", "reset", "reset as unix seconds"] as const;
    const field = known.find((known) => known === name || `${known} as seconds` === name);
    if (!field || fields.some((known) => known.split(" ")[0] === field.split(" ")[0]))
      return { unreadable: bare };
    fields.push(field);
  }
  return { fields };
}
