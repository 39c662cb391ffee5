/**
 * Round trip of a description: its statements, those of its import's export, and the lost
 * statements. The test parses both files itself, without the code of the import.
 */
import { load } from "js-yaml";
import { compile } from "../../src/compile.ts";
import { importFile } from "../../src/inputs/formats.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";

type Plain = Readonly<Record<string, unknown>>;

interface Statements {
  /**
   * The statements that the notation can express, by key, such as `GET /pets query limit type`,
   * each with its value.
   */
  readonly sayable: ReadonlyMap<string, string>;
  /** The number of statements that the notation can't express, by reason. */
  readonly unsayable: ReadonlyMap<string, number>;
}

/** Statements of one kind, and those that were lost. */
interface Kept {
  readonly all: number;
  readonly lost: readonly string[];
}

const methods = ["get", "post", "put", "patch", "delete", "query"];
/** Maximum depth of nested objects that are compared. */
const depthMax = 4;

function plain(value: unknown): Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Plain) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function texts(value: unknown): readonly string[] {
  return list(value).filter((item) => typeof item === "string");
}

interface RoundTrip {
  /** Statements that the import's export also has. */
  readonly kinds: ReadonlyMap<string, Kept>;
  /** Statements that only the export has, or that differ in the description. */
  readonly added: ReadonlyMap<string, Kept>;
  readonly original: Statements;
}

/** Imports a description and exports it again. Returns the statements that remain, by kind. */
export function roundTrip(name: string, text: string): RoundTrip {
  const options = { name, text, readRelative: () => undefined, only: [] };
  const { model } = compile(importFile("openapi", options).text, { file: "made.md" });
  if (!model) throw new Error(`${name}: its import has no model`);
  const exported = JSON.parse(JSON.stringify(openapiDocument(wireOf(model), "3.1", []))) as Plain;
  const file = load(text) as Plain;
  const original = statementsOf(file);
  const made = statementsOf(exported);
  return { kinds: compared(original, made), added: compared(made, original), original };
}

/** Returns the statements of a description about its operations, inputs and responses. */
function statementsOf(file: Plain): Statements {
  const found = new Map<string, string>();
  const unsayable = new Map<string, number>();
  const skip = (reason: string): void => {
    unsayable.set(reason, (unsayable.get(reason) ?? 0) + 1);
  };
  const follow = (node: unknown, steps = 0): Plain => {
    const reference = plain(node)["$ref"];
    if (typeof reference !== "string" || steps > 20) return plain(node);
    const segments = reference.replace(/^#\//, "").split("/");
    let at: unknown = file;
    for (const segment of segments)
      at = plain(at)[decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~")];
    return follow(at, steps + 1);
  };
  const base = basePath(file);
  for (const [path, written] of Object.entries(plain(file["paths"]))) {
    const item = follow(written);
    for (const method of methods) {
      const operation = follow(item[method] ?? item[`x-ninefold-${method}`]);
      if (Object.keys(operation).length === 0) continue;
      const id = `${method.toUpperCase()} ${(base + path).replace(/\{[^}]*\}/g, "{}").replace(/(.)\/$/, "$1")}`;
      found.set(`${id} operation`, "stated");
      addParameters(id, [...list(item["parameters"]), ...list(operation["parameters"])]);
      addContent(`${id} body`, follow(operation["requestBody"]));
      for (const [code, answer] of Object.entries(plain(operation["responses"]))) {
        if (!/^[1-5]\d\d$/.test(code)) continue;
        const isSuccess = code.startsWith("2");
        found.set(`${id} ${isSuccess ? "answer" : "error"} ${code} status`, "stated");
        if (isSuccess) addContent(`${id} answer ${code}`, follow(answer));
      }
    }
  }
  return { sayable: found, unsayable };

  function addParameters(id: string, parameters: readonly unknown[]): void {
    for (const parameter of parameters.map((parameter) => follow(parameter))) {
      const place = String(parameter["in"]);
      // Swagger 2.0 has the body and the fields of forms among the parameters.
      if (place === "body") addSchema(`${id} body`, parameter["schema"], 0, true);
      if (place === "formData" && isSayable(String(parameter["name"])))
        addSchema(`${id} body.${String(parameter["name"])}`, parameter, 1, parameter["required"] === true);
      if (place !== "query" && place !== "header") continue;
      const name = String(parameter["name"]).replace(/\[\]$/, "");
      if (/^(authorization|content-type|accept)$/i.test(name)) skip("a header of HTTP itself");
      else if (!isSayable(name)) skip("a name that the notation hasn't");
      const key = `${id} ${place} ${name}`;
      if (!isSayable(name) || /^(authorization|content-type|accept)$/i.test(name)) continue;
      const content = Object.values(plain(parameter["content"]))[0];
      addSchema(
        key,
        parameter["schema"] ?? plain(content)["schema"] ?? parameter,
        depthMax,
        parameter["required"] === true,
      );
    }
  }

  function addContent(key: string, node: Plain): void {
    const content = plain(node["content"]);
    const types = Object.keys(content);
    const type = types.find((name) => /json/i.test(name)) ?? types.find((name) => /form/i.test(name));
    const media = plain(type === undefined ? undefined : content[type]);
    const schema = media["schema"] ?? node["schema"];
    if (schema !== undefined) addSchema(key, schema, 0, true);
  }

  function addSchema(key: string, node: unknown, depth: number, required: boolean): void {
    const schema = merged(node);
    const isBody = depth === 0;
    if (!isBody) addOwn(key, schema, required);
    const inner = schema.items ? merged(schema.items) : schema;
    if (depth >= depthMax) return;
    for (const [name, property] of Object.entries(inner.properties)) {
      const { keywords } = merged(property);
      if (/ body/.test(key) && keywords["readOnly"] === true) skip("read-only, in a body");
      else if (/ answer /.test(key) && keywords["writeOnly"] === true) skip("write-only, in an answer");
      else if (!isSayable(name)) skip("a name that the notation hasn't");
      else addSchema(`${key}.${name}`, property, depth + 1, inner.required.includes(name));
    }
  }

  function addOwn(key: string, schema: Merged, required: boolean): void {
    const type = typeOf(schema);
    if (type === "union") skip("one of several objects");
    else found.set(`${key} type`, type);
    if (required) found.set(`${key} required`, "true");
    const { values, keywords } = schema;
    for (const [keyword, value] of boundsOf(keywords)) {
      if (value === undefined || value === null) continue;
      if (values.length > 0) skip("a bound of an enumeration");
      else if (!isBoundOf(keyword, type)) skip("a bound of another type");
      else found.set(`${key} bound ${keyword}`, JSON.stringify(value));
    }
    const initial = keywords["default"] ?? undefined;
    if (initial !== undefined && / answer /.test(key)) skip("a default of an answer");
    else if (initial !== undefined && required) skip("a default of a required input");
    else if (initial !== undefined && !isOfType(initial, type)) skip("a default of another type");
    else if (initial !== undefined) found.set(`${key} default`, JSON.stringify(initial));
    if (values.some((value) => value === "" || /["\\`]/.test(value)))
      skip("an enumeration with an empty text or a quote");
    else if (values.length > 0) found.set(`${key} values`, values.toSorted().join());
  }

  interface Merged {
    readonly types: readonly string[];
    readonly format: string | undefined;
    readonly keywords: Plain;
    readonly properties: Plain;
    readonly required: readonly string[];
    readonly items: unknown;
    readonly values: readonly string[];
    readonly isUnion: boolean;
  }

  function merged(node: unknown, depth = 0): Merged {
    const own = follow(node);
    const parts = depth > 8 ? [] : list(own["allOf"]).map((part) => merged(part, depth + 1));
    const alternatives = list(own["anyOf"] ?? own["oneOf"]).filter(
      (alternative) => follow(alternative)["type"] !== "null" && !isNullOnly(follow(alternative)),
    );
    if (alternatives.length === 1 && own["properties"] === undefined && depth <= 8) {
      const only = merged(alternatives[0], depth + 1);
      return { ...only, keywords: { ...only.keywords, ...own } };
    }
    const type = own["type"];
    const types = (typeof type === "string" ? [type] : texts(type)).filter((name) => name !== "null");
    const keywords = Object.assign({}, ...parts.map((part) => part.keywords), own) as Plain;
    const properties = Object.assign(
      {},
      ...parts.map((part) => part.properties),
      plain(own["properties"]),
    ) as Plain;
    const constant = own["const"];
    return {
      types: types.length > 0 ? types : (parts.find((part) => part.types.length > 0)?.types ?? []),
      format: (own["format"] ?? parts.find((part) => part.format)?.format) as string | undefined,
      keywords,
      properties,
      required: [...parts.flatMap((part) => part.required), ...texts(own["required"])],
      items: own["items"] ?? parts.find((part) => part.items !== undefined)?.items,
      values: [...new Set(texts(own["enum"] ?? (constant === undefined ? keywords["enum"] : [constant])))],
      isUnion: alternatives.length > 1 || parts.some((part) => part.isUnion),
    };
  }

  function typeOf({ types, format, properties, isUnion }: Merged): string {
    if (isUnion) return "union";
    const [type] = types;
    if (types.length > 1) return types.toSorted().join(" or ");
    if (type === undefined) return Object.keys(properties).length > 0 ? "object" : "any";
    const isKnown = type === "string" && knownFormats.has(format ?? "");
    return isKnown ? `string ${(format ?? "").replace("url", "uri")}` : type;
  }
}

function isBoundOf(keyword: string, type: string): boolean {
  if (/Items$/.test(keyword)) return type === "array";
  if (/imum$/i.test(keyword)) return type === "integer" || type === "number";
  return type === "string";
}

/** Returns the bounds of a schema. A boolean next to a bound, as in OpenAPI 3.0, excludes its value. */
function boundsOf(keywords: Plain): readonly (readonly [keyword: string, value: unknown])[] {
  const bounds = boundKeywords.map((keyword) => [keyword, keywords[keyword]] as const);
  return bounds.flatMap(([keyword, value]) => {
    const exclusive = `exclusive${keyword.charAt(0).toUpperCase()}${keyword.slice(1)}`;
    const next = keywords[exclusive];
    if (next === true) return [[exclusive, value] as const];
    return typeof next === "number" ? [[exclusive, next] as const] : [[keyword, value] as const];
  });
}

function isOfType(value: unknown, type: string): boolean {
  if (Array.isArray(value)) return type === "array";
  return typeof value === (type === "integer" ? "number" : type);
}

function isNullOnly(schema: Plain): boolean {
  return Array.isArray(schema["enum"]) && schema["enum"].every((value) => value === null);
}

const knownFormats = new Set(["date-time", "date", "uuid", "email", "uri", "url"]);
const boundKeywords = ["minLength", "maxLength", "minimum", "maximum", "minItems", "maxItems", "pattern"];

function basePath(file: Plain): string {
  if (typeof file["basePath"] === "string") return file["basePath"].replace(/\/+$/, "");
  const server = plain(list(file["servers"])[0]);
  const variables = plain(server["variables"]);
  const url = String(server["url"] ?? "/").replace(/\{([^}]+)\}/g, (whole, name: string) =>
    String(plain(variables[name])["default"] ?? whole),
  );
  return url.replace(/^[a-z]+:\/\/[^/]*/i, "").replace(/\/+$/, "");
}

/** Returns the kind of a statement, by the words of its key. */
function kindOf(key: string): string {
  const [, , placed = "", ...rest] = key.split(" ");
  const place = placed.split(".")[0] ?? "";
  const last = rest.at(-1) ?? "";
  if (place === "operation") return "operations";
  if (place === "error") return "error statuses";
  if (place === "answer" && last === "status") return "answer statuses";
  const what = rest.includes("bound") ? "bounds" : last === "type" ? "types" : last;
  const where = place === "answer" ? "answer" : place === "body" ? "body" : "query and header";
  return `${where}: ${what}`;
}

/**
 * Compares two descriptions: the original's statements, and those that the other lacks, by kind.
 */
function compared(original: Statements, other: Statements): ReadonlyMap<string, Kept> {
  const found = new Map<string, { all: number; lost: string[] }>();
  for (const [key, value] of original.sayable) {
    const kind = found.get(kindOf(key)) ?? { all: 0, lost: [] };
    found.set(kindOf(key), kind);
    kind.all += 1;
    if (other.sayable.get(key) !== value)
      kind.lost.push(`${key}: ${value} → ${other.sayable.get(key) ?? "nothing"}`);
  }
  return found;
}

/** Whether a name, or the rule `sent as`, can express the key. */
function isSayable(key: string): boolean {
  return key !== "" && key.trim() === key && key.length <= 200 && !/["\\`\p{Cc}]|\?$|<!--/u.test(key);
}
