/** `docs/notation.md` compared with the sources in both directions, and its examples run. */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import { withFunctionTable } from "../../scripts/function-table-text.ts";
import { membersOf, nameTables, withNameTables } from "../../scripts/name-table-text.ts";
import type { Type } from "../../src/expressions/type.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { createRowChooser } from "../../src/model/errors/error-rows.ts";
import { macroNames } from "../../src/expressions/binding/macro-forms.ts";
import { endpointItems, partItems } from "../../src/model/reading/endpoints/items.ts";
import { ruleList } from "../../src/fields/rules/index.ts";
import { scalarTypes } from "../../src/fields/types/index.ts";
import { type Condition, conditions, defaultAnswer } from "../../src/model/errors/conditions.ts";
import type { Model } from "../../src/model/model.ts";
import { itemsOfParts, partNames, partTitles } from "../../src/syntax/nodes.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { blocksOf, rowsUnder } from "./pages.ts";
import { textOf } from "./repository.ts";
import { silentTerminal } from "../terminal.ts";

const page = "docs/notation.md";

test("the examples of the notation are one document without a mistake, whose scenarios pass", async () => {
  const text = blocksOf(page)
    .filter((block) => block.language === "markdown")
    .map((block) => block.text)
    .join("\n");
  const { model, diagnostics } = compile(text, { file: page });
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.kind === "mistake"),
    [],
  );
  assert.ok(model && model.scenarios.length > 0);
  for (const scenario of model.scenarios) {
    const target = await createLocalTarget(model, silentTerminal);
    const result = await runScenario(model, scenario, target, randomBytes(4).toString("hex"));
    await target.close();
    assert.deepEqual(result.failures, [], scenario.name);
  }
});

test("the table of functions is current", () => {
  assert.equal(textOf(page), withFunctionTable(textOf(page)), "run `npm run function-table`");
});

test("the tables of names are current, and their examples are of their types", () => {
  assert.equal(textOf("docs/names.md"), withNameTables(textOf("docs/names.md")), "run `npm run name-table`");
  for (const { name, type, rows } of nameTables)
    for (const [key, of] of Object.entries(membersOf(type)))
      assert.ok(isOfType(JSON.parse(rows[key]?.[2] ?? "null"), of), `${name}.${key}`);
});

/** Whether a value of a response has the type. */
function isOfType(value: unknown, type: Type): boolean {
  switch (type.kind) {
    case "any":
      return value !== null;
    case "integer":
      return Number.isInteger(value);
    case "boolean":
      return typeof value === "boolean";
    case "timestamp":
      return typeof value === "string" && new Date(value).toISOString() === value;
    case "duration":
      return typeof value === "string" && /^[\d.]+(?:h|m|s|ms)$/.test(value);
    case "bytes":
      return typeof value === "string" && Buffer.from(value, "base64").toString("base64") === value;
    case "enum":
      return type.values.includes(value as string);
    case "list":
      return Array.isArray(value) && value.every((item) => isOfType(item, type.of));
    case "map":
      return (
        typeof value === "object" && Object.values(value as object).every((item) => isOfType(item, type.of))
      );
    case "object":
      return Object.entries(value as Record<string, unknown>).every(([key, member]) =>
        isOfType(member, membersOf(type)[key] ?? { kind: "null" }),
      );
    default:
      return type.kind === "string" && typeof value === "string";
  }
}

test("the names that the notation lists are those of the engine", () => {
  const listed = (name: string) =>
    [
      ...(
        rowsUnder(page, "| Name | What it is |").find(([cell]) => cell === `\`${name}\``)?.[1] ?? ""
      ).matchAll(/`(\w+)`/g),
    ].map((hit) => hit[1]);
  const names = (name: string) =>
    Object.keys(membersOf((nameTables.find((nameTable) => nameTable.name === name) as { type: Type }).type));
  assert.deepEqual(listed("request").toSorted(), names("request").toSorted());
  const errors = rowsUnder(page, "| Name | What it is |").flatMap(([cell = ""]) =>
    [...cell.matchAll(/`error\.(\w+)`/g)].map((hit) => hit[1]),
  );
  assert.deepEqual(errors.toSorted(), names("error").toSorted());
});

test("the 26 items are the ledger's", () => {
  const written = rowsUnder(page, "| Part | Items |").map(([part, items]) => [part, items?.split(" · ")]);
  assert.deepEqual(
    written,
    partNames.map((part) => [partTitles[part], itemsOfParts[part]]),
  );
});

/** Returns the first text in backticks of each row. */
function firstCode(heading: string): readonly string[] {
  return rowsUnder(page, heading).flatMap(([cell]) => /`([^`]+)`/.exec(cell ?? "")?.[1] ?? []);
}

test("every type of a field is listed, and no other", () => {
  const composed = ["one of a, b, c", "string or list of string", "list of T", "map of T", "object", "state"];
  const written = rowsUnder(page, "| Type | On the wire, in JSON |").flatMap(
    ([cell]) => /^`([^`]+)`$/.exec(cell ?? "")?.[1] ?? [],
  );
  assert.deepEqual(written.toSorted(), [...Object.keys(scalarTypes), ...composed].toSorted());
});

test("every rule of a field is listed, and no other", () => {
  const written = rowsUnder(page, "| Rule | Meaning |").map(([cell]) => ruleWritten(cell ?? ""));
  assert.deepEqual(written.toSorted(), ruleList.map(({ rule }) => rule as string).toSorted());
});

/**
 * Returns the name of a rule: `length 1..120` → `length`. The words at the start of a rule name it.
 */
function ruleWritten(cell: string): string {
  const text = /`([^`]+)`/.exec(cell)?.[1] ?? cell;
  if (text.startsWith("= ")) return "computed";
  if (/^\d/.test(text)) return "range";
  const names = ruleList
    .map(({ rule }) => rule as string)
    .filter((name) => text === name || text.startsWith(`${name} `));
  return names.toSorted((a, b) => b.length - a.length)[0] ?? text;
}

test("every macro of collections is listed, and no other", () => {
  const written = firstCode("| Macro | Meaning |").map((code) => /^\.(\w+)\(/.exec(code)?.[1]);
  assert.deepEqual(written.toSorted(), [...macroNames].toSorted());
});

/** Returns the keys of the items in a table's rows: `- Body in: parcel`. */
function itemKeys(headings: string): readonly string[] {
  const cells = rowsUnder(page, headings).map(([cell]) => cell as string);
  const shown = cells.flatMap((cell) =>
    [...cell.matchAll(/`+ ?- ([^:`]+):/g)].map((hit) => hit[1] as string),
  );
  return [...new Set(shown.map((key) => key.toLowerCase()))].sort();
}

test("every item of endpoints and of their part is listed, and no other", () => {
  assert.deepEqual(itemKeys("| Item of an endpoint | Meaning |"), [...endpointItems.keys()].toSorted());
  assert.deepEqual(itemKeys("| Item of the part | Meaning |"), [...partItems.keys()].toSorted());
});

test("every condition is listed with its fallback and its default status", () => {
  const rows = rowsUnder(page, "| Condition | Without a row it is | Then, by default |");
  assert.deepEqual(
    rows.map(([condition]) => condition),
    [...conditions],
  );
  for (const [condition, fallback, status] of rows) {
    assert.equal(Number(status), defaultAnswer(condition as Condition).status, condition);
    assert.deepEqual(isSpecified(condition as Condition), fallback === "" ? [] : [fallback], condition);
  }
});

/** Returns the conditions whose row also applies to another condition without its own row. */
function isSpecified(condition: Condition): readonly Condition[] {
  const rowOf = (other: Condition) => ({ when: [{ condition: other, of: [] }] });
  const speaks = (rows: readonly object[]) =>
    createRowChooser({ errors: { rows } } as unknown as Model)({ condition }).row;
  const all = conditions.filter((other) => other !== condition && speaks([rowOf(other)]));
  // For a chain of conditions, only the next one counts, which applies if all others have a row.
  const next = all.filter((candidate) =>
    all.every((earlier) => speaks([rowOf(earlier), rowOf(candidate)])?.when[0]?.condition === candidate),
  );
  return next;
}
