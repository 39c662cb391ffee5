/** Names in a scenario's messages: requests may only use known names, and responses may capture new ones. */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { nearest } from "../../../support/nearest.ts";
import { type Capture, captureTypes, captureWords, readCaptures } from "../../scenarios/captures.ts";

/** Checks a request: every name was set or captured before. */
export function checkSent(phrase: Phrase, names: ReadonlySet<string>, reporter: Reporter): void {
  for (const capture of capturesOf(phrase, names, reporter)) {
    const position = positionIn(phrase, capture.from, capture.to);
    if (
      capture.name === captureWords.anything ||
      capture.name === captureWords.absent ||
      capture.type !== undefined
    ) {
      reporter.report("purpose/capture-in-request", position, {
        text: phrase.text.slice(capture.from, capture.to),
      });
    } else if (capture.name !== captureWords.run && !names.has(capture.name)) {
      reporter.report("purpose/unknown-capture", position, {
        name: capture.name,
        nearest: nearest(capture.name, names),
        names: [...names],
      });
    }
  }
}

/** Checks a response or an event. An unknown name is captured, and known from here on. */
export function checkExpected(phrase: Phrase, names: Set<string>, reporter: Reporter): void {
  for (const capture of capturesOf(phrase, names, reporter)) {
    const { name, type } = capture;
    if (type !== undefined && !(captureTypes as readonly string[]).includes(type)) {
      reporter.report("purpose/unknown-capture-type", positionIn(phrase, capture.from, capture.to), {
        name: type,
        nearest: nearest(type, captureTypes),
        known: captureTypes,
      });
    }
    if (!(Object.values(captureWords) as readonly string[]).includes(name)) names.add(name);
  }
}

function capturesOf(phrase: Phrase, names: ReadonlySet<string>, reporter: Reporter): readonly Capture[] {
  const { captures, unreadable } = readCaptures(phrase.text);
  for (const { from, to } of unreadable) {
    reporter.report("purpose/unreadable-capture", positionIn(phrase, from, to), {
      text: phrase.text.slice(from, to),
      names: [...names],
    });
  }
  return captures;
}
