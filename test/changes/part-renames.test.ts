/**
 * Renamed parts keep their rules: a rule that differs only in the part's name is neither checked
 * again nor reported.
 */
import assert from "node:assert/strict";
import { planStoreFor } from "../../src/store/index.ts";
import { documentOf, modelOf, resource } from "./desk.ts";
import { change, kept, reportedAtOpening, rowsOf, type Stored, testOnEach } from "./support.ts";

interface Names {
  readonly place: string;
  readonly inner: string;
  readonly deep: string;
  readonly stop: string;
}

const ticket = ({ place, inner, deep, stop }: Names, ...changes: readonly string[]) =>
  documentOf(
    resource(
      "Ticket",
      "at | object |",
      `at.${place} | string | length 1..9`,
      "at.places | string | length 1..5",
      `at.${inner} | object |`,
      `at.${inner}.${deep} | integer | 1..3`,
      `at.${inner}.numbers | list of integer | each 1..4, items 1..2`,
      "stops | list of object |",
      `stops[].${stop} | integer | 1..7`,
      "stops[].stops | integer | 1..8",
    ),
    ...changes,
  );

const before: Names = { place: "place", inner: "in", deep: "deep", stop: "stop" };
const stored: Stored = [
  [
    "Ticket",
    {
      id: "a",
      at: { place: "Oslo", places: "many", in: { deep: 2, numbers: [4] } },
      stops: [{ stop: 7, stops: 8 }],
    },
  ],
];

async function planOf(path: string, document: string) {
  const plan = await planStoreFor(modelOf(document), path, { isRunning: () => false });
  assert.equal(plan.refused?.message, undefined);
  return plan.steps.flatMap(({ lines }) => lines.map(({ text }) => text));
}

for (const [what, names, renames, at] of [
  ["a part", { ...before, place: "town" }, ["Ticket.at.place to Ticket.at.town"], ["town", "in", "deep"]],
  [
    "an inner object",
    { ...before, inner: "inside" },
    ["Ticket.at.in to Ticket.at.inside"],
    ["place", "inside", "deep"],
  ],
  [
    "a part of it",
    { ...before, deep: "deeper" },
    ["Ticket.at.in.deep to Ticket.at.in.deeper"],
    ["place", "in", "deeper"],
  ],
  [
    "a part of elements",
    { ...before, stop: "halt" },
    ["Ticket.stops[].stop to Ticket.stops[].halt"],
    ["place", "in", "deep"],
  ],
] as const)
  testOnEach(`rules of parts go along where ${what} is renamed`, async () => {
    const path = await kept(ticket(before), stored);
    const then = ticket(names, change("names", ...renames.map((rename) => `Renamed: ${rename}`)));
    const lines = await planOf(path, then);
    assert.equal(lines.length, 1, lines.join("\n"));
    assert.doesNotMatch(lines.join("\n"), /from now on|no longer|instead/);
    await reportedAtOpening(then, path);
    assert.deepEqual(await planOf(path, then), []);
    const [place, inner, deep] = at;
    const [[kept_ = "", stops = ""] = []] = await rowsOf(path, "SELECT at, stops FROM Ticket");
    assert.deepEqual(JSON.parse(String(kept_)), {
      [place]: "Oslo",
      places: "many",
      [inner]: { [deep]: 2, numbers: [4] },
    });
    assert.deepEqual(JSON.parse(String(stops)), [{ [names.stop]: 7, stops: 8 }]);
    // A rule that also differs is reported under the new name.
    const other = ticket(names, change("names", ...renames.map((rename) => `Renamed: ${rename}`))).replace(
      "1..3",
      "1..9",
    );
    assert.deepEqual(await planOf(path, other), [
      `Ticket.at.${inner}.${deep}: range 1..9 from now on, instead of range 1..3`,
    ]);
  });
