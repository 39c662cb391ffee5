/** Resource lookup. An unknown name is reported with the most similar one. */
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { BuildContext } from "./context.ts";
import { nearestHint } from "../nearest-hint.ts";

export function knownResource(name: Phrase, context: BuildContext): DeclaredResource | undefined {
  const { resources } = context.declarations;
  const resource = resources.get(name.text);
  if (resource) return resource;
  const params = { name: name.text, ...nearestHint(name.text, resources.keys()) };
  context.reporter.report("resources/unknown-resource", positionIn(name), params);
  return undefined;
}
