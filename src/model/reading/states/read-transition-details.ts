/**
 * Long guards and effects, under `### Parcel: deliver` (all ends of a transition) or `###
 * PaymentIntent: confirm to succeeded` (the ends that lead there).
 */
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import { type EffectSyntax, parseEffects } from "../../../syntax/effects.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { hasNotShown, isEmpty, isNone, itemsOf } from "../../../syntax/read.ts";
import { nearestHint } from "../nearest-hint.ts";
import type { EndDraft, Machines } from "./machine-draft.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { readGuard } from "./read-transition-row.ts";
import { splitAtWord } from "../any-part/when-clause.ts";

export function readTransitionDetails(section: Section, machines: Machines, reader: PartReader): void {
  const heading = unquote(section.heading);
  const colon = heading.text.indexOf(":");
  const resource = unquote(slice(heading, 0, colon));
  const about = trim(slice(heading, colon + 1));
  const machine = machines.get(resource.text);
  if (!machine) {
    const params = { name: resource.text, ...nearestHint(resource.text, machines.keys()) };
    reader.context.reporter.report("states/no-machine", positionIn(resource), params);
    return;
  }
  const [transition, to] = (splitAtWord(about, "to") ?? [about, undefined]).map(
    (part) => part && unquote(part),
  );
  const named = machine.transitions.get(transition?.text ?? "") ?? [];
  if (!transition || named.length === 0) {
    const name = transition ?? about;
    const params = {
      resource: resource.text,
      name: name.text,
      ...nearestHint(name.text, machine.transitions.keys()),
    };
    reader.context.reporter.report("states/unknown-transition", positionIn(name), params);
    return;
  }
  const ends = to ? named.filter((end) => end.to === to.text) : named;
  if (to && ends.length === 0) {
    const params = {
      transition: transition.text,
      name: to.text,
      ...nearestHint(
        to.text,
        named.map((end) => end.to),
      ),
    };
    reader.context.reporter.report("states/unknown-end", positionIn(to), params);
    return;
  }
  readDetailItems(section, ends, `${resource.text} ${transition.text}`, reader);
}

function readDetailItems(
  section: Section,
  ends: readonly EndDraft[],
  subject: string,
  reader: PartReader,
): void {
  const { ledger, reporter } = reader.context;
  const textOf = (item: ItemNode): Phrase =>
    isEmpty(item.value) && item.fence ? trim(item.fence.content) : item.value;
  const miss = (what: string, at?: Phrase): void => {
    const gap = ledger.gap(
      "states",
      "transitions",
      `${what} of ${subject}`,
      positionIn(at ?? section.heading),
    );
    for (const end of ends) end.gap ??= gap;
  };
  reader.items(itemsOf(section.body), [
    {
      key: "Guard",
      expected: 'a condition: `body.signed_by != ""`',
      fenced: true,
      read(item) {
        const guard = readGuard(textOf(item), miss);
        const before = ends.find((end) => end.guard);
        if (guard && before?.guard) {
          const related = [{ position: positionIn(before.guard.condition), message: "First defined here." }];
          reporter.report("states/second-guard", positionIn(item.key), { subject }, related);
        } else if (guard) for (const end of ends) end.guard = guard;
      },
    },
    {
      key: "Effect",
      expected: "`field = value`, `create …`, `update …`, `delete …`, `do …` or `send …`",
      several: true,
      fenced: true,
      read(item) {
        const value = textOf(item);
        if (hasNotShown(value)) miss("an effect", value);
        else if (!isNone(value)) addEffects(ends, parseEffects(value, reporter));
      },
    },
  ]);
}

function addEffects(ends: readonly EndDraft[], effects: readonly EffectSyntax[]): void {
  for (const end of ends) end.effects.push(effects);
}
