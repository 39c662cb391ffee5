/** Part 3, states: unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../../test/documents/library.ts";
import type { Effect, StateMachine } from "../../model.ts";

const resources = `### Reader

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| loans | integer | default \`0\` |

### Book

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| title | string | required |
| reader | Reader | nullable |
| due_at | timestamp | |
| rank | integer | |

### Loan

- Identifier: book and reader

| Field | Type | Rules |
|---|---|---|
| book | Book | required |
| reader | Reader | required |
| note | string | |`;

const head = "| Transition | From | To | Trigger | Guard | Effect |\n|---|---|---|---|---|---|\n";
const start = "### Book\n\n- State field: status\n- Initial state: free\n\n";

function machineOf(
  states: string,
  endpoints = "- Methods: none\n- Path shapes: none\n- Payload shapes: none",
): StateMachine {
  const errors =
    "- Payload shape: problem details\n\n| Code | Status | When |\n|---|---|---|\n| not_found | 404 | not found |\n| busy | 409 | |";
  const events = states.includes("send ")
    ? '| Event | When | Payload |\n|---|---|---|\n| book.noted | sent | `{"id": this.id}` |\n\n- Webhooks: none\n- Notifications: none'
    : "- Events: none\n- Webhooks: none\n- Notifications: none";
  const model = libraryModel({
    resources,
    states,
    endpoints,
    errors,
    events,
    authentication: "- Scheme: none",
  });
  const machine = model.resources.find((resource) => resource.name === "Book")?.states;
  assert.ok(machine);
  return machine;
}

function effectsOf(text: string): readonly Effect[] {
  return (
    machineOf(`${start}${head}| lend | free | lent | call | | \`${text}\` |`).transitions[0]?.ends[0]
      ?.effects ?? []
  );
}

test("states are those of the rows and the initial state, in the order of their occurrence", () => {
  const machine = machineOf(`${start}${head}| lend | free | lent | call | | |
| lose | any | lost | call | | |
| give_back | \`lent\`, lost | free | after 14 days | | |`);
  assert.deepEqual(
    machine.states.map(({ name, final }) => ({ name, final })),
    [
      { name: "free", final: false },
      { name: "lent", final: false },
      { name: "lost", final: false },
    ],
  );
  assert.equal(machine.field, "status");
  assert.equal(machine.initial?.text, "free");
  const [lend, lose, giveBack] = machine.transitions;
  assert.deepEqual(lend?.ends[0]?.from, ["free"]);
  assert.deepEqual(lose?.ends[0]?.from, "any");
  assert.deepEqual(giveBack?.ends[0]?.from, ["lent", "lost"]);
  assert.deepEqual(giveBack?.ends[0]?.trigger, { kind: "after", milliseconds: 14 * 86_400_000 });
});

test("a state that no transition leaves is final", () => {
  const machine = machineOf(
    `${start}${head}| lend | free | lent | call | | |\n| touch | lent | same | call | | |\n| drop | any | lent | call | | |`,
  );
  assert.deepEqual(
    machine.states.map(({ name, final }) => [name, final]),
    [
      ["free", false],
      ["lent", true],
    ],
  );
});

test("rows of one name are one transition; an empty From or Trigger is that of the row above", () => {
  const machine = machineOf(`${start}${head}| lend | free | lent | call | \`this.rank > 1\` else busy | |
| lend | | reserved | | | |
| fetch | reserved | lent | at due_at | | |`);
  const [lend, fetch] = machine.transitions;
  assert.deepEqual(
    lend?.ends.map(({ from, to, trigger }) => [from, to, trigger.kind]),
    [
      [["free"], "lent", "call"],
      [["free"], "reserved", "call"],
    ],
  );
  assert.equal(lend?.ends[0]?.guard?.condition.text, "this.rank > 1");
  assert.equal(lend?.ends[0]?.guard?.otherwise, "busy");
  assert.deepEqual(fetch?.ends[0]?.trigger, { kind: "at", field: "due_at" });
});

test("an initial expression names states of its own", () => {
  const machine = machineOf(`### Book

- State field: status
- Initial state: \`this.rank == null ? "new" : or(this.title == "x" ? "kept" : null, "free")\`

${head}| lend | free, new | lent | call | | |`);
  assert.deepEqual(machine.states.map(({ name }) => name).toSorted(), ["free", "kept", "lent", "new"]);
});

test("without a state field every row is from any state to the same", () => {
  const machine = machineOf(
    `### Book\n\n| Transition | Trigger | Effect |\n|---|---|---|\n| touch | call | \`rank = this.rank + 1\` |`,
  );
  assert.equal(machine.field, undefined);
  assert.deepEqual(machine.states, []);
  const [end] = machine.transitions[0]?.ends ?? [];
  assert.deepEqual([end?.from, end?.same, end?.trigger.kind], ["any", true, "call"]);
});

test("long guards and effects are in sections, for all ends or for those with a target", () => {
  const machine = machineOf(`${start}${head}| lend | free | lent | call | | \`rank = 1\` |
| lend | free | reserved | call | | |

### Book: lend

- Effect: \`reader = null\`

### Book: lend to lent

- Guard: \`this.rank == null\`
- Effect: \`due_at = now\``);
  const texts = machine.transitions[0]?.ends.map((end) => [
    end.guard?.condition.text,
    end.effects.map((effect) => (effect.kind === "assign" ? effect.field : effect.kind)),
  ]);
  assert.deepEqual(texts, [
    ["this.rank == null", ["rank", "reader", "due_at"]],
    [undefined, ["reader"]],
  ]);
});

test("a value of an assignment is an ordinary expression, its left side never an input", () => {
  const [create, path, same] = effectsOf(
    "create Reader with name = book.title as made; reader.loans = this.reader.loans + 1; reader = made",
  );
  assert.equal(create?.kind === "create" && create.as, "made");
  assert.ok(path?.kind === "assign" && path.resource === "Reader" && path.field === "loans");
  assert.deepEqual(path.of?.text, "reader");
  assert.equal(path.of?.node.op, "field");
  assert.ok(same?.kind === "assign" && same.of === undefined && same.value.node.op === "named");
});

test("`this` is the candidate in where, by, set and with, and the record has its variable name", () => {
  const [update, done] = effectsOf(
    "update Loan where this.book == book set note = this.note + book.title; do lend on Book where this.rank > book.rank, first book.rank by rank descending, title with reader = this.reader",
  );
  assert.ok(update?.kind === "update" && update.set[0]?.field === "note");
  assert.ok(done?.kind === "do");
  assert.equal(done.first?.node.op, "field");
  assert.deepEqual(
    done.by.map(({ by, descending }) => [by.text, descending]),
    [
      ["rank", true],
      ["title", false],
    ],
  );
  assert.deepEqual(done.with[0]?.value.node.type, { kind: "record", resource: "Reader" });
});

test("create iterates over a list or a collection, with the name of the loop for each element", () => {
  const [create] = effectsOf(
    "create Loan with book = book, reader = r, note = r.name for r in Reader.filter(r, r.loans == 0) when this.rank > 0",
  );
  assert.ok(create?.kind === "create");
  assert.equal(create.for?.variable, "r");
  assert.deepEqual(create.fields[1]?.value.node, {
    op: "local",
    name: "r",
    depth: 0,
    type: { kind: "record", resource: "Reader" },
  });
  assert.equal(create.when?.text, "this.rank > 0");
});

test("the effects delete and send are read", () => {
  const [deleted, sent] = effectsOf(
    "delete Loan where this.book == book; send book.noted when this.rank == 1",
  );
  assert.ok(deleted?.kind === "delete" && deleted.resource === "Loan");
  assert.ok(sent?.kind === "send" && sent.event === "book.noted");
});

test("`body` of a transition has the inputs of its endpoints that every `do` also gives", () => {
  const machine = machineOf(
    `${start}${head}| lend | free | lent | call | \`body.days > 0\` | \`reader = body.reader\` |
| pass_on | lent | free | call | | \`do lend on Book where this == book with reader = this.reader, days = 3\` |
| renew | lent | same | call | | \`do lend on Book where this == book with days = body.more, note = body.note\` |`,
    `### POST /books/{id}/lend

- Does: lend Book
- Allowed: anyone
- Returns: 204 nothing

| Input | In | Type | Rules |
|---|---|---|---|
| days | body | number | required |
| reader | body | Reader | |

### POST /books/{id}/pass-on

- Does: pass_on Book
- Allowed: anyone
- Returns: 204 nothing

### POST /books/{id}/renew

- Does: renew Book
- Allowed: anyone
- Returns: 204 nothing

| Input | In | Type | Rules |
|---|---|---|---|
| more | body | integer | required |
| note | body | string | |`,
  );
  assert.deepEqual(machine.transitions[0]?.body, {
    kind: "object",
    fields: {
      days: { kind: "number" },
      reader: { kind: "record", resource: "Reader" },
      note: { kind: "string" },
    },
  });
});

test("an end with a part that is not shown is a gap, and the other ends are complete", () => {
  const machine = machineOf(`${start}${head}| lend | free | lent | call | not shown | |
| give_back | lent | free | not shown | | |
| lose | lent | lost | call | | |`);
  assert.deepEqual(
    machine.transitions.map(({ name, ends }) => [name, ends[0]?.gap?.subject, ends[0]?.trigger.kind]),
    [
      ["lend", "the guard of Book lend", "call"],
      ["give_back", "the trigger of Book give_back", "not shown"],
      ["lose", undefined, "call"],
    ],
  );
});
