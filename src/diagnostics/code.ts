/** Declares diagnostic codes: kind and severity, message and hint. */

/** The definition of one code. `P` are its parameters, which come from the author's text. */
export interface CodeDefinition<P> {
  readonly kind: "mistake" | "gap";
  readonly severity: "error" | "warning" | "note";
  readonly message: (params: P) => string;
  readonly hint?: (params: P) => string | undefined;
}

type Message<P> = string | ((params: P) => string);
type Hint<P> = string | ((params: P) => string | undefined);

/**
 * Declares codes of one kind and severity: the message says what is wrong, the hint what to write.
 */
function declare({ kind, severity }: Pick<CodeDefinition<never>, "kind" | "severity">) {
  return <P = object>(message: Message<P>, hint?: Hint<P>): CodeDefinition<P> => ({
    kind,
    severity,
    message: typeof message === "string" ? () => message : message,
    ...(hint === undefined ? {} : { hint: typeof hint === "string" ? () => hint : hint }),
  });
}

export const mistake = declare({ kind: "mistake", severity: "error" });
export const warning = declare({ kind: "mistake", severity: "warning" });
export const note = declare({ kind: "mistake", severity: "note" });
export const gap = declare({ kind: "gap", severity: "note" });
