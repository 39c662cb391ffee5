/**
 * Writes part 4 of an imported document: each operation with its inputs and its response. `Does` is
 * written only where it is stated.
 */
import type { Draft } from "./draft.ts";
import { type StatedName, statedNames, isName, isInputName } from "./field-names.ts";
import { isClosedBody } from "./closed-bodies.ts";
import { writeExample } from "./examples.ts";
import { extensionsOf } from "./kept-keys.ts";
import { acceptsOf, noteBody } from "./write-bodies.ts";
import { isObjectSayable, listStyleOf } from "./list-styles.ts";
import { isForm, type Operation, type Parameter } from "./operations.ts";
import { boundsOf, type Type } from "./schemas.ts";
import {
  type OperationMeaning,
  meaningOfOperation,
  defaultText,
  isSameType,
  typeText,
  wrappedBody,
} from "./statements.ts";
import { textOf } from "./values.ts";
import { notesOfType, ownTypeName, typeName, type Writing } from "./write-context.ts";
import { isOwnInput, type OwnInput, ownInput, ownInputType, ownNames, ownPartItems } from "./extensions.ts";
import { ownErrors } from "./write-errors.ts";
import { isOfStatedRecord, isVersionInput, statedItems, writePages, writePaths } from "./write-extensions.ts";
import { openFailsOf, returnsOf } from "./write-responses.ts";
import { inOrderOfTags } from "./tag-order.ts";
import { statedMachine } from "./write-states.ts";
import { isSetByCaller, writeProse } from "./write-resources.ts";
import { writeHeaders } from "./write-headers.ts";
import { accessItems, doesText, notesOfOperation, reasonFor, scopeNotes } from "./write-notes.ts";

export function writeEndpoints(
  draft: Draft,
  writing: Writing,
  operations: readonly Operation[],
  basePath: string | undefined,
): void {
  draft.add("## Endpoints");
  draft.gap();
  draft.add(`- Base path: ${basePath ?? "not shown"}`, "base path");
  for (const { item, value } of ownPartItems(writing.files.first))
    if (!writing.refusals.has(`part ${item}`)) draft.add(`- ${item}: ${value}`, `part ${item}`);
  if (operations.length === 0)
    for (const item of ["Methods", "Path shapes", "Payload shapes"]) draft.add(`- ${item}: not shown`);
  draft.gap();
  const shared = commonNotes(writing, operations);
  for (const [what, count] of shared) draft.comment(`${count} operations`, [what], "parts of operations");
  writePaths(draft, writing, operations);
  for (const inOrderOfTag of inOrderOfTags(writing, operations))
    writeEndpoint(draft, writing, inOrderOfTag, shared);
  writePages(draft, writing);
}

interface InputRow {
  readonly name: string;
  readonly in: string;
  /** Its type in the notation. A value gets its name when this is called. */
  readonly typeText: () => string;
  readonly rules: readonly string[];
  /** What it does, where an export of Ninefold states it. */
  readonly own?: OwnInput | undefined;
}

/** Notes that many operations share. They are kept in a single comment. */
function commonNotes(writing: Writing, operations: readonly Operation[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const operation of operations)
    for (const what of notesOfOperation(writing, operation)) counts.set(what, (counts.get(what) ?? 0) + 1);
  return new Map([...counts].filter(([, count]) => count >= 10));
}

function writeEndpoint(
  draft: Draft,
  writing: Writing,
  operation: Operation,
  shared: ReadonlyMap<string, number>,
): void {
  const { id, node, pointer } = operation;
  const { refusals } = writing;
  const times = writing.refusals.get(`endpoint ${id}`) ?? 0;
  if (times > 0) {
    draft.comment(pointer, [`${id}: ${reasonFor(writing, operation)}`], "operations");
    return;
  }
  const notes = notesOfOperation(writing, operation).filter((what) => !shared.has(what));
  const items = statedItems(writing, operation);
  const machines = writing.facts.resources.flatMap((resource) => statedMachine(writing, resource) ?? []);
  const made = bodyOf(writing, operation, notes, items.length > 0);
  const { deed } = made;
  const parameters = parametersOf(writing, operation, notes);
  const isQueryRead = numberInQuery(parameters) === numberInQuery(operation.parameters);
  const rows = [...made.rows, ...parameters]
    .filter((row) => !isVersionInput(writing, row) && !isOwnInput(items, row.in, row.name))
    .map((row) => ({
      ...row,
      own: items.length === 0 ? undefined : ownInput(operation, items, machines, row.in, row.name),
    }))
    // A parameter that a stated operation reads nowhere only selects the record of the path.
    .filter((row) => items.length === 0 || row.in !== "path" || row.own !== undefined);
  draft.count("operations", deed || items.length > 0 ? "stated" : "open");
  draft.add(`### ${id}`, `endpoint ${id}`);
  draft.gap();
  writeProse(draft, writing, `prose ${id}`, textOf(node["summary"]) ?? textOf(node["description"]));
  const stated = refusals.has(`page ${id}`) ? [] : items.filter(({ item }) => item === "Returns");
  const returns = stated.length > 0 ? [] : returnsOf(writing, operation, deed, notes);
  const sound = soundInputs(writing, operation, rows, notes);
  const extensions = extensionsOf(writing, operation);
  draft.count("notes", "stated", extensions.kept);
  draft.count("notes", "comment", extensions.left.length);
  notes.push(...scopeNotes(writing, operation), ...extensions.left);
  draft.comment(pointer, notes, "parts of operations");
  writeExample(draft, writing, operation);
  for (const { item, value } of items)
    if (item !== "Returns" && item !== "Header") draft.add(`- ${item}: ${value}`, `own ${id}`);
  if (items.length === 0)
    draft.add(`- Does: ${deed ? doesText(writing, operation, deed) : "not shown"}`, `does ${id}`);
  for (const item of accessItems(writing, operation, items.length > 0)) draft.add(item, `scheme of ${id}`);
  // The rows of part 7 state the errors of an operation whose items are stated.
  const areErrorsStated = items.length > 0 && ownErrors(writing.files.first) !== undefined;
  const fails = areErrorsStated ? "not shown" : openFailsOf(writing, operation);
  if (deed || fails !== "not shown") draft.add(`- Fails: ${fails}`, `does ${id}`);
  if (made.accepts !== undefined) draft.add(made.accepts, `accepts ${id}`);
  const isUnknownStated = [...items, ...ownPartItems(writing.files.first)].some(
    ({ item }) => item === "Unknown fields",
  );
  const isFullyRead = made.isFullyRead && isQueryRead && sound.length === rows.length;
  // An input that the document lacks would be rejected as unknown.
  if (!isFullyRead && items.length === 0) draft.add("- Unknown fields: not shown", `does ${id}`);
  else if (isFullyRead && made.isClosed && !isUnknownStated)
    draft.add("- Unknown fields: rejected in body", `does ${id}`);
  if (made.bodyIn !== undefined) draft.add(`- Body in: ${made.bodyIn}`, `does ${id}`);
  if (made.fields.length > 0) draft.add(`- Body: ${made.fields.join(", ")}`, `does ${id}`);
  for (const { value } of stated) draft.add(`- Returns: ${value}`, `page ${id}`);
  for (const answer of returns) draft.add(`- Returns: ${answer}`, `returns ${id}`);
  if (node["deprecated"] === true && !items.some(({ item }) => item === "Deprecated"))
    draft.add("- Deprecated: since not shown", `does ${id}`);
  if (extensions.item !== undefined) draft.add(extensions.item, `extensions ${id}`);
  writeHeaders(draft, writing, operation, items);
  draft.gap();
  if (sound.length > 0) writeInputs(draft, writing, id, sound);
}

function writeInputs(draft: Draft, { refusals }: Writing, id: string, rows: readonly InputRow[]): void {
  const hasFields = rows.some(({ own }) => own !== undefined && own.field !== "");
  draft.add(`| Input | In | Type | Rules | Where |${hasFields ? " Field |" : ""}`);
  draft.add(`|---|---|---|---|---|${hasFields ? "---|" : ""}`);
  for (const { name, in: location, typeText, rules, own } of rows) {
    const key = inputKey(id, location, name);
    const all = refusals.get(key) ?? 0;
    const stated = all === 0 ? own : undefined;
    const times = own && all > 0 ? all - 1 : all;
    const setsField = stated !== undefined && stated.field !== "";
    const type = setsField || times > 0 ? "" : typeText();
    draft.count("input types", times === 0 && type !== "not shown" ? "stated" : "open");
    draft.count("what inputs do", stated ? "stated" : "open");
    const required = rules.includes("required") ? "required" : "";
    // An input that sets a field has its type and its rules.
    const cells = setsField
      ? [name, location, "", required, "", stated.field]
      : [
          name,
          location,
          ...(times === 0 ? [type, rules.join(", ")] : ["json", required]),
          stated ? stated.where.replaceAll("|", "\\|") : "not shown",
          ...(hasFields ? [""] : []),
        ];
    draft.add(`| ${cells.join(" | ")} |`, key);
  }
  draft.gap();
}

function inputKey(id: string, location: string, name: string): string {
  return `input ${id} ${location} ${name}`;
}

/** The inputs without those that `check` rejected twice, which are kept as a comment. */
function soundInputs(
  { refusals }: Writing,
  { id }: Operation,
  rows: readonly InputRow[],
  notes: string[],
): readonly InputRow[] {
  return rows.filter((row) => {
    const all = refusals.get(inputKey(id, row.in, row.name)) ?? 0;
    const times = row.own && all > 0 ? all - 1 : all;
    if (times > 0) notes.push(`${row.in} ${row.name}: ${[row.typeText(), ...row.rules].join(", ")}`);
    return times < 2;
  });
}

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
function bodyOf(writing: Writing, operation: Operation, notes: string[], isOwn: boolean): Body {
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
      rows.push(
        inputOf(
          writing,
          { stated: statedName, location: "body", type, node, required, isDeprecated },
          operation,
          notes,
        ),
      );
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
    rows.push(
      inputOf(
        writing,
        {
          stated: statedName,
          location: "body",
          type: schemas.type(node),
          node,
          required: body.of.required.has(key),
        },
        operation,
        [],
      ),
    );
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

interface Input {
  readonly stated: StatedName;
  readonly location: string;
  readonly type: Type;
  readonly node: unknown;
  readonly required: boolean;
  readonly isDeprecated?: boolean;
  /** Rules about the form in which it is sent. */
  readonly style?: readonly string[];
}

function inputOf(
  writing: Writing,
  { stated: statedName, location, type, node, required, isDeprecated = false, style = [] }: Input,
  operation: Operation,
  notes: string[],
): InputRow {
  const { name: key } = statedName;
  const schema = writing.facts.schemas.read(node);
  const bounds = boundsOf(schema, type);
  const isFile =
    location === "body" &&
    schema.own["format"] === "binary" &&
    operation.body?.types.includes("multipart/form-data");
  const initial = schema.own["default"];
  const written = defaultText(initial, type);
  notes.push(
    ...[...(isFile ? [] : notesOfType(type)), ...bounds.notes].map((note) => `${location} ${key}: ${note}`),
  );
  if (initial !== undefined && initial !== null && written === undefined)
    notes.push(`${location} ${key}: default`);
  const rules = [
    ...(required ? ["required"] : []),
    ...(schema.nullable && location === "body" ? ["nullable"] : []),
    ...(isFile ? [] : bounds.rules),
    ...(isDeprecated ? ["deprecated"] : []),
    ...statedName.rules,
    ...style,
    ...(required || written === undefined ? [] : [`default ${written}`]),
  ];
  const own = ownTypeName(writing, ownInputType(operation, location, key));
  const typeText = () =>
    own ??
    (isFile ? "file" : typeName(writing, type, { owner: `${operation.method}_${operation.path}`, key }));
  return { name: key, in: location, typeText, rules };
}

function numberInQuery(parameters: readonly { readonly in: string }[]): number {
  return parameters.filter((parameter) => parameter.in === "query").length;
}

function parametersOf(writing: Writing, operation: Operation, notes: string[]): readonly InputRow[] {
  const { schemas } = writing.facts;
  const inQuery = operation.parameters.filter((parameter) => parameter.in === "query");
  const saidAs = statedNames(
    inQuery.map(({ name }) => name),
    isInputName,
  );
  const ownAs = ownNames(operation, "query");
  const nameOf = ({ in: place, name }: Parameter, type: Type): StatedName | undefined => {
    if (place !== "query") return { name, rules: [] };
    // A list is read by this name, too.
    const [, plain] = type.kind === "list" ? (/^(.+)\[\]$/.exec(name) ?? []) : [];
    if (plain !== undefined && isInputName(plain) && !inQuery.some((parameter) => parameter.name === plain))
      return { name: plain, rules: [] };
    return ownAs.get(name) ?? saidAs.get(name);
  };
  return operation.parameters.flatMap((parameter) => {
    const type = schemas.type(parameter.schema);
    if (parameter.in === "path") {
      // The type of a record's identifier is that of its field.
      const isText = type.kind === "plain" && type.text === "string";
      const rules = boundsOf(schemas.read(parameter.schema), type).rules;
      const isKnown =
        meaningOfOperation(writing.facts, operation) || isOfStatedRecord(writing, operation, parameter.name);
      if ((isText && rules.length === 0) || !isInputName(parameter.name) || isKnown) return [];
      return [
        inputOf(
          writing,
          {
            stated: { name: parameter.name, rules: [] },
            location: "path",
            type,
            node: parameter.schema,
            required: false,
          },
          operation,
          notes,
        ),
      ];
    }
    const statedName = nameOf(parameter, type);
    const isUnsayable =
      !["query", "header"].includes(parameter.in) ||
      (parameter.in === "header" && !/^[A-Za-z][\w-]*$/.test(parameter.name)) ||
      /^(authorization|content-type|accept)$/i.test(parameter.name) ||
      ((type.kind === "value" || type.kind === "map") && !isObjectSayable(parameter));
    if (isUnsayable || !statedName) {
      notes.push(`${parameter.in} ${parameter.name}: ${typeText(type).slice(0, 80)}`);
      return [];
    }
    const style = listStyleOf(parameter, type);
    notes.push(...style.notes);
    return [
      inputOf(
        writing,
        {
          stated: statedName,
          location: parameter.in,
          type,
          node: parameter.schema,
          required: parameter.required,
          style: style.rules,
          isDeprecated:
            parameter.node["deprecated"] === true ||
            schemas.read(parameter.schema).own["deprecated"] === true,
        },
        operation,
        notes,
      ),
    ];
  });
}
