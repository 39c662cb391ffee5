/** State and entity diagrams: unit tests of their Mermaid text. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { Model } from "../../model/model.ts";
import { entityGraph } from "./entity-graph.ts";
import { loadLayout } from "./layout.ts";
import { entityMermaid, stateMermaid } from "./mermaid.ts";
import { stateGraph } from "./state-graph.ts";
import { stateSvg } from "./state-svg.ts";

const text = `# Interface Specification: Ferry

## Resources and their fields

### Owner

- Identifier: id, made by \`uuidv7()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |

### Berth

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| quay | integer | required |

### Boat

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| owner | Owner | required |
| crew | list of Owner | |
| berth | Berth | |
| papers | object | |
| papers.insurer | Owner | |
| departs_at | timestamp | |

## States and transitions

### Boat

- State field: status
- Initial state: in dock

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| leave | in dock | end | call | \`this.departs_at != null\` | |
| sail | in dock | end | at departs_at | | |
| sink | any | sunk | call | | |
| paint | any | same | call | | |
| wait | end | same | after 2 days | | |
`;

function modelOf(document: string): Model {
  const { model, diagnostics } = compile(document, { file: "ferry.md" });
  assert.deepEqual(
    diagnostics.filter(
      (diagnostic) => diagnostic.severity === "error" && diagnostic.code !== "document/missing-part",
    ),
    [],
  );
  return model as Model;
}

const model = modelOf(text);
const boat = model.resources.find((resource) => resource.name === "Boat");
assert.ok(boat);
const graph = stateGraph(boat);
assert.ok(graph);

test("a state graph has the initial states, the final states and every transition", () => {
  assert.deepEqual(graph.states, [
    { name: "in dock", initial: true, final: false },
    { name: "end", initial: false, final: false },
    { name: "sunk", initial: false, final: true },
  ]);
  assert.deepEqual(graph.arrows, [
    { transition: "leave", from: "in dock", to: "end", guarded: true },
    { transition: "sail", from: "in dock", to: "end", guarded: false, trigger: "at departs_at" },
    { transition: "sink", to: "sunk", guarded: false },
    { transition: "paint", guarded: false },
    { transition: "wait", from: "end", to: "end", guarded: false, trigger: "after 2 days" },
  ]);
});

test("names that are reserved or invalid in Mermaid are replaced there", () => {
  assert.equal(
    stateMermaid(graph),
    `stateDiagram-v2
  state "in dock" as n0_in_dock
  state "end" as n1_end
  state "any state" as any__state
  [*] --> n0_in_dock
  n0_in_dock --> n1_end : leave, guarded
  n0_in_dock --> n1_end : sail, at departs_at
  any__state --> sunk : sink
  n1_end --> n1_end : wait, after 2 days
  %% from any state, without a change of state: paint
  sunk --> [*]
`,
  );
});

test("an entity graph has the number of references of each record", () => {
  const { relations } = entityGraph(model);
  assert.deepEqual(
    relations.map((relation) => [
      relation.field,
      relation.to,
      relation.fromCount,
      relation.toCount,
      relation.embedded,
    ]),
    [
      ["owner", "Owner", "0..*", "1", false],
      ["crew", "Owner", "0..*", "0..*", false],
      ["berth", "Berth", "1", "0..1", true],
      ["papers.insurer", "Owner", "0..*", "0..1", false],
    ],
  );
  assert.match(entityMermaid(entityGraph(model)), /Boat \}o--\|\| Owner : "owner"\n/);
});

test("a diagram has a link for each state and transition, styles only by classes, and the same bytes each time", async () => {
  const draw = async () =>
    stateSvg(graph, await loadLayout(), {
      state: (name) => `#is.${name}`,
      transition: (name) => `#do.${name}`,
    });
  const svg = await draw();
  assert.ok(svg);
  assert.equal(await draw(), svg);
  for (const name of ["is.in dock", "is.end", "is.sunk", "do.leave", "do.sail", "do.sink", "do.wait"]) {
    assert.ok(svg.includes(`<a href="#${name}">`), name);
  }
  assert.doesNotMatch(svg, /style=|fill=|stroke=|<script|NaN|undefined/);
});

test("a diagram of 100 states and 300 transitions is laid out, and a larger one is replaced by its table", async () => {
  const lay = await loadLayout();
  const states = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ name: `s${at}`, initial: at === 0, final: false }));
  const arrows = (count: number, of: number) =>
    Array.from({ length: count }, (_, at) => ({
      transition: `t${at}`,
      from: `s${at % of}`,
      to: `s${(at * 7 + 1) % of}`,
      guarded: false,
    }));
  const links = { state: () => undefined, transition: () => undefined };
  const before = process.cpuUsage();
  assert.ok(stateSvg({ resource: "Big", states: states(100), arrows: arrows(300, 100) }, lay, links));
  const { user } = process.cpuUsage(before);
  // Without the fast settings this takes more than eleven seconds.
  assert.ok(user < 8_000_000, `${user} µs`);
  assert.equal(
    stateSvg({ resource: "Big", states: states(400), arrows: arrows(900, 400) }, lay, links),
    undefined,
  );
});
