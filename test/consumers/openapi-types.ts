/**
 * Types that openapi-typescript generates from an OpenAPI file. It needs an older compiler than the
 * repository's, which is installed in this folder.
 */
import openapiTS, { astToString } from "openapi-typescript";

/** @param openapi the file's text, as JSON */
export async function typesOfOpenapi(openapi: string): Promise<string> {
  // By default it generates empty types for objects without stated members, and treats fields with
  // a default as always present. These options prevent both.
  return astToString(await openapiTS(openapi, { emptyObjectsUnknown: true, defaultNonNullable: false }));
}
