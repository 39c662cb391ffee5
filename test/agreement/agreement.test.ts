/**
 * Agreement of functions and SQL: every expression of every document, and random ones over
 * `zoo.md`, evaluated on random records both ways. `NINEFOLD_AGREEMENT_SEED` repeats a run,
 * `NINEFOLD_AGREEMENT_CASES` makes it longer, and `NINEFOLD_AGREEMENT_FOLDER` adds the documents of
 * a folder.
 */
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { functionNamed } from "../../src/expressions/functions/index.ts";
import type { Expression, Node } from "../../src/expressions/node.ts";
import { someNode } from "../../src/expressions/nodes.ts";
import type { Model } from "../../src/model/model.ts";
import { seed as fixedSeed } from "../fixed-seed.ts";
import { type Disagreement, disagreements, wires } from "./cases.ts";
import { createCoverage } from "./coverage.ts";
import { boundIn, reported, zooScope } from "./zoo.ts";
import { randomExpression, randomFrom } from "./expression-texts.ts";
import { namesUsed, randomFrame } from "./frames.ts";
import { createWorld, type World } from "./world.ts";

const seed = Number(process.env["NINEFOLD_AGREEMENT_SEED"] ?? fixedSeed);
const cases = Number(process.env["NINEFOLD_AGREEMENT_CASES"] ?? 1200);
/** Records of each resource that are tried. More records find little more and cost time. */
const recordsOfEach = 6;

function modelOf(file: string): Model {
  const { model } = compile(readFileSync(file, "utf8"), { file });
  assert.ok(model, `${file} has no model`);
  return model;
}

// ── Documents ───────────────────────────────────────────────────────────────────────────────────

const further = process.env["NINEFOLD_AGREEMENT_FOLDER"];
const folders = ["../../examples", "../documents"].map((folder) => join(import.meta.dirname, folder));
if (further !== undefined) folders.push(further);
const documents = folders
  .filter((folder) => existsSync(folder))
  .flatMap((folder) =>
    readdirSync(folder)
      .filter((name) => name.endsWith(".md") && !name.endsWith(".seed.md"))
      .map((name) => join(folder, name)),
  );

for (const file of documents) {
  test(`every expression of ${file} means the same in SQL`, async (context) => {
    context.diagnostic(`seed ${seed}`);
    const model = modelOf(file);
    const world = await createWorld(model, seed, recordsOfEach * 2);
    try {
      const found: string[] = [];
      for (const expression of expressionsIn(model))
        found.push(
          ...(await requested(expression.node, world)).map((disagreement) =>
            reported(expression.text, disagreement),
          ),
        );
      assert.deepEqual(found, [], `NINEFOLD_AGREEMENT_SEED=${seed}`);
    } finally {
      await world.close();
    }
  });
}

function expressionsIn(part: unknown, found: Expression[] = []): readonly Expression[] {
  if (typeof part !== "object" || part === null) return found;
  if ("node" in part && "text" in part) found.push(part as Expression);
  else for (const inner of Object.values(part)) expressionsIn(inner, found);
  return found;
}

async function requested(node: Node, world: World): Promise<readonly Disagreement[]> {
  if (!isComparable(node)) return [];
  const names = namesUsed(node, world);
  const self = names.fixed.get("this");
  const resource =
    self?.kind === "record"
      ? self.resource
      : world.model.resources.find((resource) => world.records.has(resource.name))?.name;
  if (resource === undefined || (self && self.kind !== "record")) return [];
  const found: Disagreement[] = [];
  for (const round of [0, 1]) {
    const frame = randomFrame(names, seed + round * 1000, world);
    const wire = wires[(seed + round) % wires.length] as (typeof wires)[number];
    const { disagreements: differing } = await disagreements(node, resource, frame, world, wire, [
      round === 0,
    ]);
    found.push(...differing);
  }
  return found;
}

/**
 * Whether functions and SQL can be compared. Excludes expressions whose value differs at each
 * evaluation, and those over a page, whose items only the engine has. Also excludes expressions of
 * part 7 that read the resource of an error's record, which the row of a statement lacks.
 */
function isComparable(node: Node): boolean {
  const isOf = (node: Node, names: readonly string[]) => node.op === "fixed" && names.includes(node.name);
  return !someNode(
    node,
    (node) =>
      (node.op === "call" &&
        functionNamed(node.function)?.deterministic === false &&
        node.function !== "token") ||
      (node.op === "field" && node.name === "#resource" && isOf(node.of, ["this", "old"])) ||
      isOf(node, ["page"]),
  );
}

// ── Random expressions ──────────────────────────────────────────────────────────────────────────

test(`${cases} random expressions mean the same in SQL`, async (context) => {
  context.diagnostic(`seed ${seed}`);
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    const scope = zooScope(world);
    const reached = createCoverage(world.meaning.vocabulary);
    let bound = 0;
    for (let number = 0; number < cases; number += 1) {
      const text = randomExpression(randomFrom(seed * 100_003 + number), number);
      const node = boundIn(scope, text);
      if (!node) continue;
      bound += 1;
      reached.note(node);
      const frame = randomFrame(namesUsed(node, world), seed + number, world);
      const wire = wires[number % wires.length] as (typeof wires)[number];
      const directions = [number % 2 === 0];
      const outcome = await requesting(text, number, () =>
        disagreements(node, "Animal", frame, world, wire, directions),
      );
      assert.deepEqual(
        outcome.refused.filter((reason) => !isOurs(reason) || isOfValues(reason)),
        [],
        text,
      );
      const [first] = outcome.disagreements;
      if (first)
        assert.fail(`${reported(text, first)}\n  NINEFOLD_AGREEMENT_SEED=${seed}, expression ${number}`);
    }
    assert.deepEqual(reached.missing(), [], `not evaluated in ${cases} expressions`);
    assert.ok(bound > cases * 0.9, `only ${bound} of ${cases} expressions could be bound`);
  } finally {
    await world.close();
  }
});

test("a case-insensitive comparison within a text doesn't make the text case-insensitive", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    const node = boundIn(zooScope(world), '(this.cage != cage) ? (this.tame ? "a" : "B") : "c"');
    assert.ok(node);
    const frame = randomFrame(namesUsed(node, world), seed, world);
    const { disagreements: found } = await disagreements(
      node,
      "Animal",
      frame,
      world,
      wires[0] as (typeof wires)[number],
    );
    assert.deepEqual(found, []);
  } finally {
    await world.close();
  }
});

test("a literal as one of two branches has the type of both", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    for (const choice of ["this.tame ? 5 : this.counts.a", "this.tame ? (true ? 1 : this.counts.a) : 2"])
      for (const text of [
        `string(${choice})`,
        `decimal(string(${choice}))`,
        `double(${choice})`,
        `abs(${choice})`,
      ]) {
        const node = boundIn(zooScope(world), text);
        assert.ok(node, text);
        const frame = randomFrame(namesUsed(node, world), seed, world);
        for (const wire of wires)
          assert.deepEqual((await disagreements(node, "Animal", frame, world, wire)).disagreements, [], text);
      }
  } finally {
    await world.close();
  }
});

test("a nested key stays a text in the result of a second comprehension", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    const node = boundIn(zooScope(world), 'Feeding.map(f, {"a": this.fed.pen}).filter(m, m != null)');
    assert.ok(node);
    const frame = randomFrame(namesUsed(node, world), seed, world);
    for (const wire of wires)
      assert.deepEqual((await disagreements(node, "Animal", frame, world, wire)).disagreements, []);
  } finally {
    await world.close();
  }
});

test("a map merged from a shape and a choice keeps its timestamp format, and parts of a non-map are null", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    for (const text of [
      'merge(Card(this), this.tame ? {"at": this.born} : {"day": this.day})',
      'merge(this.tame ? {"at": this.born} : {"nap": this.nap}, Card(this))',
      'this.friends.map(f, merge(Card(f), f.tame ? {"at": f.born} : {"at": now}))',
      'merge({"at": this.born}, this.extra)',
      "this.friends.map(f, merge(f.extra, Card(f)))",
      'pick(this.extra, ["a", "b"])',
    ]) {
      const node = boundIn(zooScope(world), text);
      assert.ok(node, text);
      const frame = randomFrame(namesUsed(node, world), seed, world);
      for (const wire of wires) {
        const { disagreements: found } = await disagreements(node, "Animal", frame, world, wire);
        assert.deepEqual(
          found.map((disagreement) => reported(text, disagreement)),
          [],
        );
      }
    }
  } finally {
    await world.close();
  }
});

test("a list of a referenced record is iterated with the others", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, 40);
  try {
    for (const text of [
      "Animal.map(m, m.mother.tags).flatten()",
      "Animal.filter(m, m.mother != null).map(m, m.mother.mother.tags).flatten()",
      "[this.name].map(n, Animal.first(m, m.name == n)).map(m, m.tags).flatten()",
      "[this.cage.code].map(c, Animal.first(m, m.cage.code == c)).map(m, m.counts.map(k, k)).flatten().distinct()",
    ]) {
      const node = boundIn(zooScope(world), text);
      assert.ok(node, text);
      const frame = randomFrame(namesUsed(node, world), seed, world);
      const [wire] = wires;
      assert.deepEqual(
        (await disagreements(node, "Animal", frame, world, wire as (typeof wires)[number])).disagreements,
        [],
      );
    }
  } finally {
    await world.close();
  }
});

test("what SQL can't express is evaluated by the post-filter, also for whole records", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    for (const text of [
      'Animal.filter(a, slug(a.name) != "ab").map(a, a.legs)',
      '["a", "b"].map(v, Long(this))',
      'this.friends.map(f, this.friends.map(g, {"f": Card(f), "g": Card(g), "nap": f.nap}))',
      'Feeding.filter(f, slug(string(f.day)) != "")',
      'Feeding.filter(f, slug(string(f.day)) != "").first().day',
      'Animal.count(a, slug(a.name) == "a") + this.legs',
      "this.extra == body.text || this.extra == this.legs || this.extra in [body.list, this.extra]",
      "this.friends.map(f, this.scores[0]).distinct().sort()[-3]",
      "this.mother.grid.flatten()[9007199254740991]",
      'this.price + decimal("0.10") * 3',
      "Animal.sum(a, a.price)",
      'this.born.getDayOfWeek() + this.nap.getSeconds() + this.day.getDayOfYear() + startOf("week", this.born).getHours()',
      "this.tags == body.list || this.scores != body.numbers",
    ]) {
      const node = boundIn(zooScope(world), text);
      assert.ok(node, text);
      const frame = randomFrame(namesUsed(node, world), seed, world);
      const { refused, disagreements: found } = await disagreements(
        node,
        "Animal",
        frame,
        world,
        wires[0] as (typeof wires)[number],
      );
      assert.deepEqual(
        found.map((disagreement) => reported(text, disagreement)),
        [],
      );
      assert.deepEqual(refused.filter(isOfValues), [], text);
    }
  } finally {
    await world.close();
  }
});

test("a function of the engine selects records: whole records, referenced records, and records that another function has selected", async () => {
  const world = await createWorld(modelOf(join(import.meta.dirname, "zoo.md")), seed, recordsOfEach);
  try {
    for (const text of [
      'this.friends.filter(f, old.key != f.names["a"]).sum(f, f.legs)',
      'this.friends.filter(f, slug(f.name) != "ab").map(f, f.legs)',
      'this.friends.filter(f, slug(f.name) != "ab").filter(f, slug(f.name) != this.name).sum(f, f.legs)',
      'this.friends.first(f, slug(f.name) != "ab").legs',
      'this.friends.filter(f, slug(f.name) != "ab").map(f, f.mother.cage.code)',
      'Animal.filter(a, slug(a.mother.name) != "ab").sort(a, slug(a.name)).map(a, CageCard(a.mother.cage))',
      'Animal.sort(a, slug(a.name)).filter(a, slug(a.name) != this.name).first(a, a.mother.mother.name != "a").cage.code',
      'this.friends.last(f, slug(f.name) != "ab").mother.cage.code',
      "Animal.sort(a, slug(a.name)).last().mother.mother.name",
      'this.friends.first(f, slug(f.name) == "no animal").mother.legs',
      'Animal.filter(a, a.mother.friends.exists(f, slug(f.name) != "a")).sum(a, a.mother.legs)',
      "Animal.last(a, slug(a.name) != slug(this.name)).name",
      "Animal.exists(a, slug(a.name) == this.name) || Animal.all(a, slug(a.name) != this.name)",
      'Animal.exists_one(a, a.mother == this && slug(a.name) != "ab")',
      "Animal.filter(a, a.mother == this).sort(a, slug(a.name)).map(a, a.name)",
      "Animal.max(a, slug(a.name) + this.name)",
      'query.tag.split("a").all(t, slug(this.name).contains(t) || this.tags.exists(o, slug(o) == t))',
      "[body.text, this.name].map(t, slug(t + this.name))",
      'query.tag.split("").map(t, Animal.count(a, a.mother == this) + size(slug(t)))',
    ]) {
      const node = boundIn(zooScope(world), text);
      assert.ok(node, text);
      const frame = randomFrame(namesUsed(node, world), seed, world);
      const [wire] = wires;
      const { refused, disagreements: found } = await disagreements(
        node,
        "Animal",
        frame,
        world,
        wire as (typeof wires)[number],
      );
      assert.deepEqual(
        found.map((disagreement) => reported(text, disagreement)),
        [],
      );
      assert.deepEqual(
        refused.filter((reason) => !isOurs(reason) || isOfValues(reason)),
        [],
        text,
      );
    }
  } finally {
    await world.close();
  }
});

/** Adds the expression and its case to the error of a failure. */
async function requesting<T>(text: string, number: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new Error(`${text}\n  NINEFOLD_AGREEMENT_SEED=${seed}, expression ${number}`, { cause: error });
  }
}

/**
 * Whether SQL rejects the expression because it reads the service's own keys or hashes slowly. A
 * condition or an order can't contain such functions.
 */
function isOfValues(reason: string): boolean {
  return /json|value/.test(reason.split(":")[0] as string);
}

function isOurs(reason: string): boolean {
  return /(token|hash credential|verify)\(\)/.test(reason) || reason.includes("a function of our own");
}
