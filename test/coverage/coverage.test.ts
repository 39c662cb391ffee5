/** Notation register: compared with the scenarios that prove it, in both directions. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { textOf } from "../repository/repository.ts";
import { elsewhere } from "./phrases/elsewhere.ts";
import { proofsOf } from "./proofs.ts";
import { phrasesOf, registers, strayProse, unknownTables } from "./register.ts";

const folder = import.meta.dirname;
const proofs = readdirSync(folder)
  .filter((name) => name.endsWith(".md"))
  .flatMap((file) => proofsOf(readFileSync(join(folder, file), "utf8")).map((proof) => ({ ...proof, file })));
const proved = new Set([...proofs.flatMap(({ phrases }) => phrases), ...Object.keys(elsewhere)]);

test("the registers cover every table of the reference", () => {
  assert.deepEqual(unknownTables(), []);
});

for (const [name, register] of Object.entries(registers)) {
  test(`every phrase of ${name} has a scenario that fails when it is broken`, () => {
    const unproved = new Set(register.unproved);
    assert.deepEqual(
      phrasesOf(register).filter((phrase) => !proved.has(phrase) && !unproved.has(phrase)),
      [],
    );
  });

  test(`the phrases of ${name} occur in the reference once, and unproved ones have no proof`, () => {
    assert.deepEqual(strayProse(register), []);
    const phrases = phrasesOf(register);
    assert.deepEqual(
      register.unproved.filter((phrase) => proved.has(phrase) || !phrases.includes(phrase)),
      [],
    );
  });
}

test("scenarios prove only phrases of the reference", () => {
  const known = new Set(Object.values(registers).flatMap(phrasesOf));
  const stray = proofs.flatMap(({ file, line, phrases }) =>
    phrases.filter((phrase) => !known.has(phrase)).map((phrase) => `${file}:${line} ${phrase}`),
  );
  assert.deepEqual(stray, []);
});

test("phrases proved elsewhere have their proof there, and none here", () => {
  const known = new Set(Object.values(registers).flatMap(phrasesOf));
  const here = new Set(proofs.flatMap(({ phrases }) => phrases));
  const gone = Object.entries(elsewhere).filter(
    ([phrase, { file, words }]) => !known.has(phrase) || here.has(phrase) || !textOf(file).includes(words),
  );
  assert.deepEqual(
    gone.map(([phrase]) => phrase),
    [],
  );
});

test("every proof has a mutant", () => {
  const without = proofs.filter(({ mutants, scenario }) => mutants.length === 0 || scenario === "");
  assert.deepEqual(
    without.map(({ file, line }) => `${file}:${line}`),
    [],
  );
});
