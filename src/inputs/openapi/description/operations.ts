/** The operations of an OpenAPI description: method, path, inputs and responses. */
import type { Files } from "./files.ts";
import { type OneOrList, oneOrListIn } from "./list-bodies.ts";
import { isPlain, listOf, member, type Plain, plainOf, pointerSegment, textOf } from "./values.ts";

/** Methods that a heading of part 4 can have, in the order in which they are written. */
const methods = ["get", "query", "post", "put", "patch", "delete"] as const;
const otherMethods = ["head", "options", "trace"];

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly schema: unknown;
  readonly node: Plain;
}

export interface Answer {
  /** The status as the file writes it: `200`, `4XX`, `default`. */
  readonly code: string;
  readonly description: string;
  /** The schema of its JSON. Undefined without a body, or for other media types. */
  readonly schema: unknown;
  /** The schema of the object, if the JSON is one object or a list of such objects. */
  readonly either: unknown;
  /** The schema of each item of a stream (OpenAPI 3.2). */
  readonly items: Plain | undefined;
  readonly types: readonly string[];
  readonly node: Plain;
}

export interface RequestBody {
  /** That of one object, where a list of such objects is accepted, too. */
  readonly schema: unknown;
  readonly types: readonly string[];
  /** Present if a list is accepted, too. */
  readonly list?: OneOrList;
}

export interface Operation {
  /** `GET /pets/{id}` */
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
  readonly node: Plain;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly answers: readonly Answer[];
  /** Responses with a status of 2xx. */
  readonly successes: readonly Answer[];
}

export interface Operations {
  readonly operations: readonly Operation[];
  /** What can't be expressed as an endpoint, by its pointer. */
  readonly notes: readonly { readonly pointer: string; readonly what: string }[];
}

export function operationsOf(files: Files): Operations {
  const operations: Operation[] = [];
  const notes: { pointer: string; what: string }[] = [];
  const paths = member(files.first, "paths");
  if (paths !== undefined && !isPlain(paths))
    notes.push({ pointer: "#/paths", what: "paths that are not mappings" });
  for (const [path, node] of Object.entries(plainOf(paths))) {
    const pointer = `#/paths/${pointerSegment(path)}`;
    const item = files.follow(node);
    if (!path.startsWith("/") || !isPlain(item)) {
      if (!path.startsWith("x-")) notes.push({ pointer, what: "no path item" });
      continue;
    }
    if (/[#?]/.test(path)) {
      notes.push({ pointer, what: "a path with # or ?, which never arrives at a server" });
      continue;
    }
    for (const method of methods) {
      // An export to OpenAPI 3.1 has QUERY in an extension.
      const written = member(item, method) ?? member(item, `x-ninefold-${method}`);
      const operation = files.follow(written);
      if (isPlain(operation)) operations.push(operationOf(files, { path, method, item, operation, pointer }));
      else if (written !== undefined)
        notes.push({ pointer: `${pointer}/${method}`, what: "an operation that is not a mapping" });
    }
    for (const method of otherMethods)
      if (member(item, method) !== undefined)
        notes.push({ pointer: `${pointer}/${method}`, what: `method ${method}` });
    for (const method of Object.keys(plainOf(member(item, "additionalOperations"))))
      notes.push({
        pointer: `${pointer}/additionalOperations/${pointerSegment(method)}`,
        what: `method ${method}`,
      });
  }
  return { operations, notes };
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly item: Plain;
  readonly operation: Plain;
  readonly pointer: string;
}

function operationOf(files: Files, { path, method, item, operation, pointer }: Found): Operation {
  const body = plainOf(files.follow(member(operation, "requestBody")));
  const content = contentOf(files, body);
  const answers = Object.entries(plainOf(member(operation, "responses"))).map(([code, node]) =>
    answerOf(files, code, plainOf(files.follow(node))),
  );
  const parameters = parametersOf(files, item, operation);
  const named = withRests(withNames(path), parameters);
  return {
    id: `${method.toUpperCase()} ${named}`,
    method,
    path: named,
    pointer: `${pointer}/${method}`,
    node: operation,
    parameters,
    body: Object.keys(content).length === 0 ? undefined : bodyOf(files, content),
    answers,
    successes: answers.filter(({ code }) => /^2/.test(code)),
  };
}

function bodyOf(files: Files, content: Plain): RequestBody {
  const schema = schemaIn(content);
  const types = Object.keys(content).map(withoutParameters);
  const list = oneOrListIn(files, schema);
  return list ? { schema: list.one, types, list } : { schema, types };
}

/** Parameters of a path have names of the notation: no request has them. */
function withNames(path: string): string {
  const renamed = path.replace(/\{([^}]*)\}/g, (_, name: string) => `{${nameInPath(name)}}`);
  const names = renamed.match(/\{[^}]*\}/g) ?? [];
  return new Set(names).size === names.length ? renamed : path;
}

/** `{key...}`: in an export of Ninefold, a parameter that takes several segments. */
function withRests(path: string, parameters: readonly Parameter[]): string {
  return parameters.reduce(
    (text, { name, in: location, node }) =>
      location === "path" && node["x-ninefold-style"] === "rest"
        ? text.replace(`{${name}}`, `{${name}...}`)
        : text,
    path,
  );
}

function nameInPath(name: string): string {
  return name.replace(/\W/g, "_").replace(/^(?=\d)/, "_");
}

/** Parameters of the path and of the operation. Those of the operation replace others with the same name and location. */
function parametersOf(files: Files, item: Plain, operation: Plain): readonly Parameter[] {
  const found = new Map<string, Parameter>();
  for (const declared of [
    ...listOf(member(item, "parameters")),
    ...listOf(member(operation, "parameters")),
  ]) {
    const node = plainOf(files.follow(declared));
    const [name, location] = [textOf(member(node, "name")), textOf(member(node, "in"))];
    if (name === undefined || location === undefined) continue;
    const schema = member(node, "schema") ?? schemaIn(contentOf(files, node));
    const required = member(node, "required") === true;
    const known = location === "path" ? nameInPath(name) : name;
    found.set(`${location} ${name}`, { name: known, in: location, required, schema, node });
  }
  return [...found.values()];
}

/** Media types of a body or a response. OpenAPI 3.2 allows references to them. */
export function contentOf(files: Files, node: unknown): Plain {
  const content = Object.entries(plainOf(member(node, "content")));
  return Object.fromEntries(content.map(([type, media]) => [type, files.follow(media)]));
}

function answerOf(files: Files, code: string, node: Plain): Answer {
  // Responses with these statuses never have a body (RFC 9110), whatever the description says.
  const content = /^20[45]$/.test(code) ? {} : contentOf(files, node);
  const json = Object.keys(content).find((type) => /json/i.test(type));
  const schema = json === undefined ? undefined : member(content[json], "schema");
  return {
    code,
    description: textOf(member(node, "description")) ?? "",
    schema,
    either: oneOrListIn(files, schema)?.one,
    items: Object.values(content)
      .map((media) => member(media, "itemSchema"))
      .find(isPlain),
    types: Object.keys(content).map(withoutParameters),
    node,
  };
}

/** The schema of a JSON body, otherwise of a form. */
function schemaIn(content: Plain): unknown {
  const types = Object.keys(content);
  const type = types.find((mediaType) => /json/i.test(mediaType)) ?? types.find(isForm);
  return type === undefined ? undefined : member(content[type], "schema");
}

/** Whether requests of the method change nothing by definition. */
export function isSafe({ method }: { readonly method: string }): boolean {
  return method === "get" || method === "query";
}

export function isForm(type: string): boolean {
  return /^(application\/x-www-form-urlencoded|multipart\/form-data)$/i.test(withoutParameters(type));
}

function withoutParameters(type: string): string {
  return (type.split(";")[0] ?? "").trim().toLowerCase();
}

/** Path of the first server. Variables have the defaults that the description states. */
export function basePathOf(first: Plain): string | undefined {
  const server = listOf(member(first, "servers"))[0];
  const url = textOf(member(server, "url"));
  if (url === undefined) return "/";
  const variables = plainOf(member(server, "variables"));
  const filled = url.replace(
    /\{([^}]+)\}/g,
    (whole, name: string) => textOf(member(variables[name], "default")) ?? whole,
  );
  const path =
    /^[a-z][a-z0-9+.-]*:\/\/[^/]*(\/[^?#]*)?$/i.exec(filled)?.[1] ?? (filled.startsWith("/") ? filled : "/");
  const trimmed = path.replace(/\/+$/, "");
  if (trimmed === "") return "/";
  return /^(\/[\w.~-]+)+$/.test(trimmed) ? trimmed : undefined;
}
