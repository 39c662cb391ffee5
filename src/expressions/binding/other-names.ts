/** Functions by their names in other languages, and what to write instead of them. */
import type { Type } from "../type.ts";

export interface Replacement {
  readonly names: readonly string[];
  /** An example for a text, a number or an expression without an argument. */
  readonly example?: string;
  /** An example for a list. */
  readonly ofList?: string;
}

export const replacements: readonly Replacement[] = [
  { names: ["average", "avg", "mean"], ofList: "this.items.sum(x, double(x.value)) / this.items.count()" },
  { names: ["length", "len"], example: "size(this.name)", ofList: "size(this.items)" },
  { names: ["includes"], example: 'this.name.contains("part")', ofList: '"part" in this.names' },
  { names: ["concat"], example: 'this.name + " (copy)"', ofList: "this.names + this.others" },
  { names: ["slice", "substr"], example: "this.name.substring(0, 2)" },
  { names: ["toLowerCase", "lowerAscii", "lowercase", "downcase"], example: "lower(this.name)" },
  { names: ["toUpperCase", "upperAscii", "uppercase", "upcase"], example: "upper(this.name)" },
  { names: ["coalesce", "ifNull", "nvl"], example: "or(this.count, 0)", ofList: "or(this.names, [])" },
  { names: ["some", "any"], ofList: "this.items.exists(x, x.open)" },
  { names: ["every"], ofList: "this.items.all(x, x.open)" },
  { names: ["find"], ofList: "this.items.first(x, x.open)" },
  { names: ["unique", "uniq"], ofList: "this.items.distinct()" },
  { names: ["orderBy", "sortBy"], ofList: "this.items.sort(x, x.name)" },
  { names: ["toString", "str"], example: "string(this.count)" },
  { names: ["parseInt", "toInt"], example: "int(this.name)" },
  { names: ["parseFloat", "toFloat"], example: "double(this.name)" },
  { names: ["today", "currentDate"], example: "date(now)" },
  { names: ["addDays", "dateAdd"], example: 'now + duration("24h")' },
  { names: ["ceiling"], example: "ceil(this.count)" },
  { names: ["encodeURIComponent"], example: "urlEncode(this.name)" },
  { names: ["randomUUID", "guid"], example: "uuid()" },
];

const byName: ReadonlyMap<string, Replacement> = new Map(
  replacements.flatMap((replacement) =>
    replacement.names.map((name) => [name.toLowerCase(), replacement] as const),
  ),
);

export function isOtherName(name: string): boolean {
  return byName.has(name.toLowerCase());
}

/**
 * What to write instead of a function of another language; undefined if it isn't known for the
 * argument.
 * @param first the type of the value that it is called for; undefined if there is none, or if it isn't known
 */
export function adviceForOtherName(name: string, first: Type | undefined): string | undefined {
  const { example, ofList } = byName.get(name.toLowerCase()) ?? {};
  const isList = first?.kind === "list" || first?.kind === "collection";
  const found = isList ? ofList : (example ?? (first === undefined ? ofList : undefined));
  return found && `Write it as in \`${found}\`.`;
}
