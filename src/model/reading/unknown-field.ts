/** Unknown fields of a resource: reports them. */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import { type Phrase, positionIn } from "../../source/phrase.ts";
import type { DeclaredResource } from "./declarations.ts";
import { nearestHint } from "./nearest-hint.ts";

export function reportUnknownField(
  name: Phrase,
  resource: Pick<DeclaredResource, "name" | "fields">,
  reporter: Reporter,
): undefined {
  const params = {
    resource: resource.name,
    name: name.text,
    ...nearestHint(name.text, resource.fields.keys()),
  };
  reporter.report("resources/unknown-field", positionIn(name), params);
}
