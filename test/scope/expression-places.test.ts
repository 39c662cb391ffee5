/**
 * Every place of the language is covered by the scope tests. The types of the model define where
 * expressions may occur, and each of these places is listed here (a missing one is a type error). A
 * place listed as covered must occur in the documents of the tests.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/index.ts";
import { alongside, furtherNames } from "./post-filter.ts";
import type { ExpressionPath } from "./expression-paths.ts";
import { pathsOf } from "./model-paths.ts";
import { documentWith as selectionDocument, selectionPlaces } from "./selection-places.ts";
import { calls, documentWith, everything, names, picking } from "./places.ts";

const onlyAssigns = "Set only assigns";
const aPath = "a path of names, and no expression";
const ofTheField = "the rule of the field, covered there; an input's own default is inputs[].default";
const aShape = "names a shape, covered as shapes[].body";
const neverEvaluated = "exported, and never evaluated: when it applies isn't shown";
const noDirection = "the direction of an effect stands in words";

/** `covered`, or the reason why the place needs no test. */
const places: Readonly<Record<ExpressionPath, "covered" | { readonly because: string }>> = {
  "authentication.schemes[].caller": "covered",
  "authentication.schemes[].signature.value": "covered",
  "endpointsPart.errorHeaders[].value": "covered",
  "endpoints[].allowed[].condition": "covered",
  "endpoints[].does[].when": "covered",
  "endpoints[].effects[].by[].by": "covered",
  "endpoints[].effects[].by[].direction": { because: noDirection },
  "endpoints[].effects[].fields[].value": "covered",
  "endpoints[].effects[].first": "covered",
  "endpoints[].effects[].for.list": "covered",
  "endpoints[].effects[].for.when": "covered",
  "endpoints[].effects[].of": { because: aPath },
  "endpoints[].effects[].set[].value": "covered",
  "endpoints[].effects[].value": "covered",
  "endpoints[].effects[].when": "covered",
  "endpoints[].effects[].where": "covered",
  "endpoints[].effects[].with[].value": "covered",
  "endpoints[].fails[].when": "covered",
  "endpoints[].headers[].value": "covered",
  "endpoints[].headerMaps[].value": "covered",
  "endpoints[].idempotency.per": "covered",
  "endpoints[].inputs[].default": "covered",
  "endpoints[].inputs[].filter.condition": "covered",
  "endpoints[].inputs[].rules[]<computed>.value": { because: ofTheField },
  "endpoints[].inputs[].rules[]<default>.value": { because: ofTheField },
  "endpoints[].inputs[].rules[]<on create>.value": { because: ofTheField },
  "endpoints[].inputs[].rules[]<on update>.value": { because: ofTheField },
  "endpoints[].lets[].value": "covered",
  "endpoints[].order[].choice.of[].by": { because: "the name of a field" },
  "endpoints[].order[].choice.text": { because: "read like the direction of a key" },
  "endpoints[].openReturns[].body": { because: neverEvaluated },
  "endpoints[].openReturns[].item": { because: neverEvaluated },
  "endpoints[].openReturns[].page": { because: neverEvaluated },
  "endpoints[].openReturns[].when": { because: neverEvaluated },
  "endpoints[].order[].keys[].by": "covered",
  "endpoints[].order[].keys[].direction": "covered",
  "endpoints[].order[].when": "covered",
  "endpoints[].records[].allowed[].condition": "covered",
  "endpoints[].records[].fails[].when": "covered",
  "endpoints[].records[].where[]": "covered",
  "endpoints[].returns[].body": "covered",
  "endpoints[].returns[].item": { because: aShape },
  "endpoints[].returns[].page": { because: aShape },
  "endpoints[].returns[].when": "covered",
  "endpoints[].set[].by[].by": { because: onlyAssigns },
  "endpoints[].set[].by[].direction": { because: onlyAssigns },
  "endpoints[].set[].fields[].value": { because: onlyAssigns },
  "endpoints[].set[].first": { because: onlyAssigns },
  "endpoints[].set[].for.list": { because: onlyAssigns },
  "endpoints[].set[].for.when": { because: onlyAssigns },
  "endpoints[].set[].of": { because: aPath },
  "endpoints[].set[].set[].value": { because: onlyAssigns },
  "endpoints[].set[].value": "covered",
  "endpoints[].set[].when": "covered",
  "endpoints[].set[].where": { because: onlyAssigns },
  "endpoints[].set[].with[].value": { because: onlyAssigns },
  "endpoints[].stream.ends[].when": "covered",
  "endpoints[].stream.sends[].as": "covered",
  "endpoints[].stream.sends[].when": "covered",
  "endpoints[].stream.starts": "covered",
  "endpoints[].then[].when": "covered",
  "endpoints[].waits.atMost": "covered",
  "endpoints[].waits.until": "covered",
  "endpoints[].where[]": "covered",
  "errors.headers[].value": "covered",
  "errors.payload": "covered",
  "errors.rows[].field[]": "covered",
  "errors.rows[].further.*[]": "covered",
  "errors.rows[].message[]": "covered",
  "events.events[].payload": "covered",
  "events.events[].to.when": "covered",
  "events.events[].triggers[].when": "covered",
  "events.headerMaps[].value": "covered",
  "events.headers[].value": "covered",
  "events.mediaTypes[].when": "covered",
  "events.notifications[].subject": "covered",
  "events.notifications[].text": "covered",
  "events.notifications[].to": "covered",
  "events.notifications[].when": "covered",
  "events.requests[].url": "covered",
  "events.requests[].when": "covered",
  "events.signature.secret": "covered",
  "events.webhooks.when": "covered",
  "limits.concurrency[].per": "covered",
  "limits.rates[].cost": "covered",
  "limits.rates[].per": "covered",
  "limits.rates[].when": "covered",
  "limits.stored[].where": "covered",
  "resources[].always[]": "covered",
  "resources[].fails[].when": "covered",
  "resources[].fields[].rules[]<computed>.value": "covered",
  "resources[].fields[].rules[]<default>.value": "covered",
  "resources[].fields[].rules[]<on create>.value": "covered",
  "resources[].fields[].rules[]<on update>.value": "covered",
  "resources[].identifier.by": "covered",
  "resources[].states.initial": "covered",
  "resources[].states.transitions[].ends[].effects[].by[].by": "covered",
  "resources[].states.transitions[].ends[].effects[].by[].direction": { because: noDirection },
  "resources[].states.transitions[].ends[].effects[].fields[].value": "covered",
  "resources[].states.transitions[].ends[].effects[].first": "covered",
  "resources[].states.transitions[].ends[].effects[].for.list": "covered",
  "resources[].states.transitions[].ends[].effects[].for.when": "covered",
  "resources[].states.transitions[].ends[].effects[].of": { because: aPath },
  "resources[].states.transitions[].ends[].effects[].set[].value": "covered",
  "resources[].states.transitions[].ends[].effects[].value": "covered",
  "resources[].states.transitions[].ends[].effects[].when": "covered",
  "resources[].states.transitions[].ends[].effects[].where": "covered",
  "resources[].states.transitions[].ends[].effects[].with[].value": "covered",
  "resources[].states.transitions[].ends[].guard.condition": "covered",
  "resources[].visible": "covered",
  "scenarios[].steps[].fields[].value": "covered",
  "shapes[].body": "covered",
  "endpoints[].whereChoices[].condition": "covered",
  "endpoints[].whereChoices[].of[].by": { because: "the name of a field" },
  "versioning.default.pinned": "covered",
  "versioning.versions[].changes[].as.value": "covered",
  "versioning.versions[].changes[].new": "covered",
  "versioning.versions[].changes[].old": "covered",
  "versioning.versions[].changes[].was": "covered",
};

test("every place of an expression is covered, and listed as covered", () => {
  const grounds = [everything, alongside];
  const found = new Set([
    ...grounds.flatMap((ground) =>
      ground.places.flatMap((place) => [...placed(documentWith(ground, place, []), "reached")]),
    ),
    ...selectionPlaces.flatMap((place) => [...placed(selectionDocument(place, ["now"]), "p0")]),
  ]);
  const covered = Object.keys(places).filter((path) => places[path as ExpressionPath] === "covered");
  assert.deepEqual([...found].sort(), covered.sort());
});

test("the numbers of places and names are as recorded", (t) => {
  const requested =
    everything.places.length * names.length + alongside.places.length * (names.length + furtherNames.length);
  const inStore = selectionPlaces.length * (names.length + calls.length + picking.length);
  t.diagnostic(
    `${everything.places.length + alongside.places.length + selectionPlaces.length} places, ${requested + inStore} questions, ${Object.keys(places).length} paths of the model`,
  );
  assert.ok(requested > 0 && inStore > 0);
});

function placed(text: string, marker: string): ReadonlySet<string> {
  const { model, diagnostics } = compile(text, { file: "covered.md" });
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.severity === "error")
      .map((diagnostic) => diagnostic.message),
    [],
  );
  assert.ok(model);
  return pathsOf(model, marker);
}
