/** The steps that lead from one document's store to another's, each bound to what is before it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { Model } from "../model.ts";
import { changesFrom } from "./from-document.ts";

const head = `# Interface Specification: Desk

## What the service does

## Resources and their fields
`;
const middle = [
  "States and transitions",
  "Endpoints",
  "Authentication",
  "Events",
  "Errors",
  "Limits",
  "Versioning",
]
  .map((part) => `\n## ${part}\n`)
  .join("");

function modelOf(part2: string, part9 = ""): Model {
  const text = `${head}${part2}${middle}\n${part9}`;
  const { model, diagnostics } = compile(text, { file: "desk.md" });
  assert.deepEqual(
    diagnostics.filter(({ kind }) => kind === "mistake").map(({ message }) => message),
    [],
  );
  return model as Model;
}

const resource = (name: string, ...rows: string[]): string =>
  `\n### ${name}\n\n- Identifier: id, made by \`uuid()\`\n\n| Field | Type | Rules |\n|---|---|---|\n${rows.join("\n")}\n`;

const value = (name: string, ...rows: string[]): string =>
  resource(name, ...rows).replace("id, made by `uuid()`", "none");

const old = modelOf(
  resource("Person", "| name | string | |", "| age | integer | |", "| home | Place | |") +
    value("Place", "| city | string | |") +
    resource("Ticket", "| priority | one of low, normal | |", "| owner | Person | |", "| price | string | |"),
);
const now =
  resource("User", "| full_name | string | |", "| home | Place | |") +
  value("Place", "| town | string | |") +
  resource("Ticket", "| priority | one of low, medium | |", "| owner | User | |", "| cents | integer | |");

const first = `### Stored change: user

- Renamed: Person to User
- Renamed: User.name to User.label
- Renamed: Place.city to Place.town
- Removed: User.age
`;
const second = `### Stored change: cents

- Renamed: User.label to User.full_name
- Renamed: Ticket.priority "normal" to "medium"
`;

test("each step is bound to what the older document and the steps before it leave", () => {
  const third =
    "- For each Ticket: `cents = round(double(old.price) * 100); owner = old.owner`\n- Removed: Ticket.price\n";
  const { pending, diagnostics } = changesFrom(old, modelOf(now, first + second + third));
  assert.deepEqual(diagnostics, []);
  const [user, cents] = pending;
  assert.equal(user?.before.resources.get("Person")?.fields.get("age")?.type?.kind, "integer");
  assert.deepEqual([...(cents?.before.resources.get("User")?.fields.keys() ?? [])], ["id", "label", "home"]);
  assert.deepEqual([...(cents?.before.resources.get("Place")?.fields.keys() ?? [])], ["town"]);
  assert.deepEqual(cents?.before.resources.get("Ticket")?.fields.get("owner")?.type, {
    kind: "record",
    resource: "User",
  });
  assert.deepEqual(
    cents?.effects[0]?.map((one) => one.kind === "assign" && one.field),
    ["cents", "owner"],
  );
});

test("what only the older document can tell is told at its place", () => {
  const told = (part9: string): readonly string[] =>
    changesFrom(old, modelOf(now, part9)).diagnostics.map(
      ({ position, message }) => `${position.start.line}:${position.start.column} ${message}`,
    );
  const wrong = "- For each Ticket: `cents = round(old.price)`\n- Removed: Ticket.price, Ticket.size\n";
  assert.deepEqual(told(first + second + wrong), [
    "59:26 There is no field of Ticket called `size`.",
    '58:35 "round" takes an integer, a number or a decimal here, but this is a string.',
  ]);
});

test("steps that the older document has are done", () => {
  const had = modelOf(now.replace("full_name", "label"), first);
  assert.deepEqual(
    changesFrom(had, modelOf(now, first + second)).pending.map(({ change }) => change.name),
    ["cents"],
  );
});
