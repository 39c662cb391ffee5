/** Names of `any of …` in older versions and on the wire: for orders and for conditions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serviceOf } from "./handlers-service.ts";

const document = `# Interface Specification: Parcels

## What the service does

- Purpose: none
- Domain: none
- Behaviour: none

## Resources and their fields

### Parcel

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| grams | integer | required |
| price | integer | |
| size | string | |
| likes | integer | sent as "+1" |

## States and transitions

- States: none
- Transitions: none

## Endpoints

- Functions: narrow(json): condition

### POST /parcels

- Does: create Parcel
- Body: grams, price?, size?, likes?
- Returns: 201 Parcel

### POST /parcels/search

- Does: list Parcel
- Where: any of grams, price, size, likes by narrow(body.filter)
- Order: any of grams, price, size, likes by body.sort, else id
- Pagination: none
- Returns: 200 \`page.items.map(p, p.id)\`

| Input | In | Type |
|---|---|---|
| filter | body | json |
| sort | body | string |

## Authentication

- Scheme: none

## Events

- Events: none
- Webhooks: none
- Notifications: none

## Errors

- Payload shape: problem details

| Code | Status | When | Message |
|---|---|---|---|
| invalid | 422 | invalid field | {error.field} {error.problem} |

## Limits

- Rate limits: none
- Size limits: none
- Time-outs: none
- Pagination bounds: none

## Versioning

- Scheme: header Api-Version
- Default: current
- Compatibility: none

| Version | Status | Until | Changes |
|---|---|---|---|
| v3 | current | | |
| v2 | supported | | |
| v1 | supported | | |

### Changes in v3

- Renamed: Parcel.weight to Parcel.grams
- Replaced: Parcel.size, new \`lower(old)\`, old \`upper(new)\`

### Changes in v2

- Added: Parcel.price
`;

test("a version knows a renamed field by its old name, and none that was added or replaced since", async () => {
  const { send, logged } = await serviceOf({ functions: { narrow: (tree: unknown) => tree } }, document);
  for (const parcel of [
    { grams: 300, price: 7, size: "s", "+1": 2 },
    { grams: 100, price: 9, size: "m", "+1": 1 },
  ])
    assert.equal((await send("POST", "/parcels", parcel)).status, 201);
  const request = async (version: string, body: object) => {
    const { status, json } = await send("POST", "/parcels/search", body, { "Api-Version": version });
    return status === 200 ? json : String(json.detail);
  };
  const least = (field: string) => ({
    filter: { field, is: "<", value: field === "weight" || field === "grams" ? 200 : 8 },
  });
  const expected: Readonly<Record<string, Readonly<Record<string, boolean>>>> = {
    v3: { grams: true, weight: false, price: true, size: true, "+1": true, likes: false },
    v2: { grams: false, weight: true, price: true, size: false, "+1": true, likes: false },
    v1: { grams: false, weight: true, price: false, size: false, "+1": true, likes: false },
  };
  for (const [version, names] of Object.entries(expected))
    for (const [name, isKnown] of Object.entries(names)) {
      const sorted = await request(version, { sort: name });
      if (isKnown) assert.ok(Array.isArray(sorted), `${version} ${name} ${sorted}`);
      else assert.match(sorted, /^sort has /, `${version} ${name}`);
      if (name === "size") continue;
      const selected = await request(version, least(name));
      if (isKnown) assert.ok(Array.isArray(selected), `${version} ${name} ${selected}`);
      else assert.match(selected, new RegExp(`^filter has "${name.replace("+", "\\+")}", and must be of`));
    }
  assert.deepEqual(await request("v1", least("weight")), [2]);
  assert.deepEqual(await request("v1", { sort: "weight" }), [2, 1]);
  assert.deepEqual(await request("v3", { sort: "-+1" }), [1, 2]);
  assert.deepEqual(logged, []);
});
