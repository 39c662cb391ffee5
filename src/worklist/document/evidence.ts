/** Evidence of a proposal: places in the imported description, or lines of the document. */
import { headingLine, type SourceDocument, type SourceEndpoint } from "./source-document.ts";

/** Maximum number of endpoints that are named for one proposal. */
const namedMax = 3;

/** The endpoint itself, and others that the proposal was derived from. */
export function evidenceOf(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  related: readonly SourceEndpoint[],
): readonly string[] {
  const endpoints = [endpoint, ...related.filter((candidate) => candidate !== endpoint)].slice(0, namedMax);
  return endpoints.map((writtenEndpoint) => placeOf(document, writtenEndpoint));
}

function placeOf({ isImported }: SourceDocument, { method, path, section }: SourceEndpoint): string {
  const segment = path.replaceAll("~", "~0").replaceAll("/", "~1");
  return isImported ? `#/paths/${segment}/${method.toLowerCase()}` : `line ${headingLine(section)}`;
}
