/**
 * The records for which `send` raises an event (3.3): found in the effects of parts 3 and 4 before
 * they are bound, so that the payload of a `sent` event knows the type of `this`. It is unknown if
 * several resources send the event.
 */
import { type Phrase, splitOutside, unquote } from "../../../source/phrase.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import type { Section } from "../../../syntax/nodes.ts";
import { cellOf, itemsOf, keyText, tablesOf } from "../../../syntax/read.ts";
import type { BuildContext } from "../any-part/context.ts";
import { parseEndpointName, sameEndpoint } from "../any-part/endpoint-names.ts";

/** By event: the resource whose record sends it. Undefined if there are several, or if it is unknown. */
export const sentFrom = memoizeBy((context: BuildContext): ReadonlyMap<string, string | undefined> => {
  const found = new Map<string, string | undefined>();
  const note = (effects: readonly Phrase[], resource: string | undefined): void => {
    for (const effect of effects) {
      for (const event of sendsOf(effect)) {
        found.set(event, found.has(event) && found.get(event) !== resource ? undefined : resource);
      }
    }
  };
  for (const section of context.document.parts.states?.sections ?? []) {
    note(effectsOf(section), resourceNamed(context, section.heading.text));
  }
  const endpoints = context.document.parts.endpoints;
  for (const section of endpoints?.sections ?? []) {
    const like = likeOf(section, endpoints?.sections ?? []);
    const effects = effectsOf(section);
    // Part 4, Like: an endpoint inherits what it doesn't state itself.
    const resource = resourceDone(context, section) ?? (like && resourceDone(context, like));
    note(effects.length === 0 && like ? effectsOf(like) : effects, resource);
  }
  // A `send` in a part-wide item may concern the record of any endpoint.
  const whole = itemsOf(endpoints?.body ?? []).filter(isEffect);
  note(
    whole.map((item) => item.value),
    undefined,
  );
  return found;
});

function likeOf(section: Section, all: readonly Section[]): Section | undefined {
  const item = itemsOf(section.body).find(({ key }) => keyText(key) === "like");
  const requested = item && parseEndpointName(unquote(item.value).text);
  return (
    requested &&
    all.find((section) => {
      const name = parseEndpointName(unquote(section.heading).text.replaceAll("`", ""));
      return name !== undefined && sameEndpoint(name, requested);
    })
  );
}

function isEffect(item: { readonly key: Phrase }): boolean {
  return keyText(item.key) === "effect";
}

function effectsOf(section: Section): Phrase[] {
  const items = itemsOf(section.body)
    .filter(isEffect)
    .map((item) => item.value);
  const cells = tablesOf(section.body).flatMap((table) =>
    table.rows.map((row) => cellOf(table, row, "Effect")),
  );
  return [...items, ...cells.filter((cell) => cell !== undefined)];
}

/** The events that an effect sends: `a = 1; send ping when x` → `ping`. Texts in quotes are ignored. */
function sendsOf(effect: Phrase): string[] {
  const bare = effect.text.replaceAll("`", " ");
  if (!bare.includes("send")) return [];
  const phrase: Phrase = { source: effect.source, text: bare, start: effect.start };
  return splitOutside(phrase, ";").flatMap((piece) => /^send\s+([\w.:/-]+)/.exec(piece.text)?.[1] ?? []);
}

/** `Parcel`, `Parcel: deliver` → `Parcel`. */
function resourceNamed(context: BuildContext, heading: string): string | undefined {
  const name = heading.split(":")[0]?.replaceAll("`", "").trim() ?? "";
  return context.declarations.resources.has(name) ? name : undefined;
}

/** The only resource that the `Does` of an endpoint names. */
function resourceDone(context: BuildContext, section: Section): string | undefined {
  const named = new Set<string>();
  for (const item of itemsOf(section.body)) {
    if (keyText(item.key) !== "does") continue;
    const condition = item.value.text.search(/\swhen\s/);
    const words = condition === -1 ? item.value.text : item.value.text.slice(0, condition);
    for (const word of words.split(/[^\w]+/)) if (context.declarations.resources.has(word)) named.add(word);
  }
  return named.size === 1 ? [...named][0] : undefined;
}
