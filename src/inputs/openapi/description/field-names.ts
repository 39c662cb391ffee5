/**
 * Names of the notation for the keys of a description. A key that is no such name keeps it on the
 * wire: `sent as "+1"`.
 */
import { ruleNamed } from "../../../fields/rules/index.ts";

/** Whether the notation accepts a name: letters, digits and `_`, at most 64 characters. */
export function isName(text: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,63}$/.test(text) && !isReserved(text);
}

/** Names of JavaScript's objects, and words that are read as gaps. */
function isReserved(text: string): boolean {
  return /^(__proto__|constructor|prototype|TBD|TODO|[Uu]nknown)$/.test(text);
}

/** Names of inputs may contain dots and dashes. */
export function isInputName(text: string): boolean {
  return text
    .split(".")
    .every(
      (part) =>
        /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(part) && !/^(__proto__|constructor|prototype)$/.test(part),
    );
}

export interface StatedName {
  readonly name: string;
  /** The rule that states the key, if it is another. */
  readonly rules: readonly string[];
}

/** The names of keys that are sent together. A key that no rule can state has none. */
export function statedNames(
  keys: Iterable<string>,
  isSound: (key: string) => boolean = isName,
): ReadonlyMap<string, StatedName> {
  const all = [...keys];
  const used = new Set(all.filter(isSound).map((key) => key.toLowerCase()));
  return new Map(
    all.flatMap((key): [string, StatedName][] => {
      if (isSound(key)) return [[key, { name: key, rules: [] }]];
      if (!canBeSentAs(key)) return [];
      const preferred = similarName(key);
      let name = preferred;
      for (let n = 2; used.has(name.toLowerCase()); n++) name = `${preferred}_${n}`;
      used.add(name.toLowerCase());
      return [[key, { name, rules: [sentAsRule(key)] }]];
    }),
  );
}

/** The rule in a cell of a table. */
export function sentAsRule(name: string): string {
  return ruleNamed({ rule: "sent as", name }).replaceAll("|", "\\|");
}

/** Whether `sent as` can state the key. */
export function canBeSentAs(key: string): boolean {
  const isReserved = /^(__proto__|constructor|prototype)$/.test(key);
  return (
    key.trim() === key &&
    key !== "" &&
    key.length <= 200 &&
    !/["\\`\p{Cc}]|\?$|<!--/u.test(key) &&
    !isReserved
  );
}

function similarName(key: string): string {
  const words = key
    .replace(/<$/, " before")
    .replace(/>$/, " after")
    .replace(/^\+/, "plus ")
    .replace(/^-(?=\d)/, "minus ")
    .replace(/[^A-Za-z0-9_]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .slice(0, 56);
  if (words === "") return "other";
  if (isReserved(words)) return `${words}_key`;
  return /^\d/.test(words) ? `n_${words}` : words;
}
