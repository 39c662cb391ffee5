/**
 * HTML that can't be broken out of: whatever is put into a template is escaped, unless a template has made it. Documents are written by
 * anybody, so no page is put together in any other way.
 */

export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template. Lists stand one after another; nothing stands for what is absent. */
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

export function joined(pieces: readonly Piece[], between: Piece): Html {
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
