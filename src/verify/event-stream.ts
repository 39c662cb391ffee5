/**
 * Server-sent events in a scenario (part 1). The document has the expected stream as it is sent,
 * and it is compared event by event, in order. After everything expected has arrived, the client
 * disconnects.
 */
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import { matchJson } from "./match-json.ts";
import { type Captures, matchText, quotePlaceholders } from "./template.ts";
import type { ScenarioFailure } from "./scenario-failure.ts";

/**
 * The text between two empty lines. Blocks with only comments or `retry` contain no event and are
 * skipped.
 */
export interface StreamBlock {
  readonly id?: string;
  readonly event?: string;
  readonly data?: string;
}

export function isEventStream(
  headers: readonly { readonly name: string; readonly value: string }[],
): boolean {
  return headers.some(
    ({ name, value }) => name.toLowerCase() === "content-type" && /^text\/event-stream\b/i.test(value.trim()),
  );
}

/** Splits a stream into its complete blocks (WHATWG HTML, section 9.2.6). */
export function readBlocks(text: string): readonly StreamBlock[] {
  const blocks: StreamBlock[] = [];
  let block: { id?: string; event?: string; data?: string } = {};
  for (const line of text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/)) {
    if (line === "") {
      if (Object.keys(block).length > 0) blocks.push(block);
      block = {};
      continue;
    }
    const [, field = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/.exec(line) ?? [];
    if (field === "data") block.data = block.data === undefined ? value : `${block.data}\n${value}`;
    else if (field === "id" || field === "event") block[field] = value;
  }
  return blocks;
}

/**
 * Pairs each expected block with a received one. A block with an event is paired with the next
 * event, a block with only an id with the next block that has one.
 */
function pairs(
  expected: readonly StreamBlock[],
  received: readonly StreamBlock[],
): readonly (readonly [StreamBlock, StreamBlock])[] {
  const found: (readonly [StreamBlock, StreamBlock])[] = [];
  let at = 0;
  for (const block of expected) {
    const isEvent = block.data !== undefined || block.event !== undefined;
    while (at < received.length && (isEvent ? received[at]?.data : received[at]?.id) === undefined) at += 1;
    const streamBlock = received[at];
    if (!streamBlock) break;
    found.push([block, streamBlock]);
    at += 1;
  }
  return found;
}

/**
 * Returns a function that decides from the received text whether enough has arrived for the
 * comparison.
 */
export function enoughReceived(expected: string | undefined): (body: string) => boolean {
  const blocks = readBlocks(`${expected ?? ""}\n\n`);
  return (body) => pairs(blocks, readBlocks(body)).length === blocks.length;
}

export function compareStream(
  expected: { readonly text: string; readonly position: Position },
  body: string,
  captures: Captures,
): readonly ScenarioFailure[] {
  const blocks = readBlocks(`${expected.text}\n\n`);
  const found = pairs(blocks, readBlocks(body));
  for (const [at, [wanted, received]] of found.entries()) {
    const failures = compareBlock(wanted, received, captures);
    if (failures.length > 0)
      return failures.map((failure) => ({
        ...failure,
        position: expected.position,
        what: `event ${at + 1} ${failure.what}`,
      }));
  }
  if (found.length === blocks.length) return [];
  return [
    {
      position: expected.position,
      what: `event ${found.length + 1}`,
      expected: wordsOf(blocks[found.length] as StreamBlock),
      actual: "no further event",
    },
  ];
}

function compareBlock(
  wanted: StreamBlock,
  received: StreamBlock,
  captures: Captures,
): readonly Omit<ScenarioFailure, "position">[] {
  for (const name of ["id", "event"] as const) {
    const pattern = wanted[name];
    if (pattern === undefined || matchText(pattern.trim(), received[name] ?? "", captures)) continue;
    return [{ what: name, expected: pattern, actual: received[name] ?? `no ${name}` }];
  }
  if (wanted.data === undefined) return [];
  const text = received.data ?? "";
  const pattern = asJson(quotePlaceholders(wanted.data));
  const json = asJson(text);
  if (pattern === undefined || json === undefined)
    return matchText(wanted.data.trim(), text, captures)
      ? []
      : [{ what: "data", expected: wanted.data, actual: text }];
  return matchJson(pattern, json, captures).map((mismatch) => ({
    what: mismatch.path === "" ? "data" : `data ${mismatch.path}`,
    path: mismatch.path,
    expected: mismatch.expected,
    actual: mismatch.actual,
  }));
}

function asJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function wordsOf({ id, event, data }: StreamBlock): string {
  return [event ?? "an event", id === undefined ? "" : `id ${id}`, data ?? ""]
    .filter((candidate) => candidate !== "")
    .join(" ");
}
