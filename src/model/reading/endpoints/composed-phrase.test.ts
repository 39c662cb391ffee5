/** Composed phrases: unit tests of positions. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { phraseOf, positionIn } from "../../../source/phrase.ts";
import { createSource } from "../../../source/source.ts";
import { withGeneratedText, withText } from "./composed-phrase.ts";

//   - Returns: 200 Parcel
//                  ^ column 16
const source = createSource("test.md", "- Returns: 200 Parcel");
const word = phraseOf(source, 15, 21);

function columns(position: { readonly start: { column: number }; readonly end: { column: number } }): string {
  return `${position.start.column}-${position.end.column}`;
}

test("generated words have the position where the author's words start or end", () => {
  const phrase = withGeneratedText("", word, "(this)");
  assert.equal(phrase.text, "Parcel(this)");
  assert.equal(columns(positionIn(phrase)), "16-22");
  assert.equal(columns(positionIn(phrase, 0, 3)), "16-19");
  assert.equal(columns(positionIn(phrase, 7, 11)), "21-22");
  assert.equal(columns(positionIn(withGeneratedText("this.", word, ""), 0, 5)), "16-17");
});

test("generated text in place of the author's has the position of the whole phrase", () => {
  const phrase = withText(word, "this.shop == shop");
  assert.equal(phrase.text, "this.shop == shop");
  assert.equal(columns(positionIn(phrase)), "16-22");
});
