/** Defaults of parts: absent parts of a value of the document get their defaults, at any depth. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Place

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| city | string | default "here" |
| note | string | |
| within | Area | default \`{}\` |

### Area

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| name | string | default "area" |
| around | Area | default \`{"name": "wider"}\` |

### Plain

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| text | string | |

### Trip

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| from | Place | |
| stops | list of Place | |
| by | map of Place | |
| plain | Plain | |
| plains | list of Plain | |`;

const endpoints = (set: string) => `### POST /trips

- Does: create Trip
- Set: \`${set}\`
- Returns: 201 Trip`;

const area = { name: "area", around: { name: "wider", around: null } };

/** By case: the value that a document sets, and the value that is stored. */
const cases: readonly (readonly [set: string, kept: Readonly<Record<string, unknown>>])[] = [
  ["from = {}", { from: { city: "here", note: null, within: area } }],
  ["from = null", { from: null }],
  [
    'from = {"city": null, "note": "n", "within": {"name": "x", "around": null}}',
    { from: { city: null, note: "n", within: { name: "x", around: null } } },
  ],
  [
    'from = {"city": "there", "within": {"around": {}}}',
    { from: { city: "there", note: null, within: { name: "area", around: area } } },
  ],
  [
    'stops = [{"city": "a", "within": null}, {"city": "b"}]',
    {
      stops: [
        { city: "a", note: null, within: null },
        { city: "b", note: null, within: area },
      ],
    },
  ],
  ['by = {"x": {"within": null}}', { by: { x: { city: "here", note: null, within: null } } }],
  [
    'plain = {}; plains = [{"text": "t"}, {}]',
    { plain: { text: null }, plains: [{ text: "t" }, { text: null }] },
  ],
];

for (const [set, kept] of cases)
  test(`${set} is stored with all parts`, async (t) => {
    const served = await serveDocument(smallDocument({ resources, endpoints: endpoints(set) }));
    t.after(() => served.close());
    const { json } = await served.send("POST", "/trips");
    const none = { id: 1, from: null, stops: null, by: null, plain: null, plains: null };
    assert.deepEqual(json, { ...none, ...kept });
  });
