/** Words of the engine that name pieces of a document between backticks: those are shown as code. */
import type { ComponentChildren } from "preact";

export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`]+)`/).map((piece, at) => (at % 2 === 0 ? piece : <code key={at}>{piece}</code>));
}
