/**
 * Agreement of conditions that requests write: random trees over every field of `zoo.md` that
 * `Where: any of …` may list, read like those of a request, select the same records in both
 * databases and in memory. `NINEFOLD_AGREEMENT_SEED` repeats a run, `NINEFOLD_CONDITION_CASES`
 * makes it longer.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { buildCondition, comparedField } from "../../src/engine/actions/condition-nodes.ts";
import { comparisons, readConditionTree } from "../../src/engine/handlers/condition-tree.ts";
import { fieldNode } from "../../src/expressions/nodes.ts";
import { bind, parameterNode } from "../../src/expressions/parameters.ts";
import { isText, type Type } from "../../src/expressions/type.ts";
import type { RecordValue, Value } from "../../src/expressions/value.ts";
import { compileValueWriter, type WireForm } from "../../src/expressions/write-json.ts";
import { expressionType } from "../../src/fields/type.ts";
import type { Json } from "../../src/support/json.ts";
import { fc, seed as fixedSeed } from "../fixed-seed.ts";
import { disagreements, wires } from "./cases.ts";
import { randomFrom } from "./expression-texts.ts";
import { valuesOf } from "./values.ts";
import { createWorld, frameOf, type World } from "./world.ts";
import { reported } from "./zoo.ts";

const seed = Number(process.env["NINEFOLD_AGREEMENT_SEED"] ?? fixedSeed);
const cases = Number(process.env["NINEFOLD_CONDITION_CASES"] ?? 300);

const { model } = compile(readFileSync(join(import.meta.dirname, "zoo.md"), "utf8"), { file: "zoo.md" });
assert.ok(model);
const animal = model.resources.find(({ name }) => name === "Animal");
assert.ok(animal);

const comparable = animal.fields.filter(({ type }) => {
  const { kind } = type.kind === "list" ? type.of : type;
  return !["list", "map", "object", "value", "json", "password", "credential"].includes(kind);
});

/** The fields as a request's condition names them. */
function fieldsIn(wire: WireForm) {
  const reading = {
    timestamps: wire.timestamps,
    unknownFields: "rejected",
    resource: (name: string) => model?.resources.find((resource) => resource.name === name) as never,
  } as const;
  return new Map(
    comparable.map((field) => {
      const node = fieldNode(
        { op: "fixed", name: "this", type: { kind: "record", resource: "Animal" } },
        field.name,
        expressionType(field.type),
      );
      return [field.name, comparedField({ reading }, field.name, node, field)] as const;
    }),
  );
}

/** Draws trees whose values are often those of a record. */
function treesOf(random: () => number, wire: WireForm, world: World) {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const json = (type: Type, value: Value): Json =>
    JSON.parse(compileValueWriter(type, world.meaning, wire)(value, frameOf({}))) as Json;
  const drawn = (type: Type): Value =>
    fc.sample(valuesOf(type, world.choices), {
      seed: Math.floor(random() * 2 ** 31),
      numRuns: 1,
    })[0] as Value;

  const comparison = (): object => {
    const { name, type: declared } = pick(comparable);
    const whole = expressionType(declared);
    const type = whole.kind === "list" ? whole.of : whole;
    // Mostly an operator that the type has.
    const fitting =
      whole.kind === "list"
        ? ofTexts.slice(0, 1)
        : comparisons.filter((is) => isText(type) || !ofTexts.includes(is));
    const is = pick(random() < 0.9 ? fitting : comparisons);
    const value = (): Json => {
      const record = pick(world.records.get("Animal") ?? []) as RecordValue;
      const own = record?.[name] ?? null;
      const known = Array.isArray(own) ? (own[0] ?? null) : own;
      const chosen = random() < 0.5 && known !== null ? known : drawn(type);
      const sent = json(type, chosen);
      if (typeof sent !== "string") return sent;
      if (is === "matches") return sent.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
      return ofTexts.includes(is) && whole.kind !== "list" ? [...sent].slice(0, 2).join("") : sent;
    };
    const sent = is === "in" ? Array.from({ length: Math.floor(random() * 4) }, value) : value();
    return { field: name, is, value: sent, ignoreCase: random() < 0.3 };
  };

  const tree = (depth: number): object => {
    const branch = depth === 0 ? 0 : random();
    if (branch < 0.4) return comparison();
    if (branch < 0.6) return { not: tree(depth - 1) };
    const parts = Array.from({ length: Math.floor(random() * 4) }, () => tree(depth - 1));
    return branch < 0.8 ? { and: parts } : { or: parts };
  };
  return tree;
}

const ofTexts: readonly string[] = ["contains", "startsWith", "endsWith", "matches"];

class Refused extends Error {}

test(`${cases} random conditions of requests select the same records in SQL and in memory`, async (context) => {
  context.diagnostic(`seed ${seed}`);
  const world = await createWorld(model, seed, 8);
  const used = new Map<string, number>();
  let refused = 0;
  try {
    for (let number = 0; number < cases; number += 1) {
      const wire = wires[number % wires.length] as WireForm;
      const random = randomFrom(seed * 100_003 + number);
      const given = treesOf(random, wire, world)(number % 4);
      const parameters: Record<`filter ${string}`, Value> = {};
      const parameterOf = (value: Value, type: Type) => {
        const name = `filter ${Object.keys(parameters).length}` as const;
        parameters[name] = value;
        return parameterNode(name, type);
      };
      try {
        const { name, node } = buildCondition(
          { wire },
          readConditionTree(given),
          fieldsIn(wire),
          parameterOf,
          (problem) => {
            throw new Refused(problem);
          },
        );
        for (const operator of comparisons)
          if (name.includes(` ${operator}`)) used.set(operator, (used.get(operator) ?? 0) + 1);
        const frame = bind(frameOf({}), parameters);
        const outcome = await disagreements(node, "Animal", frame, world, wire, [false]);
        assert.deepEqual(outcome.refused, []);
        const [first] = outcome.disagreements;
        if (first)
          assert.fail(
            `${reported(JSON.stringify(given), first)}\n  NINEFOLD_AGREEMENT_SEED=${seed}, condition ${number}`,
          );
      } catch (error) {
        // A drawn value that its field can't have, or an operator that its type doesn't have.
        if (!(error instanceof Refused)) throw error;
        refused += 1;
      }
    }
    context.diagnostic(`${cases - refused} evaluated, ${refused} refused`);
    assert.deepEqual(
      comparisons.filter((operator) => !used.has(operator)),
      [],
    );
    assert.ok(refused < cases * 0.5, `${refused} of ${cases} conditions were refused`);
  } finally {
    await world.close();
  }
});
