/**
 * Rich message: a message with nodes in it, such as
 * `<RichMessage name="parts.decidedBy" values={{ line: <DocumentLine line={12} /> }} />`.
 */
import { Fragment, type ComponentChildren } from "preact";
import { piecesOf, type MessageValues, type WordKey } from "./words.ts";

export function RichMessage<K extends WordKey>({
  name,
  values,
}: {
  readonly name: K;
  readonly values: MessageValues<K, ComponentChildren>[0];
}): ComponentChildren {
  return piecesOf<ComponentChildren>(name, values).map((piece, at) => <Fragment key={at}>{piece}</Fragment>);
}
