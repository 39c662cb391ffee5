/**
 * All outputs, in the order in which `ninefold export --help` lists them: one folder and one line
 * each.
 */
import { asyncApiOutput } from "./asyncapi/asyncapi.ts";
import { clientOutput } from "./client/client.ts";
import { docsOutput } from "./docs/docs.ts";
import { jsonSchemaOutput } from "./json-schema/json-schema.ts";
import { mermaidOutput } from "./mermaid/mermaid.ts";
import { openapiOutput } from "./openapi/openapi.ts";
import type { Output } from "./output.ts";
import { postmanOutput } from "./postman/postman.ts";
import { typescriptOutput } from "./typescript/typescript.ts";

export const outputs: readonly Output[] = [
  openapiOutput,
  asyncApiOutput,
  postmanOutput,
  jsonSchemaOutput,
  typescriptOutput,
  mermaidOutput,
  clientOutput,
  docsOutput,
];
