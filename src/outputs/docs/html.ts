/**
 * Escaped HTML templates: every inserted value is escaped, unless a template has produced it.
 * Documents are untrusted, so no page is built in any other way.
 */

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** The values that a template accepts. Lists are joined; absent values are omitted. */
export type Piece = Html | string | number | undefined | false | readonly Piece[];

export function html(texts: TemplateStringsArray, ...pieces: readonly Piece[]): Html {
  return new Html(texts.reduce((before, text, at) => before + textOf(pieces[at - 1]) + text));
}

function textOf(piece: Piece): string {
  if (piece === undefined || piece === false) return "";
  if (piece instanceof Html) return piece.text;
  if (typeof piece === "object") return piece.map(textOf).join("");
  return escapeHtml(String(piece));
}

export const nothing = new Html("");

export function joinHtml(pieces: readonly Piece[], between: Piece): Html {
  return new Html(pieces.map(textOf).join(textOf(between)));
}

const escapes: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => escapes[character] as string);
}
