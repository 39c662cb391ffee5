/** Event triggers (3.6, column `When`): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { parseTriggers } from "./event-triggers.ts";

function read(text: string): unknown {
  return parseTriggers(phraseOf(createSource("a.md", text), 0, text.length)).map((words) =>
    "unreadable" in words
      ? { unreadable: words.unreadable.text }
      : [words.resource?.text, words.becomesState, words.word?.text, words.when?.text],
  );
}

test("a trigger is a change, a transition, a state or an effect", () => {
  assert.deepEqual(read("Parcel created"), [["Parcel", false, "created", undefined]]);
  assert.deepEqual(read("`Parcel deliver`"), [["Parcel", false, "deliver", undefined]]);
  assert.deepEqual(read("Parcel becomes delivered"), [["Parcel", true, "delivered", undefined]]);
  assert.deepEqual(read("sent"), [[undefined, false, undefined, undefined]]);
});

test("several triggers are separated by commas, each with its own condition", () => {
  assert.deepEqual(
    read('Parcel give_back, Parcel updated when `f(this.a, old.a) == "x, y"`, sent when true'),
    [
      ["Parcel", false, "give_back", undefined],
      ["Parcel", false, "updated", '`f(this.a, old.a) == "x, y"`'],
      [undefined, false, undefined, "true"],
    ],
  );
});

test("a resource alone, or with two words after it, is unreadable", () => {
  assert.deepEqual(read("Parcel"), [{ unreadable: "Parcel" }]);
  assert.deepEqual(read("Parcel is created"), [{ unreadable: "Parcel is created" }]);
  assert.deepEqual(read("Parcel becomes"), [{ unreadable: "Parcel becomes" }]);
});
