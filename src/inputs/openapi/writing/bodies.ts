/** The body of an imported operation: its media types, its inputs and what it does. */
import { statedNames, isName, isInputName } from "../description/field-names.ts";
import { isClosedBody } from "../description/closed-bodies.ts";
import { inputOf, type InputRow } from "./inputs.ts";
import { isForm, type Operation } from "../description/operations.ts";
import { boundsOf, type Type, unionNote } from "../description/schemas.ts";
import {
  type OperationMeaning,
  meaningOfOperation,
  isSameType,
  typeText,
  wrappedBody,
} from "../description/statements.ts";
import { notesOfType, type Writing } from "./context.ts";
import { ownNames } from "../description/extensions.ts";
import { isSetByCaller } from "./resources.ts";

interface Body {
  readonly deed: OperationMeaning | undefined;
  readonly bodyIn: string | undefined;
  readonly accepts: string | undefined;
  /** Whether the document has all of its keys. A body without stated keys is read as bytes. */
  readonly isFullyRead: boolean;
  /** Whether it allows no other keys. */
  readonly isClosed: boolean;
  /** Inputs that set the field of their name. */
  readonly fields: readonly string[];
  readonly rows: readonly InputRow[];
}

/** @param isOwn whether items state what the operation does, so that no effect is recognised */
export function bodyOf(writing: Writing, operation: Operation, notes: string[], isOwn: boolean): Body {
  const own: string[] = [];
  const made = objectBodyOf(writing, operation, own, isOwn);
  // Inputs alone would reject a list.
  const isOpen = operation.body?.list !== undefined && made.deed?.does !== "create";
  if (isOpen) noteBody(writing, operation, notes);
  else notes.push(...own);
  return isOpen ? withoutBody : made;
}

const withoutBody: Body = {
  deed: undefined,
  bodyIn: undefined,
  accepts: undefined,
  isFullyRead: true,
  isClosed: false,
  fields: [],
  rows: [],
};

function objectBodyOf(writing: Writing, operation: Operation, notes: string[], isOwn: boolean): Body {
  const { facts, names, refusals } = writing;
  const { schemas } = facts;
  const stated =
    isOwn || refusals.has(`does ${operation.id}`) ? undefined : meaningOfOperation(facts, operation);
  const resource = facts.answered.get(operation)?.resource;
  const body = wrappedBody(
    schemas,
    operation,
    resource && names.resource(resource) !== "" ? resource : undefined,
  );
  if (operation.method === "get" && operation.body) notes.push("a body of a GET");
  if (!body || operation.method === "get") {
    if (operation.body && operation.method !== "get") noteBody(writing, operation, notes);
    return { ...withoutBody, deed: stated && stated.does === "read" ? stated : undefined };
  }
  const fields = new Map<string, string>();
  const rows: InputRow[] = [];
  // A form has dots between the names of what is in something.
  const isOfForms = operation.body?.types.every(isForm) ?? false;
  const saidAs = statedNames(body.of.properties.keys(), isOfForms ? isInputName : isName);
  const ownAs = ownNames(operation, "body");
  let isFullyRead = body.isWhole;
  if (!isFullyRead) noteBody(writing, operation, notes);
  for (const [key, node] of body.of.properties) {
    const input = schemas.read(node);
    if (input.own["readOnly"] === true) continue;
    const type = schemas.type(node);
    const statedName = ownAs.get(key) ?? saidAs.get(key);
    if (!statedName) {
      notes.push(`body ${JSON.stringify(key)}: ${typeText(type).slice(0, 80)}`);
      isFullyRead = false;
      continue;
    }
    const required = body.of.required.has(key);
    if (stated && setsField(writing, stated, key, type, node) === statedName.name)
      fields.set(key, required ? statedName.name : `${statedName.name}?`);
    else {
      const isDeprecated = input.own["deprecated"] === true;
      const shown = { stated: statedName, location: "body", type, node, required, isDeprecated } as const;
      rows.push(inputOf(writing, shown, operation, notes));
    }
    if (fields.has(key)) notes.push(...notesOfType(type).map((note) => `body ${statedName.name}: ${note}`));
  }
  const deed = stated?.does === "read" || !isFullyRead ? undefined : stated;
  const accepts = acceptsOf(operation, notes);
  const isClosed = isFullyRead && body.key === undefined && isClosedBody(schemas, body.of);
  if (deed) {
    return { deed, bodyIn: body.key, accepts, isFullyRead, isClosed, fields: [...fields.values()], rows };
  }
  // Without a stated effect, all inputs are ordinary inputs.
  for (const [key, node] of body.of.properties) {
    const statedName = ownAs.get(key) ?? saidAs.get(key);
    if (!statedName || !fields.has(key)) continue;
    const shown = { stated: statedName, location: "body", type: schemas.type(node), node } as const;
    rows.push(inputOf(writing, { ...shown, required: body.of.required.has(key) }, operation, []));
  }
  return { deed: undefined, bodyIn: body.key, accepts, isFullyRead, isClosed, fields: [], rows };
}

/** The field whose key, type and bounds the input has. An identifier must be set by the caller. */
function setsField(
  writing: Writing,
  { resource, body }: OperationMeaning,
  key: string,
  type: Type,
  node: unknown,
): string | undefined {
  const { schemas } = writing.facts;
  if (key === resource.identifier && !isSetByCaller(writing, resource)) return undefined;
  const field = resource.schema.properties.get(key);
  if (field === undefined || !body) return undefined;
  if (!isSameType(schemas, schemas.type(field), type)) return undefined;
  const made = resource.createBody?.properties.get(key);
  if (made === undefined) return undefined;
  const bounds = (schema: unknown) => boundsOf(schemas.read(schema), schemas.type(schema)).rules.join();
  const isAlike =
    bounds(made) === bounds(node) && schemas.read(made).nullable === schemas.read(node).nullable;
  return isAlike ? statedNames(resource.schema.properties.keys()).get(key)?.name : undefined;
}

function noteBody({ facts }: Writing, { body }: Operation, notes: string[]): void {
  if (!body) return;
  const schema = body.schema === undefined ? undefined : facts.schemas.read(body.schema);
  const of = schema?.union ? unionNote(schema) : schema?.kinds[0];
  const what = body.list ? "an object, or a list of such objects" : of;
  notes.push(`a body of ${body.types.join(", ")}${what === undefined ? "" : `: ${what}`}`);
}

/** The item `Accepts`, unless it is the default. */
function acceptsOf({ body }: Operation, notes: string[]): string | undefined {
  const types = body?.types ?? [];
  const readable = types.filter((mediaType) => mediaType === "application/json" || isForm(mediaType));
  for (const mediaType of types) if (!readable.includes(mediaType)) notes.push(`a body of ${mediaType}`);
  return readable.length === 0 || readable.join() === "application/json"
    ? undefined
    : `- Accepts: ${readable.join(", ")}`;
}
