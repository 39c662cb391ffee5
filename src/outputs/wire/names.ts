/** Names in the target language: words are joined, and each name is unique. */
import type { Position } from "../../source/source.ts";
import type { OutputNote } from "../output.ts";

/**
 * `give_back`, `give-back`, `secret key` → `give`, `back` …; a capital starts a word:
 * `PaymentIntent`.
 */
export function wordsOf(text: string): readonly string[] {
  return text
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== "");
}

/** `give_back` → `GiveBack`. */
export function pascal(text: string): string {
  return wordsOf(text)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
}

/** `give_back` → `giveBack`; `SMSMessage` → `smsMessage`. */
export function camel(text: string): string {
  const [first = "", ...rest] = wordsOf(text);
  const small = /^[A-Z]+$/.test(first)
    ? first.toLowerCase()
    : first.slice(0, 1).toLowerCase() + first.slice(1);
  return small + rest.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
}

/** `a parcel reaches its recipient` → `a-parcel-reaches-its-recipient`. */
export function kebab(text: string): string {
  return wordsOf(text)
    .map((word) => word.toLowerCase())
    .join("-");
}

/** `Parcel` → `Parcels`, `Category` → `Categories`, `Address` → `Addresses`. */
export function plural(name: string): string {
  if (/[^aeiou]y$/.test(name)) return `${name.slice(0, -1)}ies`;
  return /(s|x|z|ch|sh)$/.test(name) ? `${name}es` : `${name}s`;
}

/**
 * Allocates each name once: the first caller gets its name, a later caller the next of its
 * preferences that is free.
 */
export interface Names {
  /** @param preferred from best to worst; after the last come `2`, `3` … */
  take(
    preferred: readonly string[],
    subject: { readonly subject: string; readonly position: Position },
  ): string;
  readonly notes: readonly OutputNote[];
}

/** @param usedNames reserved names of the target language */
export function createNames(usedNames: Iterable<string> = []): Names {
  const known = new Set(usedNames);
  const notes: OutputNote[] = [];
  return {
    notes,
    take(preferred, { subject, position }) {
      const name = preferred.find((base) => !known.has(base)) ?? numbered(preferred.at(-1) as string, known);
      known.add(name);
      if (name !== preferred[0])
        notes.push({ message: `${subject} is named ${name}, because ${preferred[0]} is in use.`, position });
      return name;
    },
  };
}

function numbered(base: string, known: ReadonlySet<string>): string {
  let number = 2;
  while (known.has(`${base}${number}`)) number += 1;
  return `${base}${number}`;
}
