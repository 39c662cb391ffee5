/**
 * Server-sent events as they go over the wire (WHATWG HTML, section 9.2), and the ids by which a reader comes back: the event's place in
 * the log, and the end of its own id, by which an event of another store, or of one that was set back, is known not to be the one meant.
 */
import type { LoggedEvent } from "../../store/store.ts";

/** Before the first event of all. */
export const beginningId = "0";

export interface Position {
  readonly sequence: number;
  /** Null where the event itself is no longer known. */
  readonly tail: string | null;
}

const idForm = /^(\d{1,15})-([0-9a-f]{8}|-)$/;

export function idOf({ sequence, id }: Pick<LoggedEvent, "sequence" | "id">): string {
  return `${sequence}-${tailOf(id)}`;
}

/** The id of a place whose event is no longer in the log. */
export function idOfPlace(sequence: number): string {
  return sequence === 0 ? beginningId : `${sequence}--`;
}

export function tailOf(id: string): string {
  return id.slice(-8);
}

/** Undefined for what no stream has ever given. */
export function readId(text: string): Position | undefined {
  if (text === beginningId) return { sequence: 0, tail: null };
  const [, sequence, tail] = idForm.exec(text) ?? [];
  if (sequence === undefined || tail === undefined) return undefined;
  return { sequence: Number(sequence), tail: tail === "-" ? null : tail };
}

/** @param data JSON, which has no line breaks of its own; each line would have to say `data` */
export function eventText(event: {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}): string {
  const lines = event.data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${event.id}\nevent: ${event.type}\n${lines.join("")}\n`;
}

/** Where the reader stands from now on: an id without an event, which moves nothing but the place to come back to. */
export function placeText(id: string): string {
  return `id: ${id}\n\n`;
}
