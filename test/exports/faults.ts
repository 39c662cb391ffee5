/**
 * Faults for the export code, planted one at a time. The judges of the documents must detect each
 * (`faults.test.ts`).
 */
export interface Fault {
  /** The consequence of the fault. */
  readonly what: string;
  readonly file: string;
  /** The text to replace, which occurs in the file exactly once. */
  readonly from: string;
  readonly to: string;
}

const wire = "src/outputs/wire/";
const openapi = "src/outputs/openapi/";

export const faults: readonly Fault[] = [
  {
    what: "what may be null is said never to be",
    file: `${wire}json-schemas.ts`,
    from: "export function orNull(schema: JsonSchema): JsonSchema {",
    to: "export function orNull(schema: JsonSchema): JsonSchema {\n  if (schema) return schema;",
  },
  {
    what: "keys that are left out are said to be always there",
    file: `${wire}field-schemas.ts`,
    from: "nullable && (optional === true || !nulls)",
    to: "false && nullable && optional && nulls",
  },
  {
    what: "every stored field is said to be there",
    file: `${wire}field-schemas.ts`,
    from: "  const nullable = !isNeverNull(context.model, resource, field);",
    to: "  const nullable = false;",
  },
  {
    what: "identifiers are said to be numbers",
    file: `${wire}field-schemas.ts`,
    from: "  if (only && schemas.length === 1) return only;",
    to: '  if (only && schemas.length === 1) return { type: "integer" };',
  },
  {
    what: "lists are said to be of texts",
    file: `${wire}node-schemas.ts`,
    from: 'return { schema: { type: "array", items: withNullability(body) }, nullable: list.nullable };',
    to: 'return { schema: { type: "array", items: { type: "string" } }, nullable: list.nullable };',
  },
  {
    what: "of a choice only the first is said",
    file: `${wire}node-schemas.ts`,
    from: 'schema: schemas.length === 0 ? { type: "null" } : anyOf(schemas),',
    to: 'schema: schemas[0] ?? { type: "null" },',
  },
  {
    what: "what is merged has only the keys of the first",
    file: `${wire}json-schemas.ts`,
    from: "  for (const object of objects) {",
    to: "  for (const object of objects.slice(0, 1)) {",
  },
  {
    what: "references that may be given in full are said never to be",
    file: `${wire}node-schemas.ts`,
    from: "    if (this.#context.model.endpointsPart.expansion === undefined) return value;",
    to: "    if (this.#context.model) return value;",
  },
  {
    what: "an older version has the keys of now",
    file: `${wire}context.ts`,
    from: "view: createVersionMapping(model, version),",
    to: "view: createVersionMapping({ ...model, versioning: { versions: [] } }, version),",
  },
  {
    what: "an older version takes the inputs of now",
    file: `${wire}build-wire.ts`,
    from: "context.view?.endpoint(endpoint) ?? endpoint",
    to: "endpoint",
  },
  {
    what: "inputs that must be sent may be left out, and those that may must be",
    file: `${wire}input-schemas.ts`,
    from: "  return required && fallback === undefined;",
    to: "  return !(required && fallback === undefined);",
  },
  {
    what: "the wrapper of a body is forgotten",
    file: `${wire}request-body.ts`,
    from: "    wrapper === undefined\n",
    to: "    wrapper !== null\n",
  },
  {
    what: "forms aren't said to be taken",
    file: `${wire}request-body.ts`,
    from: '({ kind }) => !hasFile || kind === "multipart"',
    to: '({ kind }) => kind === "json"',
  },
  {
    what: "ranges are said to be single values",
    file: `${wire}input-schemas.ts`,
    from: '  if (filter?.kind !== "range") return schema;',
    to: "  if (filter !== null) return schema;",
  },
  {
    what: "the parameters of pages are forgotten",
    file: `${wire}parameters.ts`,
    from: '  if (!pagination || pagination.kind === "none") return [];',
    to: "  if (pagination) return [];\n  if (!pagination) return [];",
  },
  {
    what: "the parameters of the base path are forgotten",
    file: `${wire}parameters.ts`,
    from: "    ...context.model.endpointsPart.basePath.segments,\n",
    to: "",
  },
  {
    what: "a version's header needn't be sent, and has any value",
    file: `${wire}parameters.ts`,
    from: 'schema: { type: "string", const: version.requested.value },',
    to: 'schema: { type: "string", const: "another" },',
  },
  {
    what: "answers without a body are said to have one",
    file: `${wire}answers.ts`,
    from: "  if (schemas.length === 0) return undefined;",
    to: "  if (schemas.length < 0) return undefined;",
  },
  {
    what: "pages of numbers are said to be of cursors",
    file: `${wire}answers.ts`,
    from: 'pagination?.kind === "page" || pagination?.kind === "offset"',
    to: "pagination === null",
  },
  {
    what: "every header is said to come always",
    file: `${wire}answers.ts`,
    from: '{}), required, description: "" };',
    to: '{}), required: true, description: "" };',
  },
  {
    what: "that a caller has it already is no answer",
    file: `${wire}answers.ts`,
    from: "return [{ status: 304,",
    to: "return [{ status: 305,",
  },
  {
    what: "errors are problem details, whatever the document says",
    file: `${wire}error-bodies.ts`,
    from: "    if (!payload) return this.#problem();",
    to: "    if (payload) return this.#problem();\n    if (!payload) return this.#problem();",
  },
  {
    what: "a row's own payload is forgotten",
    file: `${wire}error-bodies.ts`,
    from: "    if (!shape) return undefined;",
    to: "    if (shape) return undefined;\n    if (!shape) return undefined;",
  },
  {
    what: "the errors' media type is JSON, whatever the document says",
    file: `${wire}error-bodies.ts`,
    from: "...typed(this.#typeOfRow(row, mine?.node)),",
    to: "mediaType: problemType,",
  },
  {
    what: "timestamps are numbers, whatever the document says",
    file: `${wire}context.ts`,
    from: 'part.timestamps ?? "milliseconds"',
    to: '"unix seconds"',
  },
  {
    what: "an older version has the endpoints of now, and the other way round",
    file: `${wire}build-wire.ts`,
    from: "!version || versionHasEndpoint(model, version, endpoint)",
    to: "!version || !versionHasEndpoint(model, version, endpoint)",
  },
  {
    what: "an operation's name is that of its kind alone",
    file: `${wire}names.ts`,
    from: "      const name = preferred.find((base) => !known.has(base)) ?? numbered(preferred.at(-1) as string, known);",
    to: "      const name = preferred[0] ?? numbered(preferred.at(-1) as string, known);",
  },
  {
    what: "examples are given that aren't whole",
    file: `${openapi}examples.ts`,
    from: "  const whole = bodies.filter((body) => body.isWhole);",
    to: "  const whole = bodies;",
  },
  {
    what: "links lead to the requested record, not to the created one",
    file: `${openapi}links.ts`,
    from: "operationId: read.id, parameters",
    to: "operationId: operation.id, parameters",
  },
  {
    what: "the events of streams are forgotten",
    file: `${openapi}path-items.ts`,
    from: "messages.map(({ event, schema, isText }) => ({ event, schema, isText })),",
    to: "messages.slice(0, 0).map(({ event, schema, isText }) => ({ event, schema, isText })),",
  },
  {
    what: "the first parameter of each operation is forgotten",
    file: `${openapi}path-items.ts`,
    from: "    parameters: operation.parameters.map((parameter) => ({ ...parameter, name: nameOf(parameter) })),",
    to: "    parameters: operation.parameters.slice(1).map((parameter) => ({ ...parameter, name: nameOf(parameter) })),",
  },
  {
    what: "objects in a query are plain texts",
    file: `${openapi}requests.ts`,
    from: '        style: "deepObject",\n        explode: true,\n        schema,',
    to: '        schema: { type: "string" },',
  },
];
