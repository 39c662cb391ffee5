/**
 * `ninefold types` of every example and twin: what a handler may set and must return, compared with
 * the model independently.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { hasRule } from "../../src/fields/rule.ts";
import type { Field, Model, Resource } from "../../src/model/model.ts";
import { handlerTypes } from "../../src/outputs/handler-types/handler-types.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";

const documents = ["examples", "test/contracts"]
  .flatMap((folder) => filesUnder(folder, ".md"))
  .filter((path) => !path.endsWith(".seed.md"));

/** The text between a beginning and the brace that closes it, exclusive. */
function within(text: string, beginning: string): string {
  const start = text.indexOf(beginning);
  assert.ok(start >= 0, beginning);
  // An object without members is `Nothing`.
  const from = text.indexOf("{", start) + 1;
  if (/[^\s{]/.test(text.slice(start + beginning.replace(/\{$/, "").length, from))) return "";
  let depth = 1;
  let at = from;
  for (; depth > 0; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
  }
  return text.slice(from, at - 1);
}

/** The names of an object's own members; optional ones end in `?`. */
function members(text: string): readonly string[] {
  let depth = 0;
  let own = "";
  for (const sign of text.replaceAll(/\/\*\*.*?\*\//gs, "").replaceAll(/"(?:[^"\\]|\\.)*"(?!\??:)/g, '""')) {
    if (/[{[(<]/.test(sign)) depth += 1;
    else if (/[}\])>]/.test(sign)) depth -= 1;
    else if (depth === 0) own += sign;
  }
  return [...own.matchAll(/readonly ("?)([^":;]+?)\1(\??):/g)].map((hit) => `${hit[2]}${hit[3]}`).toSorted();
}

const identifying = ({ identifier }: Resource): readonly string[] => {
  if (identifier.kind === "joint") return identifier.fields;
  return identifier.kind === "made" || identifier.kind === "given" ? [identifier.field] : [];
};

/**
 * Whether a handler must give the value: a required field, or an identifier, that the service
 * doesn't set.
 */
function hasToBeGiven({ name, rules }: Field, resource: Resource): boolean {
  if (hasRule(rules, "default") || hasRule(rules, "on create")) return false;
  if (identifying(resource).includes(name)) return resource.identifier.kind !== "made";
  return hasRule(rules, "required");
}

for (const path of documents)
  test(`${path}: the types require values that the service doesn't set, and allow only settable ones`, () => {
    const { model } = compile(readFileSync(pathOf(path), "utf8"), { file: path });
    if (!model) return;
    const text = handlerTypes(model as Model, path);
    const kept = model.resources.filter(({ identifier }) => identifier.kind !== "none");
    for (const resource of kept) {
      const entry = within(within(text, "export interface Resources {"), `readonly ${resource.name}: {`);
      const own = identifying(resource);
      const settable = resource.fields.filter(
        (field) => !hasRule(field.rules, "computed") && field.role !== "state",
      );
      assert.deepEqual(
        members(within(entry, "readonly create:")),
        settable.map((field) => `${field.name}${hasToBeGiven(field, resource) ? "" : "?"}`).toSorted(),
        `${resource.name} create`,
      );
      assert.deepEqual(
        members(within(entry, "readonly update:")),
        settable
          .filter(({ name }) => !own.includes(name))
          .map(({ name }) => `${name}?`)
          .toSorted(),
        `${resource.name} update`,
      );
    }
  });

test("a function of a condition has its type, which no other document declares", () => {
  const textOf = (path: string) => {
    const { model } = compile(readFileSync(pathOf(path), "utf8"), { file: path });
    assert.ok(model);
    return handlerTypes(model, path);
  };
  const twin = textOf("examples/twins/postgrest.md");
  assert.match(twin, /^ {2}filtered\(filters: .+\): Condition \| null;$/m);
  assert.match(twin, /^export type Condition =\n {2}\| Comparison$/m);
  assert.match(twin, /^export type Comparison =$/m);
  assert.doesNotMatch(textOf("examples/twins/openid.md"), /Condition|Comparison/);
});
