/**
 * The formats that an import reads. Each is converted to an OpenAPI description first. What only examples show is
 * `not shown`.
 */
import { asyncApiAsOpenApi } from "./asyncapi/asyncapi.ts";
import { type Files, ImportRefused } from "./openapi/description/files.ts";
import { type Imported, type ImportOptions, importDescription } from "./openapi/import.ts";
import { isSwagger2, swaggerAsOpenApi } from "./openapi/description/swagger.ts";
import { isPlain, member, type Plain, textOf } from "./openapi/description/values.ts";
import { describeHar } from "./recordings/har.ts";
import { describePostman } from "./recordings/postman.ts";
import { type Described, type FoundSecrets, noSecrets } from "./recordings/secret-places.ts";

interface Format {
  readonly title: string;
  /** What is missing in a file of another format. */
  readonly sign: string;
  is(files: Files): boolean;
  asOpenApi(files: Files): { readonly files: Files; readonly secrets: FoundSecrets };
}

export interface ImportedFile extends Imported {
  /** Secrets of a recording that were replaced. */
  readonly secrets: FoundSecrets;
}

/** Names of the formats on the command line. */
export const formatNames = ["openapi", "postman", "har", "asyncapi"] as const;

export type FormatName = (typeof formatNames)[number];

const formats: Record<FormatName, Format> = {
  openapi: {
    title: "an OpenAPI description",
    sign: '`openapi: 3.…` or `swagger: "2.0"` at the top',
    is: (files) => /^3\./.test(textOf(member(files.first, "openapi")) ?? "") || isSwagger2(files),
    asOpenApi: (files) => withoutSecrets(isSwagger2(files) ? swaggerAsOpenApi(files) : files),
  },
  postman: {
    title: "a Postman collection",
    sign: "`info` and a list `item` at the top",
    is: ({ first }) => isPlain(member(first, "info")) && Array.isArray(member(first, "item")),
    asOpenApi: described(describePostman),
  },
  har: {
    title: "a HAR recording",
    sign: "a list `log.entries`",
    is: ({ first }) => Array.isArray(member(member(first, "log"), "entries")),
    asOpenApi: described(describeHar),
  },
  asyncapi: {
    title: "an AsyncAPI description",
    sign: "`asyncapi: 1.…`, `2.…` or `3.…` at the top",
    is: ({ first }) => /^[123]\./.test(textOf(member(first, "asyncapi")) ?? ""),
    asOpenApi: (files) => withoutSecrets(asyncApiAsOpenApi(files)),
  },
};

function described(describe: (first: Plain) => Described): Format["asOpenApi"] {
  return (files) => {
    const { description, secrets } = describe(files.first);
    return { files: { ...files, first: description }, secrets };
  };
}

/** A description has no requests, and so no secrets. */
function withoutSecrets(files: Files): ReturnType<Format["asOpenApi"]> {
  return { files, secrets: noSecrets };
}

/**
 * Writes a document from a file of the format.
 * @throws ImportRefused
 */
export function importFile(format: FormatName, options: ImportOptions): ImportedFile {
  let secrets = noSecrets;
  const imported = importDescription(options, (files) => {
    if (formats[format].is(files)) {
      const described = formats[format].asOpenApi(files);
      secrets = described.secrets;
      return described.files;
    }
    const { title, sign } = formats[format];
    const actualFormat = formatNames.find((name) => formats[name].is(files));
    throw new ImportRefused(
      actualFormat === undefined
        ? `${options.name}: this is not ${title}: ${sign} is missing.`
        : `${options.name}: this is ${formats[actualFormat].title}. Import it with \`ninefold import ${actualFormat}\`.`,
    );
  });
  return { ...imported, secrets };
}
