/** What the choices of one endpoint are about: all of them about one resource (decision "Choices that read the body"). */
import type { Does } from "./model.ts";

/** A `Does`, bound or not yet. */
type Deed = { readonly kind: Does["kind"]; readonly resource?: string };

/** The resource it is about, or, of what is about none, its own kind. */
export function subjectOf(deed: Deed): string {
  return deed.resource ?? deed.kind;
}

/** A `stream` is about none, and may tell what happens to what another choice reads; else it is held to be one of the choices. */
export function choicesOf<D extends Deed>(does: readonly D[]): readonly D[] {
  const reads = does.some(({ kind }) => kind === "read" || kind === "list");
  return reads ? does.filter(({ kind }) => kind !== "stream") : does;
}

/** Are all of them about the same? */
export function isOfOneSubject(does: readonly Deed[]): boolean {
  return new Set(choicesOf(does).map(subjectOf)).size <= 1;
}
