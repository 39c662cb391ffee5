/** The types that openapi-typescript makes of an OpenAPI file. It needs a compiler older than ours, which stands beside it here. */
import openapiTS, { astToString } from "openapi-typescript";

/** @param openapi the file's text, as JSON */
export async function typesOfOpenapi(openapi: string): Promise<string> {
  // Of an object whose members aren't said it makes an empty one, and what has a default it takes to be always sent, unless it is told.
  return astToString(await openapiTS(openapi, { emptyObjectsUnknown: true, defaultNonNullable: false }));
}
