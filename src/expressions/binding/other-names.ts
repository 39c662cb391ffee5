/** Functions by their names in other languages, and what to write instead of them. */
export const writings: readonly (readonly [names: readonly string[], writing: string])[] = [
  [["average", "avg", "mean"], "this.items.sum(x, double(x.value)) / this.items.count()"],
  [["length", "len", "charLength"], "size(this.name)"],
  [["includes", "indexOf", "has_substring"], 'this.name.contains("part")'],
  [["toLowerCase", "lowerAscii", "lowercase", "downcase"], "lower(this.name)"],
  [["toUpperCase", "upperAscii", "uppercase", "upcase"], "upper(this.name)"],
  [["concat"], 'this.name + " (copy)"'],
  [["coalesce", "ifNull", "nvl"], "or(this.count, 0)"],
  [["some", "any"], "this.items.exists(x, x.open)"],
  [["every"], "this.items.all(x, x.open)"],
  [["find", "find_first"], "this.items.first(x, x.open)"],
  [["unique", "uniq"], "this.items.distinct()"],
  [["orderBy", "sortBy", "order_by", "sort_by"], "this.items.sort(x, x.name)"],
  [["reduce", "fold"], "this.items.sum(x, x.value)"],
  [["toString", "str", "text"], "string(this.count)"],
  [["parseInt", "toInt", "integer"], "int(this.name)"],
  [["parseFloat", "number", "float"], "double(this.name)"],
  [["today", "currentDate"], "date(now)"],
  [["dateAdd", "addDays"], 'now + duration("24h")'],
  [["ceiling"], "ceil(this.count)"],
  [["substr", "slice"], "this.name.substring(0, 2)"],
  [["encodeURIComponent"], "urlEncode(this.name)"],
  [["randomUUID", "newid", "guid"], "uuid()"],
];

const byName: ReadonlyMap<string, string> = new Map(
  writings.flatMap(([names, writing]) => names.map((name) => [name.toLowerCase(), writing] as const)),
);

/** What to write instead of a function of another language; undefined if it isn't known. */
export function adviceForOtherName(name: string): string | undefined {
  const writing = byName.get(name.toLowerCase());
  return writing && `Write it as in \`${writing}\`.`;
}
