/** Diagnostics for programs: plain data, as they are. */
import type { Diagnostic } from "../diagnostic.ts";

/** The fields of a diagnostic in a fixed order, so that the same document always gives the same bytes. */
export function diagnosticJson(diagnostic: Diagnostic): object {
  const { file, position, severity, kind, code, message, hint, related } = diagnostic;
  return { file, position, severity, kind, code, message, ...(hint === undefined ? {} : { hint }), related };
}
