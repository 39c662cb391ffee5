/** Reads a document's file: the only way in which text comes to the commands. */
import { CliError } from "./command.ts";
import { readBytes, cliErrorOf } from "./read-file.ts";

/** The text of a file in UTF-8. Throws `CliError` where there is none, and for an OpenAPI description, which another command reads. */
export async function readDocument(file: string): Promise<string> {
  const text = await readText(file);
  const version = openApiVersion(text);
  if (version === "2")
    throw new CliError(
      `${file}: this is a Swagger 2.0 description. Convert it to OpenAPI 3; \`ninefold import openapi\` writes a document from that.`,
    );
  if (version === "3")
    throw new CliError(
      `${file}: this is an OpenAPI description. \`ninefold import openapi ${file} --out api.md\` writes a document from it.`,
    );
  return text;
}

/** The text of a file in UTF-8. Throws `CliError` where there is none. */
export async function readText(file: string, bytesMax?: number): Promise<string> {
  const bytes = await readBytes(file, bytesMax);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw cliErrorOf(file, error);
  }
}

/** Of a key `openapi` or `swagger` in YAML or JSON that isn't Markdown: the first digit of its version. */
function openApiVersion(text: string): string | undefined {
  if (/^\uFEFF?#\s*Interface Specification/m.test(text)) return undefined;
  const form = /^\uFEFF?\s*\{/.test(text)
    ? /"(?:openapi|swagger)"\s*:\s*"([23])\.\d/
    : /^\uFEFF?["']?(?:openapi|swagger)["']?\s*:\s*["']?([23])\.\d/m;
  return form.exec(text)?.[1];
}
