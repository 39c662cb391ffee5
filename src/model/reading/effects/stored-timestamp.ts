/**
 * Stored timestamps: checks that a timer's field is a stored timestamp, because due transitions are
 * found by a query.
 */
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { DeclaredResource } from "../declarations.ts";
import { reportUnknownField } from "../unknown-field.ts";
import type { BuildContext } from "../any-part/context.ts";
import { typeWords } from "../../../fields/type-words.ts";

export function isStoredTimestamp(
  name: Phrase,
  declared: DeclaredResource,
  { reporter }: BuildContext,
): boolean {
  const field = declared.fields.get(name.text);
  if (!field) {
    if (!declared.gap) reportUnknownField(name, declared, reporter);
    return false;
  }
  if (field.type.kind === "timestamp" && !field.computed) return true;
  if (field.type.kind === "not shown") return false;
  const type = field.computed ? "computed when it is read" : typeWords(field.type);
  reporter.report("resources/not-a-stored-timestamp", positionIn(name), { name: name.text, type });
  return false;
}
