/**
 * Reduced documents: the names of a chunk don't depend on most other chunks. Without those, a large
 * document is compiled in a fraction of the time.
 */
import { literalPattern } from "../../support/literal-pattern.ts";
import type { Chunk } from "../chunks.ts";
import { type Place, sectionKind } from "../place.ts";

/** The text that a chunk is compiled with, before and after it. */
export interface Surroundings {
  readonly before: string;
  readonly after: string;
}

/** The other chunks, without parts that a place in this chunk can't name. */
export function surroundingsOf(chunks: readonly Chunk[], own: Chunk, place: Place): Surroundings {
  const whole = wholeChunks(chunks, own, place);
  const kept = (chunk: Chunk): string => (whole.has(chunk) ? chunk.text : skeletonOf(chunk, place));
  return {
    before: chunks.flatMap((chunk) => (chunk.start < own.start ? kept(chunk) : [])).join(""),
    after: chunks.flatMap((chunk) => (chunk.start > own.start ? kept(chunk) : [])).join(""),
  };
}

/** Maximum number of records along a chain of names: `this.shop.owner` needs three resources. */
const stepsMax = 3;

function wholeChunks(chunks: readonly Chunk[], own: Chunk, place: Place): ReadonlySet<Chunk> {
  const whole = new Set(chunks.filter((chunk) => chunk === own || isAlwaysRead(chunk, own)));
  const likes = likesOf(own);
  for (const chunk of chunks) if (likes.has(chunk.section)) whole.add(chunk);
  const line = own.text.slice(own.text.lastIndexOf("\n", place.start - 1) + 1, place.end);
  const steps = Math.min(stepsMax, 1 + (line.split(/\w\./).length - 1));
  let last: readonly Chunk[] = [...whole].filter((chunk) => chunk === own || namesForAll(chunk));
  for (let step = 0; step < steps && last.length > 0; step += 1) {
    const words = new Set(last.flatMap(({ text }) => text.match(/[A-Za-z_]\w*/g) ?? []));
    last = chunks.filter((chunk) => !whole.has(chunk) && definesOne(chunk, words));
    for (const chunk of last) whole.add(chunk);
  }
  return whole;
}

/**
 * Whether other chunks may use a chunk's names: the caller's resource, the records of the part and
 * of a path.
 */
function namesForAll({ part }: Chunk): boolean {
  return part === "authentication" || part === "endpoints" || part === "purpose";
}

function isAlwaysRead(chunk: Chunk, own: Chunk): boolean {
  if (chunk.section === "") return true;
  const kind = sectionKind(chunk);
  switch (chunk.part) {
    case "purpose":
      return own.part === "purpose" && kind !== "scenario";
    case "endpoints":
      // The type of `body` in a transition depends on the endpoints that call it.
      if (own.part === "states") return kind === "endpoint" && does(chunk, firstWord(own.section));
      return kind === "path" && own.section.includes(chunk.section);
    case "resources":
    case "states":
    case "events":
      return false;
    case "versioning":
      return own.part === "versioning";
    default:
      return kind !== "shape";
  }
}

/** Whether the `Does` item of an endpoint names this resource. */
function does({ text }: Chunk, resource: string): boolean {
  return new RegExp(`^- Does:.*\\b${literalPattern(resource)}\\b`, "im").test(text);
}

/** The endpoints that an item `Like` names. */
function likesOf({ text }: Chunk): ReadonlySet<string> {
  return new Set([...text.matchAll(/^- Like:\s*`?([A-Z]+ \/[^\s`,]*)/gim)].map(([, like = ""]) => like));
}

/** Whether a chunk defines a resource, a state machine or a shape of one of these names. */
function definesOne({ part, section }: Chunk, names: ReadonlySet<string>): boolean {
  const [, shape] = /^shape:?\s+(\w+)/i.exec(section) ?? [];
  if (shape !== undefined) return names.has(shape);
  return (part === "resources" || part === "states") && names.has(firstWord(section));
}

function firstWord(section: string): string {
  return /^\w+/.exec(section)?.[0] ?? "";
}

/** The declarations of a chunk, without their details. */
function skeletonOf(chunk: Chunk, place: Place): string {
  const { part, text } = chunk;
  const kind = sectionKind(chunk);
  const [heading = ""] = text.split("\n", 1);
  if (kind === "shape") return `${heading}\n\n`;
  if (kind === "endpoint") return mayNameEndpoints(place) ? `${heading}\n\n` : "";
  if (part === "resources") return `${heading}\n\n${identifierLines(text)}\n\n`;
  // `Does` names transitions, whatever their conditions and effects.
  if (part === "states" && place.label === "does") return text.replace(/`[^`\n]*`/g, "");
  return "";
}

/** Events, limits and versions name endpoints, each in one column; within part 4, `Like` does. */
function mayNameEndpoints({ part, form, label }: Place): boolean {
  if (form === "column") return false;
  if (part === "endpoints") return label === "like";
  if (part === "limits") return label === "applies to";
  if (part === "events") return label === "when";
  return part === "versioning";
}

/** The identifier of a resource, with the head of its table if a row defines it. */
function identifierLines(text: string): string {
  const lines = text.split("\n");
  const table = lines.findIndex((line) => line.startsWith("|"));
  const rows = lines.slice(table + 2).filter((line) => line.startsWith("|") && /\bidentifier\b/i.test(line));
  const head = table === -1 || rows.length === 0 ? [] : ["", ...lines.slice(table, table + 2)];
  return [...lines.filter((line) => /^[-*+] Identifier:/i.test(line)), ...head, ...rows].join("\n");
}
