/** Changes that an agent proposes: a whole text, or texts to replace. */
import { type Static, Type } from "typebox";
import { documentBytesMax } from "../syntax/ceilings.ts";
import { ToolRefused } from "./document-file.ts";

const editSchema = Type.Object({
  find: Type.String({ minLength: 1, description: "text of the document, which occurs exactly once" }),
  replace: Type.String({ description: "what to write instead" }),
});

export const changeSchema = Type.Object({
  text: Type.Optional(Type.String({ description: "the whole new document" })),
  edits: Type.Optional(
    Type.Array(editSchema, { maxItems: 200, description: "or texts to replace, in order" }),
  ),
});

export type Change = Static<typeof changeSchema>;

/** The text after a change. @throws ToolRefused */
export function applyChange(text: string, { text: whole, edits = [] }: Change): string {
  if (whole !== undefined && edits.length > 0)
    throw new ToolRefused("A change has either text or edits. Send one of them.");
  if (whole === undefined && edits.length === 0)
    throw new ToolRefused(
      'A change needs edits, such as [{"find": "- Does: read Book", "replace": "…"}], or text.',
    );
  const after = whole ?? edits.reduce(replaced, text);
  if (Buffer.byteLength(after) > documentBytesMax)
    throw new ToolRefused(`The document would be too long. It has at most ${documentBytesMax} bytes.`);
  return after;
}

function replaced(text: string, { find, replace }: Static<typeof editSchema>): string {
  const at = text.indexOf(find);
  const shown = JSON.stringify(find.slice(0, 80));
  if (at === -1)
    throw new ToolRefused(`The document doesn't contain the text ${shown}. Copy it from describe.`);
  if (text.includes(find, at + 1))
    throw new ToolRefused(`The text ${shown} occurs more than once. Add the lines around it.`);
  return text.slice(0, at) + replace + text.slice(at + find.length);
}
