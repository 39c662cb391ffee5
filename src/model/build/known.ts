/** Looking names up: what isn't known is reported with the nearest that is. */
import { type Phrase, positionIn } from "../../source/phrase.ts";
import { nearest } from "../../support/nearest.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { BuildContext } from "./context.ts";

/** Parameters of every "unknown name" code: the nearest known one, and some of those there are. */
export interface Nearest {
  readonly nearest: string | undefined;
  readonly known: readonly string[];
}

/** So that a hint stays one line. */
const knownMax = 12;

export function nearestHint(name: string, known: Iterable<string>): Nearest {
  const all = [...known];
  return { nearest: nearest(name, all), known: all.slice(0, knownMax) };
}

export function knownResource(name: Phrase, context: BuildContext): DeclaredResource | undefined {
  const { resources } = context.declarations;
  const resource = resources.get(name.text);
  if (resource) return resource;
  const params = { name: name.text, ...nearestHint(name.text, resources.keys()) };
  context.reporter.report("resources/unknown-resource", positionIn(name), params);
  return undefined;
}
