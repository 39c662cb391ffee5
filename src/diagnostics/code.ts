/** How a code of `codes/` is declared. */

/** How one code speaks. `P` are its parameters; they come from the author's text. */
export interface CodeDefinition<P> {
  readonly kind: "mistake" | "gap";
  readonly severity: "error" | "warning" | "note";
  readonly message: (params: P) => string;
  readonly hint?: (params: P) => string | undefined;
}

/** Declares a code; only there so that the parameters' types are kept. */
export function code<P>(definition: CodeDefinition<P>): CodeDefinition<P> {
  return definition;
}
