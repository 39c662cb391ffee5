/**
 * Oracle imports: the import of a document's own OpenAPI file, so that every item that it leaves
 * open has a known value.
 */
import { importFile } from "../../src/inputs/formats.ts";
import type { Endpoint, Model } from "../../src/model/model.ts";
import { withoutExtensions } from "../../src/outputs/openapi/extensions.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { type Document, shownDocuments, testDocuments } from "./documents.ts";

/**
 * The documents for the oracle. The rules were developed with those of the examples, and not with
 * the others.
 */
export const oracleDocuments = [
  ...shownDocuments,
  ...testDocuments.filter(({ path }) => path.startsWith("test/documents/")),
];

/**
 * Documents for the notation's own tests. No rule of the import was made from them, and they were
 * compared only once the rules were there.
 */
export const heldOutDocuments = testDocuments.filter(({ path }) => !path.startsWith("test/documents/"));

/**
 * Returns the text that the import writes from a document's export without extensions, which is
 * what it recognises in a file of any origin.
 */
export function importedText(document: Document): string {
  return importedFrom(document, plainExport(document));
}

/** Returns the export of a document as any tool would write it. */
export function plainExport({ model }: Document): string {
  return JSON.stringify(withoutExtensions(openapiDocument(wireOf(model), "3.1", [])));
}

/** Returns the export of a document with its extensions. */
export function fullExport({ model }: Document): string {
  return JSON.stringify(openapiDocument(wireOf(model), "3.1", []));
}

/** Returns the imported text with the statements of the extensions. */
export function importedWithExtensions(document: Document): string {
  return importedFrom(document, fullExport(document));
}

/** Returns the text that the import of a file writes. */
export function importedFrom({ name }: Document, text: string): string {
  return importFile("openapi", { name: `${name}.json`, text, readRelative: () => undefined, only: [] }).text;
}

/** Returns method and path with the base path. Names of parameters are up to the author. */
export function endpointKey(
  { endpointsPart }: { readonly endpointsPart: Pick<Model["endpointsPart"], "basePath"> },
  method: string,
  path: Endpoint["path"]["text"],
): string {
  const base = endpointsPart.basePath.text.replace(/\/$/, "");
  return `${method} ${(base + path).replace(/\{[^}]+\}/g, "{}")}`;
}
