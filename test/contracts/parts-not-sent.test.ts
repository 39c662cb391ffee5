/**
 * Missing parts: a part of an object, or a field of an embedded value, that the client did not send
 * is null from the start. An expression over it has the same result in the request that creates or
 * changes the record and in every later read.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Served, serveDocument, smallDocument } from "./serve-document.ts";

const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | |
| amount | integer | |
| twice | integer | = \`this.amount * 2\` |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | |
| place | object | |
| place.town | string | |
| place.zip | string | |
| place.door | object | |
| place.door.number | integer | |
| stops | list of object | |
| stops[].town | string | |
| stops[].zip | string | |
| lines | map of Line | |`;

/** Expressions evaluated over values that lack parts. */
const requested = {
  one: "this.place",
  "one of a choice": `or(null, this.place)`,
  "some of one": `pick(this.place, ["zip", "door"])`,
  "one and more": `merge(this.place, {"more": 1})`,
  "whether a part is there": `has(this.place.zip)`,
  "how many parts there are": `size(this.place)`,
  "those for which something holds": `this.stops.filter(stop, stop.zip == null)`,
  "the first of them": `this.stops.first(stop, stop.town == "Ulm")`,
  "the last": `this.stops.last()`,
  "in another order": `this.stops.sort(stop, stop.town)`,
  "each once": `this.stops.distinct()`,
  "whether all have it": `this.stops.all(stop, has(stop.zip))`,
  "values by keys": `this.lines`,
  "a value by its key": `this.lines["a"]`,
} as const;
const shown = `\`{${Object.entries(requested)
  .map(([key, text]) => `"${key}": ${text}`)
  .join(", ")}}\``;
const endpoints = `### POST /notes

- Does: create Note
- Body: place?, stops?, lines?
- Returns: 201 ${shown}

### POST /notes/made

- Does: create Note
- Set: \`place = {"town": "Ulm"}; stops = [{"town": "Ulm"}, {"town": "Bonn"}]; lines = {"a": {"sku": "x"}}\`
- Returns: 201 ${shown}

### PUT /notes/{id}

- Does: update Note
- Body: place?, stops?, lines?
- Returns: 200 ${shown}

### GET /notes/{id}

- Does: read Note
- Returns: 200 ${shown}`;

const sent = {
  place: { town: "Ulm" },
  stops: [{ town: "Ulm" }, { town: "Bonn" }],
  lines: { a: { sku: "x" } },
};

let served: Served;
before(async () => {
  served = await serveDocument(smallDocument({ resources, endpoints }));
  assert.equal((await served.send("POST", "/notes", { body: {} })).status, 201);
});
after(() => served.close());

const ways = {
  "a record that is made of what was sent": ["POST", "/notes", sent, 2],
  "a record that the document fills": ["POST", "/notes/made", {}, 3],
  "a record that is changed": ["PUT", "/notes/1", sent, 1],
} as const;

for (const [name, [method, path, body, id]] of Object.entries(ways))
  test(`${name} is the same in the response and in a later read`, async () => {
    const made = await served.send(method, path, { body });
    assert.ok(made.status < 300, made.body);
    assert.deepEqual(made.json, (await served.send("GET", `/notes/${id}`)).json);
    assert.deepEqual(made.json.one, { town: "Ulm", zip: null, door: null });
    assert.equal(made.json["how many parts there are"], 3);
    assert.deepEqual(made.json["a value by its key"], { sku: "x", amount: null, twice: null });
  });
