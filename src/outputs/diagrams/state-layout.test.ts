/** Layout of state diagrams as plain data: the same result in each run, for large machines too. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { loadLayout } from "./layout.ts";
import type { StateGraph } from "./state-graph.ts";
import { layStates } from "./state-layout.ts";

const room = { stateHeight: 48, stateWidthMin: 104, behindLabel: 44 };

/** A row of states, each with transitions to the next states. */
function graphOf(states: number, waysEach: number): StateGraph {
  const names = Array.from({ length: states }, (_, at) => `state_${at}`);
  return {
    resource: "Thing",
    states: names.map((name, at) => ({ name, initial: at === 0, final: at === states - 1 })),
    arrows: names.flatMap((from, at) =>
      Array.from({ length: waysEach }, (_, way) => ({
        transition: `go_${way}`,
        from,
        to: names[(at + way * 3 + 1) % states] as string,
        guarded: false,
      })),
    ),
  };
}

test("40 states with 120 transitions are laid out without overlap, with the same bytes each time", async () => {
  const lay = await loadLayout();
  const layout = layStates(graphOf(40, 3), lay, room);
  assert.ok(layout);
  assert.deepEqual([layout.states.length, layout.lines.flatMap(({ labels }) => labels).length], [40, 120]);
  assert.equal(new Set(layout.states.map(({ x, y }) => `${x} ${y}`)).size, 40);
  for (const { x, y, width, height } of layout.states)
    assert.ok(x >= width / 2 - 1 && y >= height / 2 - 1 && x <= layout.width && y <= layout.height);
  assert.equal(JSON.stringify(layStates(graphOf(40, 3), lay, room)), JSON.stringify(layout));
});

test("a graph that is too large to read is not laid out", async () => {
  assert.equal(layStates(graphOf(301, 1), await loadLayout(), room), undefined);
});
