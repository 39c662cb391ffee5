/**
 * Swagger 2.0 seen as OpenAPI 3: parameters with schemas, bodies and answers by media type, security
 * schemes. Schemas and references stay those of the file, so that pointers lead to its own places.
 */
import type { Files } from "./files.ts";
import { isPlain, listOf, member, type Plain, plainOf, textOf, textsOf } from "./values.ts";

const methods = ["get", "put", "post", "delete", "options", "head", "patch"];

/** Keys of a parameter that belong to the parameter; the others are its schema. */
const ownKeys = new Set(["name", "in", "required", "description", "collectionFormat", "allowEmptyValue"]);

const styles: ReadonlyMap<string, Plain> = new Map([
  ["multi", { style: "form", explode: true }],
  ["csv", { style: "form", explode: false }],
  ["ssv", { style: "spaceDelimited", explode: false }],
  ["pipes", { style: "pipeDelimited", explode: false }],
  ["tsv", { style: "tabDelimited", explode: false }],
]);

export function isSwagger2({ first }: Files): boolean {
  const version = member(first, "swagger");
  // YAML reads 2.0 without quotes as a number.
  return version === 2 || /^2\./.test(textOf(version) ?? "");
}

/** Converts Swagger 2.0 to OpenAPI 3: the same files with a converted first one. */
export function swaggerAsOpenApi(files: Files): Files {
  const { first } = files;
  const paths = member(first, "paths");
  const converted = isPlain(paths)
    ? Object.fromEntries(Object.entries(paths).map(([path, node]) => [path, pathItem(files, node)]))
    : paths;
  const basePath = textOf(member(first, "basePath"));
  return {
    ...files,
    first: {
      ...first,
      ...(converted === undefined ? {} : { paths: converted }),
      ...(basePath === undefined ? {} : { servers: [{ url: basePath }] }),
      components: { securitySchemes: securitySchemes(files) },
    },
  };
}

function pathItem(files: Files, node: unknown): unknown {
  const item = files.follow(node);
  if (!isPlain(item)) return item;
  const shared = listOf(member(item, "parameters"));
  const operations = methods.flatMap((method) => {
    const operation = files.follow(member(item, method));
    return isPlain(operation) ? [[method, operationObject(files, operation, shared)] as const] : [];
  });
  return { ...item, parameters: [], ...Object.fromEntries(operations) };
}

/** An operation with its path's parameters, because one of them may be the body. */
function operationObject(files: Files, operation: Plain, shared: readonly unknown[]): Plain {
  const declared = new Map<string, Plain>();
  for (const node of [...shared, ...listOf(member(operation, "parameters"))]) {
    const parameter = files.follow(node);
    if (isPlain(parameter))
      declared.set(`${textOf(parameter["in"])} ${textOf(parameter["name"])}`, parameter);
  }
  const at = (location: string) => [...declared.values()].filter((parameter) => parameter["in"] === location);
  const [body] = at("body");
  const form = at("formData");
  const consumes = mediaTypes(files, operation, "consumes");
  const content = body
    ? contentOf(consumes ?? ["application/json"], member(body, "schema"))
    : contentOf(consumes ?? [formType(form)], formSchema(form));
  const plainParameters = [...declared.values()].filter(
    (parameter) => !/^(body|formData)$/.test(textOf(parameter["in"]) ?? ""),
  );
  const responses = Object.entries(plainOf(member(operation, "responses"))).map(
    ([code, node]) => [code, responseObject(files, operation, node)] as const,
  );
  return {
    ...operation,
    parameters: plainParameters.map(parameterObject),
    ...(body || form.length > 0 ? { requestBody: { content } } : {}),
    responses: Object.fromEntries(responses),
  };
}

/** `consumes` and `produces` of the operation, else of the file. */
function mediaTypes({ first }: Files, operation: Plain, key: string): readonly string[] | undefined {
  const types = textsOf(member(operation, key) ?? member(first, key));
  return types.length === 0 ? undefined : types;
}

function contentOf(types: readonly string[], schema: unknown): Plain {
  return Object.fromEntries(types.map((type) => [type, schema === undefined ? {} : { schema }]));
}

function schemaOf(parameter: Plain): Plain {
  const schema = Object.fromEntries(Object.entries(parameter).filter(([key]) => !ownKeys.has(key)));
  return schema["type"] === "file" ? { ...schema, type: "string", format: "binary" } : schema;
}

function parameterObject(parameter: Plain): Plain {
  const isList = parameter["type"] === "array";
  const format = textOf(parameter["collectionFormat"]) ?? "csv";
  return {
    name: parameter["name"],
    in: parameter["in"],
    required: parameter["required"],
    description: parameter["description"],
    schema: schemaOf(parameter),
    ...(isList ? styles.get(format) : {}),
  };
}

function formType(parameters: readonly Plain[]): string {
  const hasFile = parameters.some((parameter) => parameter["type"] === "file");
  return hasFile ? "multipart/form-data" : "application/x-www-form-urlencoded";
}

function formSchema(parameters: readonly Plain[]): Plain {
  const named = parameters.filter((parameter) => typeof parameter["name"] === "string");
  return {
    type: "object",
    properties: Object.fromEntries(
      named.map((parameter) => [
        String(parameter["name"]),
        { description: parameter["description"], ...schemaOf(parameter) },
      ]),
    ),
    required: named
      .filter((parameter) => parameter["required"] === true)
      .map((parameter) => parameter["name"]),
  };
}

function responseObject(files: Files, operation: Plain, node: unknown): unknown {
  const response = files.follow(node);
  if (!isPlain(response)) return response;
  const schema = member(response, "schema");
  if (schema === undefined) return response;
  const types = mediaTypes(files, operation, "produces") ?? ["application/json"];
  const isFile = member(schema, "type") === "file";
  return { ...response, content: contentOf(types, isFile ? undefined : schema) };
}

function securitySchemes(files: Files): Plain {
  const declared = Object.entries(plainOf(member(files.first, "securityDefinitions")));
  return Object.fromEntries(
    declared.map(([name, node]) => {
      const scheme = plainOf(files.follow(node));
      if (scheme["type"] === "basic") return [name, { type: "http", scheme: "basic" }];
      return [name, scheme["type"] === "oauth2" ? { ...scheme, flows: { stated: scheme } } : scheme];
    }),
  );
}
