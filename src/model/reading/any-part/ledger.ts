/**
 * The ledger: the 26 items, and the document's answer to each. It reads statements about complete
 * items; the modules of the parts add what those state. It decides contradictions and reports gaps,
 * and never fills one in.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import { positionIn, slice } from "../../../source/phrase.ts";
import { type Position, positionOf } from "../../../source/source.ts";
import {
  type Block,
  type DocumentNode,
  type ItemName,
  itemsOfParts,
  type PartName,
  partNames,
  partTitles,
} from "../../../syntax/nodes.ts";
import { isLooseGap } from "../../../syntax/read.ts";
import { statementsOf } from "../../../syntax/statement.ts";
import type { Answer, Gap, LedgerEntry } from "../../model.ts";
import type { LedgerBuilder } from "./context.ts";

/** What was found of an item: the first position of each answer, and the smaller gaps. */
interface Findings {
  readonly answers: Map<Exclude<Answer, "silent">, Position>;
  /** By position and subject. Several readers may find the same cell, which is a single gap. */
  readonly smallerGaps: Map<string, Gap>;
}

export function createLedger(document: DocumentNode, reporter: Reporter): LedgerBuilder {
  const findings = new Map<ItemName, Findings>();
  for (const part of partNames) {
    for (const item of itemsOfParts[part]) findings.set(item, { answers: new Map(), smallerGaps: new Map() });
  }
  const note = (item: ItemName, answer: Exclude<Answer, "silent">, position: Position): void => {
    const { answers } = nonNull(findings.get(item));
    const first = answers.get(answer);
    if (!first || position.start.offset < first.start.offset) answers.set(answer, position);
  };

  for (const part of Object.values(document.parts)) {
    for (const { item, answer, position } of statementsOf(part)) note(item, answer, position);
  }
  noteLooseGaps(document, reporter);
  noteStrayRows(document, reporter);

  return {
    state: (item, position) => note(item, "stated", position),
    none: (item, position) => note(item, "none", position),
    notShown: (item, position) => note(item, "not shown", position),
    gap(part, item, subject, position) {
      const { smallerGaps } = nonNull(findings.get(item));
      const key = `${position.start.offset} ${subject}`;
      const known = smallerGaps.get(key);
      if (known) return known;
      const gap: Gap = { part, item, subject, position };
      smallerGaps.set(key, gap);
      reporter.report("document/smaller-gap", position, { subject });
      return gap;
    },
    finish: () =>
      partNames.flatMap((part) => {
        const entries = itemsOfParts[part].map((item) =>
          entryOf(document, part, item, nonNull(findings.get(item)), reporter),
        );
        if (entries.every(({ answer }) => answer === "silent")) noteProseAlone(document, part, reporter);
        return entries;
      }),
  };
}

function entryOf(
  document: DocumentNode,
  part: PartName,
  item: ItemName,
  found: Findings,
  reporter: Reporter,
): LedgerEntry {
  const smallerGaps = [...found.smallerGaps.values()];
  const title = partTitles[part];
  const [first, second] = [...found.answers].sort((a, b) => a[1].start.offset - b[1].start.offset);
  if (first && second) {
    // Neither applies, so the item stays a gap until the author has chosen (decision "What is said
    // twice").
    const related = [{ position: first[1], message: `Here it is ${first[0]}.` }];
    reporter.report("document/contradiction", second[1], { item, here: second[0], there: first[0] }, related);
    return { part, item, answer: "not shown", position: second[1], smallerGaps };
  }
  if (first) {
    const [answer, position] = first;
    if (answer === "not shown") reporter.report("document/not-shown", position, { item, title });
    return { part, item, answer, position, smallerGaps };
  }
  // No statement of this kind exists, but a part of one is not shown: the item is mentioned, so it isn't silent.
  if (smallerGaps[0])
    return { part, item, answer: "not shown", position: smallerGaps[0].position, smallerGaps };
  const heading = document.parts[part]?.heading;
  const position = heading ? positionIn(heading) : positionOf(document.source, 0, 0);
  reporter.report("document/silent", position, { item, title });
  return { part, item, answer: "silent", position, smallerGaps };
}

/** Lines that would state something about a part, as hints for an author who only described it. */
const linesOfPart: Readonly<Record<PartName, readonly string[]>> = {
  purpose: ["- Purpose: lets people …", "- Domain: …", "- Behaviour: …"],
  resources: [
    "### Room",
    '- Identifier: id, made by "room_" + random(12)',
    "| Field | Type | Rules |",
    "|---|---|---|",
    "| name | string | required |",
  ],
  states: [
    "### Booking",
    "- State field: status",
    "- Initial state: requested",
    "| Transition | From | To | Trigger |",
    "|---|---|---|---|",
    "| confirm | requested | confirmed | call |",
  ],
  endpoints: [
    "### POST /bookings",
    "- Does: create Booking",
    "- Body: room, note?",
    "- Returns: 201 Booking",
  ],
  authentication: ["### Scheme: key", "- Placement: header X-Api-Key", "- Credentials: ApiKey by key"],
  events: [
    "| Event | When | Payload |",
    "|---|---|---|",
    "| booking.created | Booking created | Booking |",
    "- Webhooks: none",
    "- Notifications: none",
  ],
  errors: [
    "| Code | Status | When | Message |",
    "|---|---|---|---|",
    "| not_found | 404 | not found | There is no such {error.resource}. |",
  ],
  limits: ["| Limit | Bound | Applies to |", "|---|---|---|", "| rate | 100 per minute | caller |"],
  versioning: ["- Scheme: none", "- Compatibility: …"],
};

/** Reports parts that only have a description, because authors would not notice that it has no effect. */
function noteProseAlone(document: DocumentNode, part: PartName, reporter: Reporter): void {
  const node = document.parts[part];
  // Content below headings is checked by its own reader.
  const blocks = node && node.sections.length === 0 ? node.body : [];
  const [first] = blocks.flatMap((block) => (block.kind === "prose" ? [block.text] : []));
  if (!first || blocks.some(({ kind }) => kind !== "prose")) return;
  const params = { title: partTitles[part], lines: linesOfPart[part] };
  reporter.report("document/prose-alone", positionIn(first), params);
}

/** A blank line ends a table, so the rows after it would silently be description. */
function noteStrayRows(document: DocumentNode, reporter: Reporter): void {
  const blocks = Object.values(document.parts).flatMap((part) => [
    ...part.body,
    ...part.sections.flatMap((section) => section.body),
  ]);
  for (const block of blocks) {
    const row = block.kind === "prose" ? /^[ \t>]*\|.*\|[ \t]*$/m.exec(block.text.text) : null;
    // Column headings whose row of dashes doesn't match were reported as a broken table, except
    // quoted ones.
    const isQuoted = block.kind === "prose" && block.text.text.trimStart().startsWith(">");
    if (block.kind !== "prose" || !row || (!isQuoted && /^\|[-:| \t]+$/m.test(block.text.text))) continue;
    const phrase = slice(block.text, row.index, row.index + row[0].length);
    reporter.report("document/stray-row", positionIn(phrase), { text: row[0] });
  }
}

/** Reports `TBD`, `TODO`, `unknown` and `?` alone in a value or a cell as gaps. The hint shows how to state a gap. */
function noteLooseGaps(document: DocumentNode, reporter: Reporter): void {
  const look = (blocks: readonly Block[]): void => {
    for (const block of blocks) {
      const phrases =
        block.kind === "item"
          ? [block.value]
          : block.kind === "table"
            ? block.rows.flatMap((row) => row.cells)
            : [];
      for (const phrase of phrases) {
        if (isLooseGap(phrase))
          reporter.report("document/loose-gap", positionIn(phrase), { text: phrase.text });
      }
    }
  };
  for (const part of Object.values(document.parts)) {
    look(part.body);
    for (const section of part.sections) look(section.body);
  }
}
