/**
 * Reduced documents: what a place can name doesn't depend on the content of other endpoints and
 * scenarios. Without them, a large document is compiled in a fraction of the time.
 */
import { type Place, type PlacedLine, placedLines, sectionKind } from "../place.ts";

export interface Reduced {
  readonly text: string;
  /** How many characters in front of the cursor were left out. */
  readonly removed: number;
}

/** The document without what the place at the offset can't name. */
export function reducedAt(text: string, offset: number, { part, section }: Place): Reduced {
  // What `body` is in a transition comes from the endpoints that call it.
  if (part === "states") return { text, removed: 0 };
  const kept: string[] = [];
  let removed = 0;
  const isLike = /^- Like:/im.test(text.slice(Math.max(0, offset - likeLengthMax), offset + likeLengthMax));
  for (const line of placedLines(text)) {
    const place = line.placeOf(line.start);
    const isOwn = place.part === part && place.section === section;
    const end = text.indexOf("\n", line.start);
    const written = text.slice(line.start, end === -1 ? text.length : end);
    if (isOwn || isNeeded(line, place, isLike)) kept.push(written);
    else if (line.start < offset) removed += written.length + 1;
  }
  return { text: kept.join("\n"), removed };
}

/** Characters around the cursor in which an item would name another endpoint. */
const likeLengthMax = 1500;

function isNeeded(line: PlacedLine, place: Place, isLike: boolean): boolean {
  const kind = sectionKind(place);
  if (place.part === "purpose") return kind !== "scenario";
  // The headings remain, because other parts name endpoints.
  return place.part !== "endpoints" || kind !== "endpoint" || isLike || line.text.startsWith("#");
}
