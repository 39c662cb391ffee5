/**
 * Parts of records in older versions (`address.postcode`, `stops[].town`), and embedded values in
 * them. Responses have them with the names of the version, and requests may send them so.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "../../src/support/json.ts";
import { twoVersions } from "../contracts/serve-document.ts";
import { showsInBothVersions } from "./in-both-versions.ts";

const resources = `### Line

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| sku | string | required, length 1..8 |

### Note

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| text | string | required, length 1..50 |
| place | object | |
| place.postcode | string | |
| place.town | string | |
| place.metres | integer | |
| place.floor | integer | default \`7\` |
| place.line | Line | |
| stops | list of object | |
| stops[].town | string | |
| stops[].doors | list of object | |
| stops[].doors[].number | integer | |
| stops[].line | Line | |`;
const versioning = twoVersions(`- Renamed: Line.text to Line.sku
- Renamed: Note.spot to Note.place
- Renamed: Note.place.zip to Note.place.postcode
- Replaced: Note.place.metres, new \`old * 1000\`, old \`new / 1000\`
- Renamed: Note.place.km to Note.place.metres
- Added: Note.place.floor
- Renamed: Note.stops[].city to Note.stops[].town
- Renamed: Note.stops[].doors[].nr to Note.stops[].doors[].number`);

/** The responses by their subject. */
const answers = {
  "an object": `this.place`,
  "an object that isn't there": `this.text == "none" ? this.place : null`,
  "a list of objects": `this.stops`,
  "one of a list": `this.stops[0]`,
  "a list in a list": `this.stops[0].doors`,
  "those for which something holds": `this.stops.filter(stop, stop.town == "Ulm")`,
  "the first for which something holds": `this.stops.first(stop, stop.town == "Ulm")`,
  "the last": `this.stops.last()`,
  "in another order": `this.stops.sort(stop, stop.town)`,
  "each by a name": `this.stops.map(stop, {"stop": stop, "is": stop.town, "doors": stop.doors})`,
  "those of those": `this.stops.map(stop, stop.doors).flatten()`,
  "what was made and chosen": `this.stops.map(stop, {"stop": stop}).filter(made, made.stop.town == "Ulm")`,
  "a map by a key": `this.stops.toMap(stop, stop.town, {"stop": stop, "line": stop.line})`,
  "a choice": `this.text == "order" ? this.place : null`,
  "the first that is there": `or(this.text == "x" ? this.place : null, this.place)`,
  "one and more": `merge(this.place, {"more": this.stops})`,
  "some of one": `pick(this.place, ["postcode", "metres", "floor"])`,
  "one in a list": `[this.place]`,
  "a value in one": `this.place.line`,
  "a part": `this.place.postcode`,
  "a shape": `Whole(this)`,
} as const;

const shapes = `### Shape: Whole of Note

\`\`\`cel
{"head": this.text, "where": this.place, "first": this.stops[0], "stops": this.stops}
\`\`\``;

const sent = {
  text: "order",
  place: { postcode: "89073", town: "Ulm", metres: 3000, floor: 7, line: { sku: "a" } },
  stops: [
    { town: "Ulm", doors: [{ number: 1 }, { number: 2 }] },
    { town: "Bonn", doors: [{ number: 3 }] },
  ],
};

/**
 * Converts a response of `v2` to the names of `v1` by hand. The town of a place always had that
 * name.
 */
function inOldWords(shown: Json): Json {
  if (Array.isArray(shown)) return shown.map(inOldWords);
  if (shown === null || typeof shown !== "object") return shown;
  return Object.fromEntries(
    Object.entries(shown).flatMap(([key, item]): [string, Json][] => {
      if (key === "floor") return [];
      if (key === "metres") return [["km", Number(item) / 1000]];
      if (key === "town" && "doors" in shown) return [["city", item]];
      const old = { sku: "text", postcode: "zip", number: "nr", place: "spot" }[key];
      return [[old ?? key, inOldWords(item)]];
    }),
  );
}

const served = showsInBothVersions({
  resources,
  shapes,
  versioning,
  body: "text, place?, stops?",
  sent,
  read: answers,
  made: answers,
  inOldWords,
});

test("parts that an older version sends are stored in the current form, with defaults for fields that it lacks", async () => {
  const made = await served().send("POST", "/v1/an-object", { body: inOldWords(sent) });
  assert.equal(made.status, 201, made.body);
  const newest = await served().send("POST", "/v2/an-object", { body: sent });
  const [first, second] = (await served().send("GET", "/v2/notes")).json.slice(-2);
  assert.deepEqual({ ...first, id: second.id }, second, newest.body);
});

test("an error in a part of a value is reported with the names that the client sent", async () => {
  const blamed = async (body: Json) => {
    const answer = await served().send("POST", "/v1/an-object", { body });
    return answer.json.errors.map((error: { readonly pointer: string }) => error.pointer);
  };
  const wrong = {
    text: "order",
    spot: { line: { text: "" } },
    stops: [{}, { line: { text: "too long by far" } }],
  };
  assert.deepEqual(await blamed(wrong), ["#/spot/line/text", "#/stops/1/line/text"]);
  assert.deepEqual(await blamed({ text: "order", spot: { line: {} } }), ["#/spot/line/text"]);
});
