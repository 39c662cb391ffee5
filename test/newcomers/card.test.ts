/**
 * Language card: it is short, its document is valid and runs, and it shows every word of the
 * notation that documents use.
 */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../src/cli/testing/run-command.ts";
import { compile } from "../../src/compile.ts";
import { phrasesOf, registers } from "../coverage/register.ts";
import { textOf } from "../repository/repository.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const card = textOf("docs/card.md");
const document = /^`{4}markdown\n([\s\S]*?)^`{4}$/m.exec(card)?.[1] as string;

/** Kinds of words that the card shows completely; `explain` covers the others. */
const kinds = ["resource item", "endpoint item", "part item", "type", "rule", "trigger", "effect", "does"];
/** Phrases that describe a word and are not notation themselves. */
const tellings =
  /^(?:not shown|same doesn't|entering anew|a guard|caller is|through an|the left|one in|the default of|an upsert refuses|several with|one of a|Shop|for x in|clear)/;
/** Forms that another form covers (`signed_by = body.signed_by`, `8..`), and values of one item. */
const forms =
  /^(?:string or |ignored$|omitted$|microseconds$|unix |RFC |deliver |[a-z.]+_?[a-z]* = |8\.\.|\d|charge\.)/;

test("it has at most 6 kB", () => {
  assert.ok(Buffer.byteLength(card) <= 6 * 1024, `${Buffer.byteLength(card)} bytes`);
});

test("its document has no mistake and no gap", () => {
  const { diagnostics } = compile(document, { file: "card.md" });
  assert.deepEqual(
    diagnostics.map(({ position, message }) => `${position.start.line}: ${message}`),
    [],
  );
});

test("its scenario passes, and `ninefold help card` prints it", async () => {
  const file = join(temporaryFolder(), "card.md");
  writeFileSync(file, document);
  const { code, out, complaints } = await runCommand("test", file);
  assert.equal(code, 0, out + complaints);
  assert.equal((await runCommand("help", "card")).out, card);
});

test("it contains every item, rule, type, trigger, effect and operation", () => {
  const missing = Object.values(registers)
    .flatMap(phrasesOf)
    .flatMap((phrase) => {
      const at = phrase.indexOf(": ");
      const [kind, rest] = [phrase.slice(0, at), phrase.slice(at + 2)];
      if (!kinds.includes(kind) || tellings.test(rest) || forms.test(rest)) return [];
      const word = wordOf(kind, rest);
      return card.includes(word) ? [] : [`${kind}: ${word}`];
    });
  assert.deepEqual([...new Set(missing)], []);
});

/** The word of a phrase that the card must contain: `Idempotency`, `length`, `upsert`. */
function wordOf(kind: string, rest: string): string {
  if (kind === "does" || kind === "effect" || kind === "trigger")
    return /^[a-z]+(?: in)?/.exec(rest)?.[0] ?? rest;
  if (kind === "rule" || kind === "type")
    return /^[a-zA-Z= -]*[a-zA-Z=]/.exec(rest)?.[0]?.replace(/ (?:T|where)$/, "") ?? rest;
  return /^[A-Za-z][\w -]*?(?=:| at |$)/.exec(rest)?.[0] ?? rest;
}
