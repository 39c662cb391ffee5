/** Diagnostics as JSON: plain data for programs. */
import type { Diagnostic } from "../diagnostic.ts";

/** Path of a code's page within the package. */
export function pageOf(code: string): string {
  return `docs/diagnostics/${code}.md`;
}

/**
 * The fields of a diagnostic in a fixed order, so that the same document always gives the same
 * bytes.
 */
export function diagnosticJson(diagnostic: Diagnostic): object {
  const { file, position, severity, kind, code, message, hint, fix, related } = diagnostic;
  const hintMember = { ...(hint === undefined ? {} : { hint }), ...(fix === undefined ? {} : { fix }) };
  return { file, position, severity, kind, code, page: pageOf(code), message, ...hintMember, related };
}
