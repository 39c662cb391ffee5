/**
 * The hunt covers every place of the language. The types of the model define where expressions may
 * occur, and each of these places is listed here (a missing one is a type error). A place listed as
 * hunted must occur in the documents of the hunt.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../src/index.ts";
import { alongside, furtherNames } from "./post-filter.ts";
import type { ExpressionPath } from "./expression-paths.ts";
import { pathsOf } from "./model-paths.ts";
import { documentWith as pickingDocument, pickings } from "./pickings.ts";
import { calls, documentWith, everything, names, picking } from "./places.ts";

const onlyAssigns = "Set only assigns";
const aPath = "a path of names, and no expression";
const ofTheField = "the rule of the field, hunted there; an input's own default is inputs[].default";
const aShape = "names a shape, hunted as shapes[].body";
const neverEvaluated = "exported, and never evaluated: when it applies isn't shown";
const noDirection = "the direction of an effect stands in words";

/** Hunted, or the reason why there is nothing to hunt. */
const places: Readonly<Record<ExpressionPath, "hunted" | { readonly because: string }>> = {
  "authentication.schemes[].caller": "hunted",
  "authentication.schemes[].signature.value": "hunted",
  "endpointsPart.errorHeaders[].value": "hunted",
  "endpoints[].allowed[].condition": "hunted",
  "endpoints[].does[].when": "hunted",
  "endpoints[].effects[].by[].by": "hunted",
  "endpoints[].effects[].by[].direction": { because: noDirection },
  "endpoints[].effects[].fields[].value": "hunted",
  "endpoints[].effects[].first": "hunted",
  "endpoints[].effects[].for.list": "hunted",
  "endpoints[].effects[].for.when": "hunted",
  "endpoints[].effects[].of": { because: aPath },
  "endpoints[].effects[].set[].value": "hunted",
  "endpoints[].effects[].value": "hunted",
  "endpoints[].effects[].when": "hunted",
  "endpoints[].effects[].where": "hunted",
  "endpoints[].effects[].with[].value": "hunted",
  "endpoints[].fails[].when": "hunted",
  "endpoints[].headers[].value": "hunted",
  "endpoints[].idempotency.per": "hunted",
  "endpoints[].inputs[].default": "hunted",
  "endpoints[].inputs[].filter.condition": "hunted",
  "endpoints[].inputs[].rules[]<computed>.value": { because: ofTheField },
  "endpoints[].inputs[].rules[]<default>.value": { because: ofTheField },
  "endpoints[].inputs[].rules[]<on create>.value": { because: ofTheField },
  "endpoints[].inputs[].rules[]<on update>.value": { because: ofTheField },
  "endpoints[].lets[].value": "hunted",
  "endpoints[].order[].choice.of[].by": { because: "the name of a field" },
  "endpoints[].order[].choice.text": { because: "read like the direction of a key" },
  "endpoints[].openReturns[].body": { because: neverEvaluated },
  "endpoints[].openReturns[].item": { because: neverEvaluated },
  "endpoints[].openReturns[].page": { because: neverEvaluated },
  "endpoints[].openReturns[].when": { because: neverEvaluated },
  "endpoints[].order[].keys[].by": "hunted",
  "endpoints[].order[].keys[].direction": "hunted",
  "endpoints[].order[].when": "hunted",
  "endpoints[].records[].allowed[].condition": "hunted",
  "endpoints[].records[].fails[].when": "hunted",
  "endpoints[].records[].where[]": "hunted",
  "endpoints[].returns[].body": "hunted",
  "endpoints[].returns[].item": { because: aShape },
  "endpoints[].returns[].page": { because: aShape },
  "endpoints[].returns[].when": "hunted",
  "endpoints[].set[].by[].by": { because: onlyAssigns },
  "endpoints[].set[].by[].direction": { because: onlyAssigns },
  "endpoints[].set[].fields[].value": { because: onlyAssigns },
  "endpoints[].set[].first": { because: onlyAssigns },
  "endpoints[].set[].for.list": { because: onlyAssigns },
  "endpoints[].set[].for.when": { because: onlyAssigns },
  "endpoints[].set[].of": { because: aPath },
  "endpoints[].set[].set[].value": { because: onlyAssigns },
  "endpoints[].set[].value": "hunted",
  "endpoints[].set[].when": "hunted",
  "endpoints[].set[].where": { because: onlyAssigns },
  "endpoints[].set[].with[].value": { because: onlyAssigns },
  "endpoints[].stream.ends[].when": "hunted",
  "endpoints[].stream.sends[].as": "hunted",
  "endpoints[].stream.sends[].when": "hunted",
  "endpoints[].stream.starts": "hunted",
  "endpoints[].then[].when": "hunted",
  "endpoints[].waits.atMost": "hunted",
  "endpoints[].waits.until": "hunted",
  "endpoints[].where[]": "hunted",
  "errors.headers[].value": "hunted",
  "errors.payload": "hunted",
  "errors.rows[].field[]": "hunted",
  "errors.rows[].further.*[]": "hunted",
  "errors.rows[].message[]": "hunted",
  "events.events[].payload": "hunted",
  "events.events[].to.when": "hunted",
  "events.events[].triggers[].when": "hunted",
  "events.headerMaps[].value": "hunted",
  "events.headers[].value": "hunted",
  "events.mediaTypes[].when": "hunted",
  "events.notifications[].subject": "hunted",
  "events.notifications[].text": "hunted",
  "events.notifications[].to": "hunted",
  "events.notifications[].when": "hunted",
  "events.signature.secret": "hunted",
  "events.webhooks.when": "hunted",
  "limits.concurrency[].per": "hunted",
  "limits.rates[].cost": "hunted",
  "limits.rates[].per": "hunted",
  "limits.rates[].when": "hunted",
  "limits.stored[].where": "hunted",
  "resources[].always[]": "hunted",
  "resources[].fails[].when": "hunted",
  "resources[].fields[].rules[]<computed>.value": "hunted",
  "resources[].fields[].rules[]<default>.value": "hunted",
  "resources[].fields[].rules[]<on create>.value": "hunted",
  "resources[].fields[].rules[]<on update>.value": "hunted",
  "resources[].identifier.by": "hunted",
  "resources[].states.initial": "hunted",
  "resources[].states.transitions[].ends[].effects[].by[].by": "hunted",
  "resources[].states.transitions[].ends[].effects[].by[].direction": { because: noDirection },
  "resources[].states.transitions[].ends[].effects[].fields[].value": "hunted",
  "resources[].states.transitions[].ends[].effects[].first": "hunted",
  "resources[].states.transitions[].ends[].effects[].for.list": "hunted",
  "resources[].states.transitions[].ends[].effects[].for.when": "hunted",
  "resources[].states.transitions[].ends[].effects[].of": { because: aPath },
  "resources[].states.transitions[].ends[].effects[].set[].value": "hunted",
  "resources[].states.transitions[].ends[].effects[].value": "hunted",
  "resources[].states.transitions[].ends[].effects[].when": "hunted",
  "resources[].states.transitions[].ends[].effects[].where": "hunted",
  "resources[].states.transitions[].ends[].effects[].with[].value": "hunted",
  "resources[].states.transitions[].ends[].guard.condition": "hunted",
  "resources[].visible": "hunted",
  "scenarios[].steps[].fields[].value": "hunted",
  "shapes[].body": "hunted",
  "versioning.default.pinned": "hunted",
  "versioning.versions[].changes[].as.value": "hunted",
  "versioning.versions[].changes[].new": "hunted",
  "versioning.versions[].changes[].old": "hunted",
  "versioning.versions[].changes[].was": "hunted",
};

test("every place where an expression may stand is hunted, and all of those that say so", () => {
  const grounds = [everything, alongside];
  const found = new Set([
    ...grounds.flatMap((ground) =>
      ground.places.flatMap((place) => [...placed(documentWith(ground, place, []), "reached")]),
    ),
    ...pickings.flatMap((place) => [...placed(pickingDocument(place, ["now"]), "p0")]),
  ]);
  const hunted = Object.keys(places).filter((path) => places[path as ExpressionPath] === "hunted");
  assert.deepEqual([...found].sort(), hunted.sort());
});

test("how many places and names there are", (t) => {
  const requested =
    everything.places.length * names.length + alongside.places.length * (names.length + furtherNames.length);
  const inStore = pickings.length * (names.length + calls.length + picking.length);
  t.diagnostic(
    `${everything.places.length + alongside.places.length + pickings.length} places, ${requested + inStore} questions, ${Object.keys(places).length} paths of the model`,
  );
  assert.ok(requested > 0 && inStore > 0);
});

function placed(text: string, marker: string): ReadonlySet<string> {
  const { model, diagnostics } = compile(text, { file: "hunted.md" });
  assert.deepEqual(
    diagnostics.filter((one) => one.severity === "error").map((one) => one.message),
    [],
  );
  assert.ok(model);
  return pathsOf(model, marker);
}
