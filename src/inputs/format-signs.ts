/**
 * Recognizes a file of another tool by a look at its text, for commands that read a document. The
 * import itself reads the structure (`formats.ts`).
 */
import type { FormatName } from "./formats.ts";

interface Sign {
  readonly format: FormatName;
  /** `an OpenAPI description` */
  readonly title: string;
  readonly json: RegExp;
  readonly yaml?: RegExp;
}

const signs: readonly Sign[] = [
  {
    format: "asyncapi",
    title: "an AsyncAPI description",
    json: /"asyncapi"\s*:\s*"[123]\.\d/,
    yaml: /^\uFEFF?["']?asyncapi["']?\s*:\s*["']?[123]\.\d/m,
  },
  {
    format: "openapi",
    title: "an OpenAPI description",
    json: /"(?:openapi|swagger)"\s*:\s*"[23]\.\d/,
    yaml: /^\uFEFF?["']?(?:openapi|swagger)["']?\s*:\s*["']?[23]\.\d/m,
  },
  {
    format: "har",
    title: "a HAR recording",
    json: /^\uFEFF?\s*\{\s*"log"\s*:\s*\{[\s\S]*"entries"\s*:\s*\[/,
  },
  {
    format: "postman",
    title: "a Postman collection",
    json: /"schema"\s*:\s*"https?:\/\/schema\.(?:get)?postman\.com\/|"_postman_id"\s*:/,
  },
];

/** The format of a text that is not a document. Undefined if the format is unknown. */
export function recognizedFormat(text: string): Pick<Sign, "format" | "title"> | undefined {
  if (/^\uFEFF?#\s*Interface Specification/m.test(text)) return undefined;
  const isJson = /^\uFEFF?\s*\{/.test(text);
  return signs.find(({ json, yaml }) => (isJson ? json : yaml)?.test(text) === true);
}
