/** `errors.js`: a class for each code of the document, by which callers distinguish refusals. */
import { typeOf, unionOf } from "../typescript/schema-type.ts";
import type { ClientPlan, ErrorClass } from "./client-plan.ts";
import { codeText } from "./code-text.ts";

export function errorsCode({ errors }: ClientPlan): string {
  const classes = errors.map(({ name, code, statuses, shownAt }) =>
    [
      `export class ${name} extends ApiError {`,
      `  static code = ${JSON.stringify(code)};`,
      `  static statuses = ${codeText(statuses)};`,
      ...(shownAt ? [`  static shown = ${codeText({ ...shownAt })};`] : []),
      "}\n",
    ].join("\n"),
  );
  return [`import { ApiError } from "./runtime/index.js";\n`, ...classes].join("\n");
}

export function errorsTypes({ errors }: ClientPlan): string {
  return [
    `import { ApiError } from "./runtime/index.js";\nimport type * as Types from "./types.js";\n`,
    ...errors.map(classTypes),
    "export {};\n",
  ].join("\n");
}

function classTypes({ name, code, statuses, schemas }: ErrorClass): string {
  const body = unionOf(schemas.map((jsonSchema) => typeOf(jsonSchema, (schema) => `Types.${schema}`, "  ")));
  return [
    `export declare class ${name} extends ApiError {`,
    `  readonly code: ${JSON.stringify(code)};`,
    `  readonly status: ${unionOf(statuses.map(String))};`,
    `  readonly body: ${body};`,
    "}\n",
  ].join("\n");
}
