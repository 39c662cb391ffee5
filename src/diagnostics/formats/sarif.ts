/**
 * SARIF 2.1.0 (OASIS) output of diagnostics, which code hosts display next to the changed lines.
 */
import type { Position } from "../../source/source.ts";
import { codes, type DiagnosticCode } from "../codes/index.ts";
import type { Diagnostic } from "../diagnostic.ts";
import type { Fix } from "../fix.ts";
import { reasonOf } from "../reasons/index.ts";
import { pageOf } from "./json.ts";

/** One run over one document. */
export function formatSarif(
  diagnostics: readonly Diagnostic[],
  options: { readonly version: string },
): string {
  const used = [...new Set(diagnostics.map((diagnostic) => diagnostic.code))].sort();
  return sarifLog(
    options.version,
    used.map(ruleOf),
    diagnostics.map((diagnostic) => resultOf(diagnostic, used)),
  );
}

/** One run of Ninefold of that version, with its rules and results. */
export function sarifLog(version: string, rules: readonly object[], results: readonly object[]): string {
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "Ninefold", semanticVersion: version, rules } },
        columnKind: "utf16CodeUnits",
        results,
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function ruleOf(code: DiagnosticCode): object {
  const { severity, kind } = codes[code];
  const words = (code.split("/")[1] as string).replaceAll("-", " ");
  return {
    id: code,
    shortDescription: { text: `${words.slice(0, 1).toUpperCase()}${words.slice(1)}.` },
    fullDescription: { text: reasonOf(code) },
    help: { text: `\`ninefold explain ${code}\` explains it.` },
    defaultConfiguration: { level: severity },
    properties: { tags: [kind], page: pageOf(code) },
  };
}

function resultOf(diagnostic: Diagnostic, used: readonly DiagnosticCode[]): object {
  const { code, severity, message, hint, fix, file, position, related } = diagnostic;
  return {
    ruleId: code,
    ruleIndex: used.indexOf(code),
    level: severity,
    message: { text: hint === undefined ? message : `${message} ${hint}` },
    locations: [{ physicalLocation: sarifLocation(file, position) }],
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((entry, index) => ({
            id: index,
            message: { text: entry.message },
            physicalLocation: sarifLocation(file, entry.position),
          })),
        }),
    ...(fix === undefined || hint === undefined ? {} : { fixes: [fixOf(file, hint, fix)] }),
  };
}

/** The edit of a hint, which code hosts and editors offer to apply. */
function fixOf(file: string, hint: string, { position, text }: Fix): object {
  const replacements = [{ deletedRegion: regionOf(position), insertedContent: { text } }];
  return {
    description: { text: hint },
    artifactChanges: [{ artifactLocation: { uri: uriOf(file) }, replacements }],
  };
}

/** A place in a file, as `physicalLocation`. */
export function sarifLocation(file: string, position: Position): object {
  return { artifactLocation: { uri: uriOf(file) }, region: regionOf(position) };
}

/** A line of a file, as a location. */
export function sarifLine(file: string, line: number): object {
  return { physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: line } } };
}

function regionOf({ start, end }: Position): object {
  return { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column };
}

/** A relative reference, or a `file:` URL for an absolute path, with slashes on every system. */
function uriOf(file: string): string {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  if (path.startsWith("/")) return `file://${path}`;
  return /^[A-Za-z]%3A\//.test(path) ? `file:///${path.replace("%3A", ":")}` : path;
}
