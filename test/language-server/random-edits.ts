/** Random edits of a document, as an editor sends them: characters, lines, pastes and deletions. */
import type { TextDocumentContentChangeEvent } from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";

const pieces = [
  "a",
  " ",
  "\n",
  "`",
  '"',
  "|",
  "- ",
  "## ",
  "```",
  "not shown",
  "- Does: create Parcel\n",
  "| x | string | required |\n",
  "this.",
  "é😀",
  "\r\n",
];

/** A pseudo-random generator of numbers from 0 to 1 with a seed. */
export function numbersFrom(seed: number): () => number {
  let state = seed & 0x7fffffff;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return state / 0x7fffffff;
  };
}

/** One edit, and the document after it. Every second edit restores a piece of the original. */
export function randomEdit(
  document: TextDocument,
  original: string,
  random: () => number,
): { readonly change: TextDocumentContentChangeEvent; readonly document: TextDocument } {
  const text = document.getText();
  const at = Math.floor(random() * (text.length + 1));
  const length = random() < 0.5 ? 0 : Math.floor(random() * 12);
  const from = Math.floor(random() * original.length);
  const isTooLong = text.length > original.length * 1.2;
  const inserted =
    random() < 0.3
      ? original.slice(from, from + Math.floor(random() * 60))
      : (pieces[Math.floor(random() * pieces.length)] ?? "");
  const range = {
    start: document.positionAt(at),
    end: document.positionAt(at + (isTooLong ? 400 : length)),
  };
  const change = { range, text: isTooLong ? "" : inserted };
  const version = document.version + 1;
  return { change, document: TextDocument.update(document, [change], version) };
}
