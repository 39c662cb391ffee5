/**
 * Messages of the console, from the catalogue of the user's language; no other file has visible
 * text. A message may have placeholders, `{count} of {total}`, and a form for each plural category
 * of the language. The types check both at each use.
 */
import { en } from "./en/index.ts";

/** Forms by the categories of CLDR; `count` decides. */
export interface Plural {
  readonly zero?: string;
  readonly one?: string;
  readonly two?: string;
  readonly few?: string;
  readonly many?: string;
  readonly other: string;
}

export type Message = string | Plural;

/** A language: the same messages as in English, translated. */
export type Catalogue = {
  readonly [Page in keyof typeof en]: { readonly [Name in keyof (typeof en)[Page]]: Message };
};

const catalogues: Readonly<Record<string, Catalogue>> = { en };

/** The first of the user's languages that has a catalogue. */
export const language: string =
  navigator.languages
    .map((language) => language.split("-")[0] as string)
    .find((language) => language in catalogues) ?? "en";
const catalogue = catalogues[language] as Catalogue;

type Page = keyof typeof en;
/** `overview.title` */
export type WordKey = { [P in Page]: `${P}.${keyof (typeof en)[P] & string}` }[Page];

type MessageAt<K extends WordKey> = K extends `${infer P extends Page}.${infer N}`
  ? N extends keyof (typeof en)[P]
    ? (typeof en)[P][N]
    : never
  : never;
type TextsOf<M> = M extends string ? M : M extends object ? M[keyof M] : never;
type NamesIn<T> = T extends `${string}{${infer Name}}${infer Rest}` ? Name | NamesIn<Rest> : never;
/** The placeholders of a message. */
type Names<K extends WordKey> =
  | NamesIn<TextsOf<MessageAt<K>>>
  | (MessageAt<K> extends string ? never : "count");

/** The arguments of a message beyond its key. */
export type MessageValues<K extends WordKey, Value> = [Names<K>] extends [never]
  ? readonly []
  : readonly [given: Readonly<Record<Names<K>, Value>>];

const plurals = new Intl.PluralRules(language);
const numbers = new Intl.NumberFormat(language);

/**
 * The message of a key: `t("table.rows", { count: 3 })`. Numbers are formatted for the language.
 */
export function t<K extends WordKey>(key: K, ...[values]: MessageValues<K, string | number>): string {
  return piecesOf(key, values).join("");
}

/** The message of a key, split at its placeholders, for nodes (`RichMessage`). */
export function piecesOf<Value>(
  key: WordKey,
  values: Readonly<Record<string, Value>> | undefined,
): readonly (string | Value)[] {
  const [page, name] = key.split(".") as [Page, never];
  const message = catalogue[page][name] as Message;
  const count = values?.["count"];
  const text =
    typeof message === "string" ? message : (message[plurals.select(Number(count))] ?? message.other);
  return text.split(/\{(\w+)\}/).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const value = values?.[piece];
    return typeof value === "number" ? numbers.format(value) : (value ?? "");
  });
}

/** `1,204` */
export function numberText(number: number): string {
  return numbers.format(number);
}

const rates = new Intl.NumberFormat(language, { style: "percent", maximumFractionDigits: 1 });
/** `0.4 %`, formatted for the language. */
export function percentText(share: number): string {
  return rates.format(share);
}

/** `3 ms`, `1.2 s`: how long something took. */
export function durationText(ms: number): string {
  const unit = (value: number, name: string, digits: number) =>
    new Intl.NumberFormat(language, {
      style: "unit",
      unit: name,
      unitDisplay: "short",
      maximumFractionDigits: digits,
    }).format(value);
  if (ms < 10) return unit(ms, "millisecond", 1);
  if (ms < 1000) return unit(ms, "millisecond", 0);
  if (ms < 60_000) return unit(ms / 1000, "second", 1);
  return unit(ms / 60_000, "minute", 0);
}

const sizes = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
/** `12 kB`: units are powers of 1,000. */
export function bytesText(bytes: number): string {
  const step = Math.min(sizes.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return new Intl.NumberFormat(language, {
    style: "unit",
    unit: sizes[step] as string,
    unitDisplay: "short",
    maximumFractionDigits: step === 0 ? 0 : 1,
  }).format(bytes / 1000 ** step);
}

/** `a, b and c` */
export function listText(texts: readonly string[]): string {
  return new Intl.ListFormat(language).format(texts);
}
