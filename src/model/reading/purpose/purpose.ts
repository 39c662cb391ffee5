/**
 * Part 1: purpose, domain and behaviour (prose, as items or under headings of those names) and the
 * scenarios, whose steps `scenario.ts` reads.
 */
import { type Phrase, phraseOf, positionIn, slice, trim } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import { nearest } from "../../../support/nearest.ts";
import { type Block, type ItemName, itemsOfParts, type Section } from "../../../syntax/nodes.ts";
import { keyText } from "../../../syntax/read.ts";
import { itemStatements } from "../../../syntax/statement.ts";
import type { Model, Scenario } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { buildScenario, scenarioKeys } from "./scenario.ts";
import { givenName, SharedGivens } from "./shared-givens.ts";

type ProseItem = (typeof itemsOfParts.purpose)[number];
type Prose = Partial<Record<ProseItem, { readonly text: string; readonly position: Position }>>;

export function buildPurpose(context: BuildContext): Pick<Model, "purpose" | "scenarios"> {
  const part = context.document.parts.purpose;
  const prose: Prose = {};
  const scenarios: Scenario[] = [];
  context.keys.note("purpose", scenarioKeys);
  readItems(context, part?.body ?? [], prose);
  const shared = new SharedGivens(context, part?.sections ?? []);
  for (const section of part?.sections ?? []) {
    if (givenName(section.heading)) continue;
    const name = scenarioName(section.heading);
    const item = itemsOfParts.purpose.find((purpose) => purpose === keyText(section.heading));
    if (name) scenarios.push(...namedScenario(context, section, name, shared));
    else if (item) readSection(context, section, item, prose);
    else reportHeading(context, section.heading);
  }
  shared.reportUnused();
  const { purpose, domain, behaviour } = prose;
  return {
    purpose: {
      ...(purpose && { purpose: purpose.text }),
      ...(domain && { domain: domain.text }),
      ...(behaviour && { behaviour: behaviour.text }),
    },
    scenarios,
  };
}

// ── Prose ───────────────────────────────────────────────────────────────────────────────────────

function readItems(context: BuildContext, blocks: readonly Block[], prose: Prose): void {
  const known = itemsOfParts.purpose.map((item) => item.slice(0, 1).toUpperCase() + item.slice(1));
  for (const block of blocks) {
    if (block.kind === "fence" && block.language === "http") {
      context.reporter.report("purpose/outside-scenario", block.position, { what: "`http` block" });
    }
    if (block.kind !== "item") continue;
    const item = itemsOfParts.purpose.find((purpose) => purpose === keyText(block.key));
    if (item === undefined) {
      reportKey(context, block.key, known);
    } else if (itemStatements("purpose", block).length === 0) {
      readText(context, prose, item, block.value, block.position);
    }
  }
}

function reportKey(context: BuildContext, key: Phrase, known: readonly string[]): void {
  // The items of scenarios are known, but not allowed here.
  if (["given", "wait", "event"].includes(keyText(key))) {
    context.reporter.report("purpose/outside-scenario", positionIn(key), { what: `item "${key.text}"` });
    return;
  }
  context.reporter.report("purpose/unknown-key", positionIn(key), {
    key: key.text,
    nearest: nearest(key.text, known),
    known,
  });
}

/** Everything under the heading is prose, items and tables too. */
function readSection(context: BuildContext, section: Section, item: ProseItem, prose: Prose): void {
  const { source } = section.heading;
  const { end } = section.position;
  const endOfHeading = source.lineStarts[positionIn(section.heading).end.line] ?? end.offset;
  const text = trim(phraseOf(source, Math.min(endOfHeading, end.offset), end.offset));
  const answer = /^(not\s+shown|none)\.?$/i.exec(text.text)?.[1]?.toLowerCase();
  if (answer === "none") context.ledger.none(item, positionIn(text));
  else if (answer !== undefined) context.ledger.notShown(item, positionIn(text));
  else readText(context, prose, item, text, positionIn(section.heading));
}

function readText(
  context: BuildContext,
  prose: Prose,
  item: ProseItem,
  text: Phrase,
  position: Position,
): void {
  // A heading or a key without content states nothing. The ledger reports the gap.
  if (text.text === "") return;
  const first = prose[item];
  if (first) {
    context.reporter.report("purpose/said-twice", position, { item }, [
      { position: first.position, message: "First defined here." },
    ]);
    return;
  }
  prose[item] = { text: text.text.replaceAll("\r", ""), position };
  context.ledger.state(item satisfies ItemName, position);
}

// ── Headings ────────────────────────────────────────────────────────────────────────────────────

/** The text after `Scenario:`. Undefined for any other heading. */
function scenarioName(heading: Phrase): Phrase | undefined {
  const match = /^scenario\s*(:|$)/i.exec(heading.text);
  return match ? trim(slice(heading, match[0].length)) : undefined;
}

function namedScenario(
  context: BuildContext,
  section: Section,
  name: Phrase,
  shared: SharedGivens,
): Scenario[] {
  const position = name.text === "" ? positionIn(section.heading) : positionIn(name);
  return [{ name: name.text, position, steps: buildScenario(context, section, name, shared) }];
}

/**
 * A misspelt heading is reported as one. Any other heading is the author's own, and its content is
 * description.
 */
function reportHeading(context: BuildContext, heading: Phrase): void {
  const [before, behind] = heading.text.split(":");
  const word = behind === undefined ? undefined : nearest(before as string, ["Scenario", "Given"]);
  const scenario = word === undefined ? undefined : `${word}: …`;
  const intended = scenario ?? nearest(heading.text, ["Purpose", "Domain", "Behaviour"]);
  if (intended === undefined)
    context.reporter.report("purpose/other-heading", positionIn(heading), { text: heading.text });
  else
    context.reporter.report("purpose/unknown-heading", positionIn(heading), {
      text: heading.text,
      nearest: intended,
    });
}
