/**
 * Diagnostics of the protocol: the diagnostics of `check`, with the same codes, positions and
 * hints.
 */
import { DiagnosticSeverity, type Diagnostic as ProtocolDiagnostic } from "vscode-languageserver";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { type Analysis, rangeOf } from "../analysis.ts";

/** Gaps are not mistakes, so they have the lowest severity. */
function severityOf({ kind, severity }: Diagnostic): DiagnosticSeverity {
  if (kind === "gap") return DiagnosticSeverity.Hint;
  if (severity === "error") return DiagnosticSeverity.Error;
  return severity === "warning" ? DiagnosticSeverity.Warning : DiagnosticSeverity.Information;
}

export function diagnosticsOf(analysis: Analysis): readonly ProtocolDiagnostic[] {
  return analysis.compilation.diagnostics.map((diagnostic) => toProtocol(analysis, diagnostic));
}

/** One diagnostic in the form of the protocol; the hint is the second line of its message. */
export function toProtocol(analysis: Analysis, diagnostic: Diagnostic): ProtocolDiagnostic {
  const { code, message, hint, related } = diagnostic;
  return {
    range: rangeOf(analysis, diagnostic.position),
    severity: severityOf(diagnostic),
    code,
    source: "ninefold",
    message: hint === undefined ? message : `${message}\n${hint}`,
    ...(related.length === 0
      ? {}
      : {
          relatedInformation: related.map((place) => ({
            location: { uri: analysis.uri, range: rangeOf(analysis, place.position) },
            message: place.message,
          })),
        }),
  };
}
