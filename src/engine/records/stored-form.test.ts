/**
 * Stored form of references: a record in a value is stored as a reference, at any depth, and
 * returned as its identifier.
 */
import assert from "node:assert/strict";
import { test, type TestContext } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Area

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |

### Spot

- Identifier: area and number

| Field | Type | Rules |
|---|---|---|
| area | Area | |
| number | integer | |

### Leg

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| from | Spot | |
| next | Leg | |
| word | string | |

### Chain

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| word | string | |
| next | Chain | |

### Trip

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| area | Area | |
| spots | list of Spot | |
| by | map of Area | |
| leg | Leg | |
| legs | list of Leg | |
| box | object | |
| box.spot | Spot | |
| box.note | string | |
| chain | Chain | |

### Moment

- Identifier: at, given

| Field | Type | Rules |
|---|---|---|
| at | timestamp | |

### Code

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | |`;

const endpoints = (set: string) => `- Timestamps: seconds

### POST /areas

- Does: create Area
- Body: name
- Returns: 201 Area

### /areas/{area}

- Is: Area

### /areas/{area}/spots/{number}

- Is: Spot

### POST /areas/{area}/spots

- Does: create Spot
- Body: number
- Returns: 201 Spot

### DELETE /areas/{area}/spots/{number}

- Does: delete Spot
- Returns: 204 nothing

### POST /areas/{area}/spots/{number}/trips

- Does: create Trip
- Set: \`${set}\`
- Returns: 201 nothing

### DELETE /trips/{id}

- Does: delete Trip
- Returns: 204 nothing

### GET /trips

- Does: list Trip
- Returns: 200 list of Trip

### POST /moments

- Does: create Moment
- Set: \`at = timestamp(body.text)\`
- Returns: 201 Moment

| Input | In | Type |
|---|---|---|
| text | body | string |

### POST /codes

- Does: create Code
- Set: \`code = body.text\`
- Returns: 201 Code

| Input | In | Type |
|---|---|---|
| text | body | string |`;

/** Positions in which a value may have a reference. */
const everywhere = [
  "area = area",
  'spots = [spot, spot]; by = {"x": area}',
  'leg = {"from": spot, "next": {"from": spot, "word": "w"}}; legs = [{"from": spot}, {"from": null, "next": null}]',
  'box = {"spot": spot, "note": "n"}; chain = {"word": "a", "next": {"word": "b"}}',
].join("; ");

/** @param set the items that set a trip's fields */
async function serve(t: TestContext, set = everywhere) {
  const served = await serveDocument(smallDocument({ resources, endpoints: endpoints(set) }));
  t.after(() => served.close());
  const post = async (path: string, body: unknown = {}) => {
    const { status, body: reported } = await served.send("POST", path, { body });
    return status === 201 && reported !== "" ? JSON.parse(reported) : status;
  };
  return { served, post };
}

test("a record is stored as its key in lists, maps, objects and values, at any depth", async (t) => {
  const { served, post } = await serve(t);
  assert.deepEqual(await post("/areas", { name: "north" }), { name: "north" });
  const spot = { area: "north", number: 7 };
  assert.deepEqual(await post("/areas/north/spots", { number: 7 }), spot);
  assert.equal(await post("/areas/north/spots/7/trips"), 201);
  const { json } = await served.send("GET", "/trips");
  const trip = {
    id: 1,
    area: "north",
    spots: [spot, spot],
    by: { x: "north" },
    leg: { from: spot, next: { from: spot, next: null, word: "w" }, word: null },
    legs: [
      { from: spot, next: null, word: null },
      { from: null, next: null, word: null },
    ],
    box: { spot, note: "n" },
    chain: { word: "a", next: { word: "b", next: null } },
  };
  assert.deepEqual(json, [trip]);
});

for (const [what, set] of [
  ["a list", "spots = [spot]"],
  ["a queried list", "spots = Spot.filter(s, s == spot)"],
  ["an object", 'box = {"spot": spot}'],
  ["a value", 'leg = {"from": spot}'],
  ["a nested value", 'leg = {"next": {"from": spot}}'],
  ["a list of values", 'legs = [{"word": "w"}, {"from": spot}]'],
] as const)
  test(`the record that ${what} refers to can't be deleted`, async (t) => {
    const { served, post } = await serve(t, set);
    for (const name of ["north", "south"]) await post("/areas", { name });
    for (const name of ["north", "south"]) await post(`/areas/${name}/spots`, { number: 7 });
    assert.equal(await post("/areas/north/spots/7/trips"), 201);
    const remove = async (path: string) => (await served.send("DELETE", path)).status;
    assert.deepEqual(
      [await remove("/areas/south/spots/7"), await remove("/areas/north/spots/7")],
      [204, 409],
    );
    assert.deepEqual([await remove("/trips/1"), await remove("/areas/north/spots/7")], [204, 204]);
  });

test("a timestamp key is stored in one form, and a text key unchanged", async (t) => {
  const { post } = await serve(t);
  const made = (path: string, text: string) => post(path, { text });
  assert.deepEqual(
    [await made("/moments", "2026-11-20T12:00:00.500Z"), await made("/moments", "2026-11-20T12:00:00.700Z")],
    [{ at: "2026-11-20T12:00:00Z" }, 409],
  );
  assert.deepEqual(
    [await made("/codes", "1.50"), await made("/codes", "1.5")],
    [{ code: "1.50" }, { code: "1.5" }],
  );
});
