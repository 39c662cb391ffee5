/** Media types of bodies, and notes of bodies that inputs don't express. */
import { isForm, type Operation } from "./operations.ts";
import { unionNote } from "./schemas.ts";
import type { Writing } from "./write-context.ts";

export function noteBody({ facts }: Writing, { body }: Operation, notes: string[]): void {
  if (!body) return;
  const schema = body.schema === undefined ? undefined : facts.schemas.read(body.schema);
  const of = schema?.union ? unionNote(schema) : schema?.kinds[0];
  const what = body.list ? "an object, or a list of such objects" : of;
  notes.push(`a body of ${body.types.join(", ")}${what === undefined ? "" : `: ${what}`}`);
}

/** The item `Accepts`, unless it is the default. */
export function acceptsOf({ body }: Operation, notes: string[]): string | undefined {
  const types = body?.types ?? [];
  const readable = types.filter((mediaType) => mediaType === "application/json" || isForm(mediaType));
  for (const mediaType of types) if (!readable.includes(mediaType)) notes.push(`a body of ${mediaType}`);
  return readable.length === 0 || readable.join() === "application/json"
    ? undefined
    : `- Accepts: ${readable.join(", ")}`;
}
