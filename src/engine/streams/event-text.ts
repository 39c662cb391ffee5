/** Server-sent events: the wire format of events (WHATWG HTML, section 9.2). */

/** @param data JSON without line breaks, because each line would need a `data:` prefix */
export function eventText(event: {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}): string {
  const lines = event.data.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`);
  return `id: ${event.id}\nevent: ${event.type}\n${lines.join("")}\n`;
}

/**
 * Creates a position text: an id without an event, which only moves the position from which the
 * reader resumes.
 */
export function positionText(id: string): string {
  return `id: ${id}\n\n`;
}
