/** Server-sent events as they go over the wire (WHATWG HTML, section 9.2). */

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
