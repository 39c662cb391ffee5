/**
 * Embedded values and shapes in older versions: responses have them with the names of the version,
 * while the document's expressions use the current names.
 */
import type { Json } from "../../src/support/json.ts";
import { twoVersions } from "../contracts/serve-document.ts";
import { showsInBothVersions } from "./in-both-versions.ts";

const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required, length 1..8 |
| amount | integer | required, 1..120 |
| unit | string | default \`"piece"\` |
| at | timestamp | |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..50 |
| first | Line | |
| lines | list of Line | |
| named | map of Line | |
| shelves | map of list of Line | |
| secret | string | write-only |`;
const shapes = `### Shape: Short of Note

\`\`\`cel
{"head": this.text, "first": this.first, "lines": this.lines.map(line, {"sku": line.sku, "line": line}), "none?": this.secret}
\`\`\`

### Shape: Some of Note

\`\`\`cel
pick({"head": this.text, "first": this.first, "size": size(this.lines)}, ["head", "size"])
\`\`\``;
const versioning = twoVersions(`- Renamed: Line.text to Line.sku
- Replaced: Line.amount, new \`old * 12\`, old \`new / 12\`
- Renamed: Line.dozens to Line.amount
- Added: Line.unit
- Renamed: Short.top to Short.head
- Renamed: Some.top to Some.head`);

/** The responses by their subject. */
const answers = {
  "a field": `this.first`,
  "a list": `this.lines`,
  "a map": `this.named`,
  "a map of lists": `this.shelves`,
  "one of a map": `this.named["gift"]`,
  "one of a map that isn't there": `this.named["none"]`,
  "a key of a map as it is written": `{"q": this.first}.q`,
  "a choice": `this.text == "order" ? this.first : this.lines.first()`,
  "a choice of shapes": `this.text == "order" ? Short(this) : null`,
  "the first that is there": `or(this.named["none"], this.first)`,
  "the first shape that is there": `or(this.text == "x" ? Short(this) : null, Short(this))`,
  "a value and more": `merge(this.first, {"more": this.named})`,
  "some of a value": `pick(this.first, ["sku", "amount", "unit"])`,
  "some of a shape": `pick(Short(this), ["head"])`,
  "a shape of some": `Some(this)`,
  "a list of some": `this.lines.filter(line, line.amount > 24)`,
  "the first of a list": `this.lines.first(line, line.sku == "c")`,
  "the last of a list": `this.lines.last()`,
  "a list of two": `[this.first, this.lines[1]]`,
  "the first of two": `[this.first, this.lines[1]].first()`,
  "two that compute something": `[this.first, this.lines[1]].map(line, line.sku)`,
  "lists in one": `[this.lines, [this.first]].flatten()`,
  "what was made and chosen": `this.lines.map(line, line).filter(line, line.amount > 24)`,
  "what was made and ordered": `this.lines.map(line, {"line": line}).sort(made, 0 - made.line.amount)`,
  "what was made once": `[this.first, this.first].map(line, {"line": line}).distinct()`,
  "what was made and made again": `this.lines.map(line, {"line": line}).map(made, {"made": made, "sku": made.line.sku, "again": made.line})`,
  "a shape by a name": `[Short(this)].map(short, {"short": short, "head": short.head})`,
  "a key of a shape": `string(this.first.sku) + Short(this).head`,
  "a key of a value that was put together": `{"q": this.first}.q.sku`,
  "a shape inside of a list": `this.lines.map(line, {"short": Short(this), "all": this.named, "sku": line.sku, "line": line})`,
  "a list inside of a map": `this.named.map(key, {"lines": this.lines, "key": key, "line": this.named[key]})`,
  "how many there are": `[this.first, this.lines[1]].filter(line, line.amount == 12).count()`,
} as const;

/** Expressions that only read the store. */
const ofAll = {
  "shapes of all": `Note.map(note, Short(note))`,
  "the first shape of all": `Note.map(note, Short(note)).first()`,
  "the shapes for which something holds": `Note.map(note, Short(note)).filter(short, short.head == "order")`,
  "the last shape for which something holds": `Note.map(note, Short(note)).last(short, short.first.amount == 12)`,
  "shapes in order": `Note.map(note, Short(note)).sort(short, short.first.sku)`,
} as const;

const line = (sku: string, amount: number) => ({ sku, amount, at: "2026-01-02T03:04:05Z" });
const sent = {
  text: "order",
  first: line("a", 12),
  lines: [line("b", 24), line("c", 36)],
  named: { gift: line("d", 48), 'with "quotes"': line("e", 60) },
  shelves: { high: [line("f", 72)], low: [] },
};

/** Converts a response of `v2` to the names of `v1` by hand. */
function inOldWords(shown: Json): Json {
  if (Array.isArray(shown)) return shown.map(inOldWords);
  if (shown === null || typeof shown !== "object") return shown;
  const isValue = "at" in shown || ("unit" in shown && "amount" in shown);
  return Object.fromEntries(
    Object.entries(shown).flatMap(([key, item]): [string, Json][] => {
      if (isValue && key === "unit") return [];
      if (isValue && key === "sku") return [["text", item]];
      if (isValue && key === "amount") return [["dozens", Number(item) / 12]];
      // The key of a response keeps its name; only the key of the shape was renamed.
      if (key === "head" && !("short" in shown)) return [["top", item]];
      return [[key, inOldWords(item)]];
    }),
  );
}

showsInBothVersions({
  resources,
  shapes,
  versioning,
  body: "text, first?, lines?, named?, shelves?, secret?",
  sent,
  read: { ...answers, ...ofAll },
  made: answers,
  inOldWords,
});
