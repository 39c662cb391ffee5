/** Text of the engine with code between backticks, as nodes. */
import type { ComponentChildren } from "preact";

export function withCode(text: string): ComponentChildren {
  return text.split(/`([^`]+)`/).map((piece, at) => (at % 2 === 0 ? piece : <code key={at}>{piece}</code>));
}
