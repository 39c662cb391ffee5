/**
 * Random statements of an import for manual judgement, each with the evidence in the description:
 * `npm run import-statements -- FILE [--count 40] [--seed 1] [--proposals]`. With `--proposals` it
 * draws proposals of the work list. The draw depends only on the seed.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { parseArgs } from "node:util";
import { load } from "js-yaml";
import { importFile } from "../../src/inputs/formats.ts";
import { normalizedName } from "../../src/support/alike-names.ts";
import { itemsOf } from "../../src/syntax/read.ts";
import { workListOf } from "../../src/worklist/worklist.ts";
import type { SourceDocument } from "../../src/worklist/document/source-document.ts";
import { randomFrom } from "../agreement/expression-texts.ts";

type Plain = Readonly<Record<string, unknown>>;

interface Statement {
  readonly text: string;
  /** The path of keys from the description's root to the evidence. */
  readonly pointer: readonly string[];
  /** The name of a property or parameter, followed by the names of nested properties. */
  readonly keys: readonly string[];
}

/** Maximum depth of nested objects that are searched for a name. */
const depthMax = 9;

const { values, positionals } = parseArgs({
  options: {
    count: { type: "string", default: "40" },
    seed: { type: "string", default: "1" },
    proposals: { type: "boolean", default: false },
    width: { type: "string", default: "420" },
  },
  allowPositionals: true,
});

for (const path of positionals) {
  const description = load(readFileSync(path, "utf8")) as Plain;
  const made = importFile("openapi", {
    name: basename(path),
    text: readFileSync(path, "utf8"),
    readRelative: (relative) => readNear(path, relative),
    only: [],
  });
  const list = workListOf("made.md", made.text);
  const all = values.proposals
    ? list.proposals.map(({ kind, subject, edits }) => ({
        text: `${kind} · ${subject} · ${JSON.stringify(edits.map((edit) => ("lines" in edit ? edit.lines : "text" in edit ? edit.text : edit)))}`,
        pointer: placeOf(description, list.document, subject),
        keys: [],
      }))
    : statementsOf(description, list.document);
  const random = randomFrom(Number(values.seed));
  const drawn = all
    .map((statement) => ({ statement, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .slice(0, Number(values.count));
  console.log(`# ${basename(path)}: ${drawn.length} of ${all.length}`);
  for (const [index, { statement }] of drawn.entries()) {
    console.log(`${index + 1}. ${statement.text}`);
    console.log(`   #/${statement.pointer.map(escaped).join("/")}`);
    console.log(`   ${shown(description, statement).slice(0, Number(values.width))}`);
  }
}

function readNear(path: string, relative: string): string | undefined {
  try {
    return readFileSync(join(dirname(path), relative), "utf8");
  } catch {
    return undefined;
  }
}

function escaped(key: string): string {
  return key.replaceAll("~", "~0").replaceAll("/", "~1");
}

/** Returns the statements of a document about operations, inputs and fields. */
function statementsOf(description: Plain, document: SourceDocument): readonly Statement[] {
  const ofEndpoints = document.endpoints.flatMap((endpoint): Statement[] => {
    const pointer = operationPointer(description, endpoint.method, endpoint.path);
    const items = itemsOf(endpoint.section.body).filter(({ value }) => !/not shown/.test(value.text));
    return [
      ...items.map((item) => ({
        text: `${endpoint.name}: ${item.key.text}: ${item.value.text}`,
        pointer,
        keys: [],
      })),
      ...endpoint.inputs.map((input) => ({
        text: `${endpoint.name}: ${input.in} ${input.name}: ${input.type} (${input.rules.join(", ")})`,
        pointer,
        keys: [input.name],
      })),
    ];
  });
  const ofFields = [...document.resources, ...document.values].flatMap(({ name, fields }) => {
    const { pointer, keys } = placeOfShape(description, document, name, 0);
    return fields.map((field) => ({
      text: `${name}.${field.name}: ${field.type} (${field.rules.join(", ")})`,
      pointer,
      keys: [...keys, field.name],
    }));
  });
  const ofResources = document.resources.map(({ name, identifier }) => {
    const { pointer, keys } = placeOfShape(description, document, name, 0);
    return {
      text: `${name}: Identifier: ${identifier.item.value.text}`,
      pointer,
      keys: [...keys, identifier.field],
    };
  });
  return [...ofEndpoints, ...ofFields, ...ofResources];
}

type Place = Pick<Statement, "pointer" | "keys">;

/**
 * Returns the schema of a resource or a value; for one without a name, the schema of the field or
 * input that contains it.
 */
function placeOfShape(description: Plain, document: SourceDocument, name: string, depth: number): Place {
  const pointer = schemaPointer(description, name);
  if (pointer) return { pointer, keys: [] };
  const uses = (type: string) => new RegExp(`\\b${name}\\b`).test(type);
  const endpoint = document.endpoints.find(
    ({ inputs, returns }) =>
      inputs.some(({ type }) => uses(type)) || returns.some(({ value }) => uses(value.text)),
  );
  if (endpoint) {
    const input = endpoint.inputs.find(({ type }) => uses(type));
    return {
      pointer: operationPointer(description, endpoint.method, endpoint.path),
      keys: input ? [input.name] : [],
    };
  }
  const owner = [...document.resources, ...document.values].find(({ fields }) =>
    fields.some(({ type }) => uses(type)),
  );
  const field = owner?.fields.find(({ type }) => uses(type));
  if (!owner || !field || depth > depthMax) return { pointer: ["?"], keys: [] };
  const above = placeOfShape(description, document, owner.name, depth + 1);
  return { pointer: above.pointer, keys: [...above.keys, field.name] };
}

/**
 * Returns the keys that lead to an operation. Parameters of the document's paths may have other
 * names.
 */
function operationPointer(description: Plain, method: string, path: string): readonly string[] {
  const form = (text: string) => text.replace(/\{[^}]*\}/g, "{}");
  const alike = Object.keys(plain(description["paths"])).filter((key) => form(key) === form(path));
  const found = alike.find((key) => key.replace(/-/g, "_") === path.replace(/-/g, "_")) ?? alike[0] ?? path;
  return ["paths", found, method.toLowerCase()];
}

/**
 * Returns the schema with the name of a resource or a value. The import may have omitted the name's
 * last word.
 */
function schemaPointer(description: Plain, name: string): readonly string[] | undefined {
  const at = description["swagger"] === undefined ? ["components", "schemas"] : ["definitions"];
  const schemas = plain(at.reduce<unknown>((node, key) => plain(node)[key], description));
  const named = (of: string) => normalizedName(of) === normalizedName(name);
  const key =
    Object.keys(schemas).find(named) ??
    Object.keys(schemas).find((schema) => named(schema.replace(/[-_.]*(Response|Request|full)$/i, "")));
  return key === undefined ? undefined : [...at, key];
}

function placeOf(description: Plain, document: SourceDocument, subject: string): readonly string[] {
  const endpoint = document.endpoints.find(({ name }) => subject.split(" ").slice(0, 2).join(" ") === name);
  if (endpoint) return operationPointer(description, endpoint.method, endpoint.path);
  return schemaPointer(description, subject.split(".")[0] ?? "") ?? ["?"];
}

/** Returns the evidence of a statement in one line; for an input or a field, only its own part. */
function shown(description: Plain, { pointer, keys }: Statement): string {
  let nodes: readonly Part[] = [
    {
      text: "",
      node: pointer.reduce<unknown>((at, part) => plain(follow(description, at))[part], description),
    },
  ];
  for (const [index, key] of keys.entries()) {
    const name = normalizedName(key);
    const found = nodes.flatMap(({ node }) => partsNamed(description, node, name, 0));
    // A parameter may be declared for all operations of its path.
    const above = plain(plain(description["paths"])[pointer[1] ?? ""])["parameters"];
    nodes = found.length === 0 && index === 0 ? partsNamed(description, above, name, 0) : found;
  }
  if (keys.length > 0 && nodes.length > 0) return nodes.map(({ text }) => text).join(" ··· ");
  return JSON.stringify(brief(description, follow(description, nodes[0]?.node)) ?? "nothing");
}

interface Part {
  readonly text: string;
  readonly node: unknown;
}

/**
 * Returns properties and parameters with a name beneath a node, and the lists that require them.
 */
function partsNamed(description: Plain, written: unknown, name: string, depth: number): readonly Part[] {
  const node = follow(description, written);
  if (depth > depthMax) return [];
  if (Array.isArray(node)) return node.flatMap((item) => partsNamed(description, item, name, depth + 1));
  const here = Object.entries(plain(plain(node)["properties"])).flatMap(([key, property]) => {
    if (normalizedName(key) !== name) return [];
    const required = isRequired(node, key) ? "REQUIRED " : "";
    return [{ text: `${key} ${required}${JSON.stringify(follow(description, property))}`, node: property }];
  });
  const own = normalizedName(String(plain(node)["name"] ?? "")) === name && plain(node)["in"] !== undefined;
  if (own) return [{ text: JSON.stringify(node), node: plain(node)["schema"] }];
  const inner = /^(parameters|requestBody|responses|2\d\d|content|schema|allOf|anyOf|oneOf|items|.*\/.*)$/;
  return [
    ...here,
    ...Object.entries(plain(node)).flatMap(([key, value]) =>
      inner.test(key) ? partsNamed(description, value, name, depth + 1) : [],
    ),
  ];
}

function isRequired(node: unknown, key: string): boolean {
  const required = plain(node)["required"];
  return Array.isArray(required) && required.includes(key);
}

/** Returns an operation without its parameters and examples. */
function brief(description: Plain, node: unknown): unknown {
  const { summary, responses, requestBody, operationId } = plain(node);
  if (responses === undefined) return node;
  return {
    operationId,
    summary,
    responses: Object.fromEntries(
      Object.entries(plain(responses)).map(([code, answer]) => {
        const { description: text, content, schema } = plain(follow(description, answer));
        const media = Object.entries(plain(content)).map(([type, of]) => [type, plain(of)["schema"]]);
        return [code, [String(text).slice(0, 60), schema ?? Object.fromEntries(media)]];
      }),
    ),
    requestBody: follow(description, requestBody),
  };
}

function follow(description: Plain, node: unknown, steps = 0): unknown {
  const reference = plain(node)["$ref"];
  if (typeof reference !== "string" || !reference.startsWith("#/") || steps > 20) return node;
  const keys = reference.slice(2).split("/");
  let at: unknown = description;
  for (const key of keys) at = plain(at)[decodeURIComponent(key).replaceAll("~1", "/").replaceAll("~0", "~")];
  return follow(description, at, steps + 1);
}

function plain(value: unknown): Plain {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Plain) : {};
}
