/**
 * A message with nodes in it: `<Said what="parts.decidedBy" given={{ line: <DocumentLine line={12}
 * /> }} />`.
 */
import { Fragment, type ComponentChildren } from "preact";
import { piecesOf, type Given, type WordKey } from "./words.ts";

export function Said<K extends WordKey>({
  what,
  given,
}: {
  readonly what: K;
  readonly given: Given<K, ComponentChildren>[0];
}): ComponentChildren {
  return piecesOf<ComponentChildren>(what, given).map((piece, at) => <Fragment key={at}>{piece}</Fragment>);
}
