/**
 * Types that openapi-typescript generates from an OpenAPI file. It needs an older compiler than ours; the folder here
 * has it.
 */
import openapiTS, { astToString } from "openapi-typescript";

/** @param openapi the file's text, as JSON */
export async function typesOfOpenapi(openapi: string): Promise<string> {
  // By default it makes an object without stated members empty, and a field with a default always present. These
  // options prevent both.
  return astToString(await openapiTS(openapi, { emptyObjectsUnknown: true, defaultNonNullable: false }));
}
