/** ANSI colours for a terminal, or none. */

export type Tone = "error" | "warning" | "note" | "good" | "bold" | "dim";

export type Paint = (tone: Tone, text: string) => string;

const sequences: Readonly<Record<Tone, string>> = {
  error: "\u001B[31m",
  warning: "\u001B[33m",
  note: "\u001B[36m",
  good: "\u001B[32m",
  bold: "\u001B[1m",
  dim: "\u001B[2m",
};

export function createPaint(colour: boolean): Paint {
  return colour ? (tone, text) => `${sequences[tone]}${text}\u001B[0m` : (_, text) => text;
}
