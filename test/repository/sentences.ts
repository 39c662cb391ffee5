/**
 * Sentence length: extracts the sentences of Markdown text and of comments, each with its number of
 * words.
 */

export interface Sentence {
  readonly text: string;
  readonly words: number;
  /** The line where its paragraph starts, from 1. */
  readonly line: number;
}

interface Paragraph {
  readonly text: string;
  readonly line: number;
}

/**
 * Returns the sentences of a page: paragraphs, list items and table cells, without code blocks and
 * headings.
 */
export function sentencesOfPage(markdown: string): readonly Sentence[] {
  return paragraphsOfPage(markdown).flatMap(sentencesOf);
}

/**
 * Returns the sentences of a source's whole-line comments. Each tag such as `@param` counts
 * separately.
 */
export function sentencesOfComments(source: string): readonly Sentence[] {
  return commentsOf(source).flatMap(sentencesOf);
}

/** Returns the value below which the given share of the sorted numbers lies. */
export function percentile(share: number, numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

function paragraphsOfPage(markdown: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let isCode = false;
  let open: { text: string; line: number } | undefined;
  const close = () => {
    if (open) paragraphs.push(open);
    open = undefined;
  };
  for (const [at, text] of markdown.split("\n").entries()) {
    const line = at + 1;
    const trimmed = text.trim();
    if (/^(?:```|~~~)/.test(trimmed)) {
      close();
      isCode = !isCode;
    } else if (isCode) continue;
    else if (trimmed === "" || /^(?:#|<!--|[-:| ]+$)/.test(trimmed)) close();
    else if (trimmed.startsWith("|")) {
      close();
      for (const cell of trimmed.split(/(?<!\\)\|/)) paragraphs.push({ text: cell, line });
    } else if (/^(?:[-*]|\d+\.) /.test(trimmed)) {
      close();
      open = { text: trimmed.replace(/^(?:[-*]|\d+\.) /, ""), line };
    } else open = open ? { ...open, text: `${open.text} ${trimmed}` } : { text: trimmed, line };
  }
  close();
  return paragraphs;
}

function commentsOf(source: string): readonly Paragraph[] {
  const paragraphs: Paragraph[] = [];
  let open: { text: string; line: number } | undefined;
  const close = () => {
    if (open) paragraphs.push(open);
    open = undefined;
  };
  for (const [at, text] of source.split("\n").entries()) {
    const match = /^\s*(\/\/|\/\*\*?|\*(?!\/)) ?(.*?)(\*\/)?$/.exec(text);
    if (!match || /biome-ignore|──/.test(text)) {
      close();
      continue;
    }
    const content = match[2] ?? "";
    if ((match[1] !== "//" && match[1] !== "*") || content.startsWith("- ")) close();
    // Indented text is an example of code or of a command.
    if (match[1] === "*" && content.startsWith("  ") && !open?.text.startsWith("- ")) {
      close();
      continue;
    }
    for (const [piece, isTag] of piecesOf(content)) {
      if (isTag || piece.trim() === "") close();
      open = open ? { ...open, text: `${open.text} ${piece}` } : { text: piece, line: at + 1 };
    }
    if (match[3]) close();
  }
  close();
  return paragraphs;
}

function piecesOf(text: string): readonly (readonly [text: string, isTag: boolean])[] {
  return text.split(/(?=@(?:param|throws|returns)\b)/).map((piece) => [piece, piece.startsWith("@")]);
}

/** Minimum number of words in a sentence. Shorter texts are labels. */
const wordsMin = 4;

function sentencesOf({ text, line }: Paragraph): readonly Sentence[] {
  return plain(text)
    .split(/(?<=[.!?])\s+(?=\S)/)
    .map((sentence) => ({ text: sentence, words: wordCount(sentence), line }))
    .filter(({ words }) => words >= wordsMin);
}

/** Returns the plain text. Code counts as one word, a link as its text. */
function plain(text: string): string {
  return text
    .replace(/(`+)[^`].*?\1/g, "code")
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim();
}

function wordCount(sentence: string): number {
  return sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
