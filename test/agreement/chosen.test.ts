/**
 * Chosen expressions: each has its own SQL form, and is evaluated on the zoo's records in both
 * databases and in functions. Random expressions (`agreement.test.ts`) find more; these are fast,
 * and always the same.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { compile } from "../../src/compile.ts";
import { seed } from "../fixed-seed.ts";
import { disagreements, wires } from "./cases.ts";
import { namesUsed, randomFrame } from "./frames.ts";
import { createWorld, type World } from "./world.ts";
import { boundIn, reported, zooScope } from "./zoo.ts";

const chosen: Readonly<Record<string, readonly string[]>> = {
  "operations on null": [
    "null == this.name",
    "null != this.cage",
    "this.mother.mother.name",
    "Card(this.mother)",
    "CageCard(this.mother.cage)",
    "this.mother.meal.heavy",
    "this.friends.map(f, f.cage.keeper.name)",
    "this.friends.map(f, f.mother.age)",
    "this.meals.first().what",
    "or(this.name, this.nick)",
    "or(null, this.name)",
    "or(this.mother, this.best.one).name",
    "or(this.meal, body.meal)",
  ],
  "what identifies records": [
    "this.cage.code",
    "this.cage.deleted",
    "this.revision",
    "this.mother.revision + this.cage.revision",
    "Animal.filter(a, a.revision >= this.revision).count()",
    "Cage.map(c, c.deleted)",
    "this.pen.number",
    "this.fed.pen.number",
    "this.fed.pen.cage.code",
    "this.best.one.name",
    '[this.best, {"one": this, "other": this.mother}]',
    '{"a": this.fed, "b": this.pen, "c": this.rivals}',
    "this.rivals.map(r, r.one.name)",
    "this in this.friends",
    "this.best in this.rivals",
    "this.fed in this.feasts",
    "this.cage == this.mother.cage",
  ],
  "what is compared": [
    "this.nick == this.name",
    "this.nick < this.name",
    "this.nick in this.tags",
    "caller.email in this.tags",
    "this.price in this.prices",
    "this.legs in this.scores",
    "this.weight in this.scores",
    "this.tags in [body.list, this.tags]",
    '"a" in this.names',
    "this.tags == body.list",
    "this.names == this.mother.names",
    "this.prices == this.prices",
    "this.meals == this.mother.meals",
    "this.extra == this.extra",
    "this.grid == [[1, 2], this.scores]",
    "this.scores in this.grid",
    "this.nick == this.extra",
    "this.nick == (this.tame ? upper(this.nick) : this.extra)",
    "this.nick == (this.tame ? this.extra : lower(this.nick))",
    'this.nick in (this.tame ? [upper(this.nick)] : this.tags.map(t, t.replace("a", "b")))',
    'this.nick < upper(this.nick).replace("a", "b")',
    "this.friends.filter(f, f.tame || size(token(f)) > 3).sort(f, f.nick).map(f, f.name)",
    'this.friends.filter(f, f.nick == upper(f.nick).replace("é", "e")).map(f, f.name)',
    'this.cage.code == upper(this.cage.code).replace("é", "e")',
    "this.cage == (size(token(this)) > 3 ? this.mother.cage : this.cage)",
    "this.extra == this.name",
    "this.legs in this.extra",
  ],
  "what is shown": [
    "Long(this)",
    "shape(this.mother)",
    "Meal(this.meal)",
    "[Meal(body.meal), Keeper(caller)]",
    "[this.meal, this.mother.meal]",
    '{"m": this.meals, "v": this.visits, "p": this.prices, "n": this.names, "e": this.extra}',
    '{"a?": this.name, "b?": this.legs, "c": this.nap}',
    '{"x": 1, "a?": this.name}',
    '{"a?": this.born}',
    'this.meals.map(m, {"heavy": m.heavy, "at": m.at})',
    'merge(Card(this), {"name?": this.nick, "day": this.day})',
    'this.tame ? {"at": this.born} : {"nap": this.nap}',
    "this.friends.map(f, CageCard(f.cage))",
  ],
  "what stands inside of something": [
    'this.names["a"]',
    'this.names["a\\"b"]',
    'this.extra["a.b"]',
    "this.extra.a.b",
    "this.extra[0]",
    "this.extra[this.legs]",
    "this.grid[0][1]",
    "this.scores[this.legs]",
    "this.counts[this.name]",
    "this.meals[0].grams",
  ],
  "what is called": [
    "[size(this.tags), size(this.names), size(this.name), size(this.extra)]",
    'startOf("month", this.day)',
    'startOf("week", this.born)',
    "[this.day.getMonth(), this.born.getHours(), this.nap.getMinutes(), int(this.nap)]",
    "this.born - this.meal.at",
    '[this.born > timestamp("2020-01-01T00:00:00Z"), this.day == date("2026-11-20"), this.day >= date("2000-01-01")]',
    'this.born in [timestamp("2026-11-20T10:00:00Z"), this.meal.at]',
    'this.day - duration("36h")',
    "this.born - this.nap",
    "[this.legs - this.big, this.legs * this.big, this.legs / this.big, this.legs % this.big]",
    "[this.price - this.weight, this.price * this.legs, -this.price]",
    "[this.weight + 1.5, this.weight - 1.5, this.weight * 1.5, this.weight / 1.5]",
    "this.extra - 1",
    "string(this.price) + string(this.born) + string(this.tame)",
  ],
  "what goes through many": [
    "Animal.map(a, a.kind).distinct()",
    "Animal.sort(a, a.legs).map(a, a.cage).distinct()",
    "Animal.map(a, a.mother).distinct().map(m, m.name)",
    "Animal.distinct().count()",
    "Animal.map(a, a.nick).distinct()",
    "Animal.filter(a, a.tame).map(a, a.nick).filter(n, n != null).distinct().count()",
    "[Animal.map(a, a.nick).min(), Animal.map(a, a.nick).max(), Animal.max(a, a.nick)]",
    "Animal.map(a, a.nick).sort()",
    "Cage.map(c, c.code).distinct().sort()",
    "[this.nick, this.name, this.mother.nick].distinct()",
    "[this.cage, this.mother.cage].distinct().map(c, c.size)",
    "Keeper.map(k, k.email).distinct()",
    "this.prices.distinct()",
    "[this.price, this.price * 1, -this.price].distinct()",
    "this.prices.map(p, p - p).distinct()",
    "this.grid.distinct()",
    "Animal.map(a, a.counts).distinct()",
    "Animal.map(a, a.tags).flatten().distinct().sort()",
    "Animal.filter(a, a.cage == this.cage).sort(a, a.legs).map(a, a.name).first()",
    "Animal.sort(a, a.price).last().name",
    "Animal.last(a, a.tame).name",
    "Cage.map(c, Animal.filter(a, a.cage == c).sum(a, a.legs))",
    "Animal.exists(a, a.friends.exists(f, f == this))",
    "this.scores.sort(s, -s).first()",
    "this.scores.map(s, this.tags.filter(t, size(t) > s))",
    "this.scores.max() == Animal.max(a, a.legs)",
  ],
  "what only functions know": [
    '{"t": token(this), "m": this.meals, "c": CageCard(this.cage)}',
    'Animal.map(a, {"t": token(a), "n": a.name})',
    'this.friends.filter(f, f.tame).map(f, {"t": token(f), "cage": CageCard(f.cage)})',
    "this.scores.map(s, this.tags.map(t, token(this) + t))",
    'merge(Card(this), {"t": token(this)})',
    'this.tame ? {"t": token(this)} : {"c": CageCard(this.cage), "n": this.name}',
    'merge(CageCard(this.cage), this.tame ? {"t": token(this.mother)} : {"n": this.name})',
    "[token(this.mother), this.mother.name]",
    "this.friends.map(f, bytes(f.name)) == this.friends.map(f, bytes(f.nick))",
    "bytes(this.name) in this.friends.map(f, bytes(f.mother.name))",
    "size(this.friends.map(f, bytes(f.kind)).distinct())",
    "[bytes(this.nick)] == [bytes(this.name)]",
  ],
};

const { model } = compile(readFileSync(join(import.meta.dirname, "zoo.md"), "utf8"), { file: "zoo.md" });
assert.ok(model);
let world: World;
before(async () => {
  world = await createWorld(model, seed, 12);
});
after(() => world.close());

for (const [about, texts] of Object.entries(chosen))
  test(`${about} has the same value in SQL`, async () => {
    for (const [at, text] of texts.entries()) {
      const node = boundIn(zooScope(world), text);
      assert.ok(node, text);
      const frame = randomFrame(namesUsed(node, world), seed + at, world);
      const { disagreements: found } = await disagreements(
        node,
        "Animal",
        frame,
        world,
        wires[at % wires.length] as (typeof wires)[number],
      );
      assert.deepEqual(
        found.map((disagreement) => reported(text, disagreement)),
        [],
      );
    }
  });
