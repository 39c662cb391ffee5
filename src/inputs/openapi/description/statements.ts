/**
 * Statements of an OpenAPI description about fields and operations. Each rule was measured against
 * documents with known content (docs/guides/import.md has the table). What matches less stays `not
 * shown`.
 */
import { normalizedName } from "../../../support/alike-names.ts";
import { type EnvelopeContent, unwrapEnvelope } from "./envelopes.ts";
import { isSafe, type Operation } from "./operations.ts";
import { answeredSchema, isIdentifierKey, type Resource, wordsOf } from "./resources.ts";
import { sentSchemas } from "./sent-schemas.ts";
import { boundsOf, type Schema, type Schemas, type Type } from "./schemas.ts";
import { textOf } from "./values.ts";

/** The rules of a field as they are written; `not shown` among them where there may be more. */
export type FieldRules = readonly string[];

export interface Facts {
  readonly schemas: Schemas;
  readonly operations: readonly Operation[];
  readonly resources: readonly Resource[];
  /** What each operation returns: a resource, alone or as a list. */
  readonly answered: ReadonlyMap<Operation, AnsweredOperation>;
  /** Words in the paths of all operations that may change something. */
  readonly changedWords: ReadonlySet<string>;
  /** Identities of the schemas in bodies. */
  readonly sent: ReadonlySet<object>;
}

export interface AnsweredOperation extends EnvelopeContent {
  readonly resource: Resource | undefined;
}

export function factsOf(
  schemas: Schemas,
  operations: readonly Operation[],
  resources: readonly Resource[],
): Facts {
  const byIdentity = new Map(resources.map((resource) => [resource.schema.record.identity, resource]));
  const answeredBy = (operation: Operation): AnsweredOperation => {
    const word = wordsOf(operation.path).at(-1) ?? "";
    const expectsList = operation.method === "get" && !isItem(operation.path) ? true : undefined;
    const found = unwrapEnvelope(schemas, answeredSchema(operation), expectsList, word);
    const schema = found.of === undefined ? undefined : schemas.read(found.of);
    return { ...found, resource: schema && byIdentity.get(schema.record.identity) };
  };
  const changing = operations.filter((operation) => !isSafe(operation));
  return {
    schemas,
    operations,
    resources,
    answered: new Map(operations.map((operation) => [operation, answeredBy(operation)])),
    sent: sentSchemas(schemas, operations),
    changedWords: new Set(changing.flatMap(({ path }) => path.split("/").map(normalizedName))),
  };
}

function isItem(path: string): boolean {
  return /\}(\.json)?$/.test(path);
}

/** Operations that may write a record: those at its paths, and those that return one. */
function writersOf(facts: Facts, resource: Resource): readonly Operation[] {
  return facts.operations.filter(
    (operation) =>
      ["post", "put", "patch"].includes(operation.method) &&
      (operation.path === resource.item ||
        operation.path === resource.collection ||
        facts.answered.get(operation)?.resource === resource),
  );
}

export interface Writers {
  readonly operations: readonly Operation[];
  /** Their bodies, and the objects one level inside them. */
  readonly bodies: readonly Schema[];
  /** Whether every body states its keys. */
  readonly areClear: boolean;
}

export function writersWithBodies(facts: Facts, resource: Resource): Writers {
  const { schemas } = facts;
  const operations = writersOf(facts, resource);
  const bodies = operations.flatMap(({ body }) =>
    body?.schema === undefined ? [] : [schemas.read(body.schema)],
  );
  const inner = bodies.flatMap(({ properties }) =>
    [...properties.values()].map((node) => {
      const schema = schemas.read(node);
      return schema.items === undefined ? schema : schemas.read(schema.items);
    }),
  );
  return {
    operations,
    bodies: [...bodies, ...inner],
    areClear: bodies.every(({ union, additional, kinds }) => !union && !additional && kinds[0] === "object"),
  };
}

export function fieldRules(facts: Facts, resource: Resource, writers: Writers, key: string): FieldRules {
  const { own } = facts.schemas.read(resource.schema.properties.get(key));
  const rules = rulesOfWriting(facts, resource, writers, key);
  return own["writeOnly"] === true ? ["write-only", ...rules] : rules;
}

/** The rules that creations, updates and responses show. */
function rulesOfWriting(facts: Facts, resource: Resource, writers: Writers, key: string): FieldRules {
  const { schemas } = facts;
  const field = schemas.read(resource.schema.properties.get(key));
  const isSent = writers.bodies.some((body) => sends(body, key));
  const [only] = field.values ?? [];
  if (field.values?.length === 1 && typeof only === "string" && resource.schema.required.has(key) && !isSent)
    return [`= \`${JSON.stringify(only).replaceAll("|", "\\|").replaceAll("`", "'")}\``];
  const bounds = boundsOf(field, schemas.type(resource.schema.properties.get(key))).rules;
  if (field.own["readOnly"] === true || isNeverSent(facts, writers, key, isSent))
    return [...(isAlwaysThere(resource, field, key) ? ["required"] : []), "on create not shown", ...bounds];
  const node = resource.createBody?.properties.get(key);
  const isAgreed = resource.agreed.create && resource.createBody && node !== undefined;
  return (isAgreed ? sentRules(facts, resource, key, node) : undefined) ?? [...bounds, "not shown"];
}

/** Whether each response has a value for the key. */
function isAlwaysThere({ schema }: Resource, { nullable }: Schema, key: string): boolean {
  return schema.required.has(key) && !nullable;
}

/** Rules of a field that a create request sends under its own name. Undefined if they are uncertain. */
function sentRules(facts: Facts, resource: Resource, key: string, node: unknown): FieldRules | undefined {
  const { schemas } = facts;
  const sent = schemas.read(node);
  const type = schemas.type(node);
  if (!isSameType(schemas, type, schemas.type(resource.schema.properties.get(key)))) return undefined;
  const updateNode = resource.updateBody?.properties.get(key);
  const updated = updateNode === undefined ? undefined : schemas.read(updateNode);
  const isNullable = sent.nullable || (updated?.nullable ?? false);
  const rules: string[] = [];
  if (isNullable) {
    // In the body of a map null may only clear its keys, and an update can't distinguish an absent field from null.
    if (sent.kinds[0] === "object" || (resource.updateBody && !updated)) return undefined;
    rules.push("nullable");
  }
  const initial = sent.own["default"];
  const isRequired = resource.createBody?.required.has(key) && sent.values?.length !== 1;
  const field = schemas.read(resource.schema.properties.get(key));
  if (
    isRequired &&
    !isNullable &&
    !field.nullable &&
    initial === undefined &&
    requiredEverywhere(facts, resource, key)
  )
    rules.unshift("required");
  const bounds = boundsOf(sent, type);
  rules.push(...bounds.rules);
  const written = defaultText(initial, type);
  if (initial !== undefined && initial !== null) {
    if (written === undefined) return undefined;
    rules.push(`default ${written}`);
  } else if (!isNullable && !rules.includes("required") && isAlwaysThere(resource, field, key))
    // The service fills what a request may omit and each response has.
    rules.push("default not shown");
  return rules;
}

/** A default as an expression. Undefined for objects, and for a value of another type. */
export function defaultText(value: unknown, type: Type): string | undefined {
  if (type.kind === "list" && Array.isArray(value)) {
    const items = value.map((item: unknown) => defaultText(item, type.of)?.slice(1, -1));
    return items.includes(undefined) ? undefined : `\`[${items.join(", ")}]\``;
  }
  if (type.kind === "choice")
    return typeof value === "string" && type.values.includes(value) ? quoted(value) : undefined;
  if (type.kind !== "plain") return undefined;
  if (typeof value === "boolean") return type.text === "boolean" ? `\`${value}\`` : undefined;
  if (typeof value === "number") {
    const fits = type.text === "integer" ? Number.isSafeInteger(value) : type.text === "number";
    return fits && /^-?\d+(\.\d+)?$/.test(String(value)) ? `\`${value}\`` : undefined;
  }
  return typeof value === "string" && type.text === "string" ? quoted(value) : undefined;
}

function quoted(value: string): string | undefined {
  if (/[`\n]/.test(value)) return undefined;
  return `\`${JSON.stringify(value).replaceAll("|", "\\|")}\``;
}

function sends(body: Schema, key: string): boolean {
  const low = normalizedName(key);
  return [...body.properties.keys()].some(
    (property) => normalizedName(property) === low || normalizedName(property.split(/[.[]/)[0] ?? "") === low,
  );
}

/** Whether no request sends the key: all bodies are known, and no path has its name. */
function isNeverSent(facts: Facts, writers: Writers, key: string, isSent: boolean): boolean {
  if (isSent) return false;
  const low = normalizedName(key);
  const stem = low.replace(/s$/, "");
  const isWritten = writers.bodies.some(({ properties }) =>
    [...properties.keys()].map(normalizedName).some((property) => {
      const otherStem = property.replace(/s$/, "");
      const isLong = stem.length > 3 && otherStem.length > 3;
      return (
        (stem.length > 3 && property.startsWith(stem)) ||
        (isLong && (stem.startsWith(otherStem) || stem.endsWith(otherStem) || otherStem.endsWith(stem)))
      );
    }),
  );
  if (isWritten) return false;
  if (facts.changedWords.has(low) || facts.changedWords.has(`${low}s`)) return false;
  return writers.operations.length === 0 || (writers.areClear && writers.operations.some(({ body }) => body));
}

/** Whether every operation that creates a record requires the key. */
function requiredEverywhere(facts: Facts, resource: Resource, key: string): boolean {
  return facts.operations
    .filter((operation) => operation.method === "post" && operation.body && !isItem(operation.path))
    .filter((operation) => facts.answered.get(operation)?.resource === resource)
    .every(({ body }) => {
      const schema = facts.schemas.read(body?.schema);
      const [only] = schema.properties.keys();
      return schema.required.has(key) || isIdentifierKey(only ?? "", resource.schema, resource.word);
    });
}

/** Whether the records are the caller's own. Which field holds their owner isn't shown. */
function isCallers({ path, node }: Operation): boolean {
  const text = `${textOf(node["summary"]) ?? ""} ${textOf(node["description"]) ?? ""}`;
  return (
    /(^|\/)(user|me|my|self|current)(\/|$)/.test(path) ||
    /authenticated user|current user|\byour\b|\bmy\b/i.test(text)
  );
}

export interface OperationMeaning {
  readonly does: "read" | "create" | "update";
  readonly resource: Resource;
  /** The key that contains the body's fields. */
  readonly bodyIn: string | undefined;
  readonly body: Schema | undefined;
}

/** The effect of an operation, if the description allows only one reading. */
export function meaningOfOperation(facts: Facts, operation: Operation): OperationMeaning | undefined {
  const { method, path, successes } = operation;
  const [success] = successes;
  const found = facts.answered.get(operation);
  const resource = found?.resource;
  if (!success || successes.length !== 1 || !resource || found.rest.length > 0) return undefined;
  const takesList = operation.body?.list !== undefined;
  // One object or a list of such objects is created only if the response is of the same form, or a list.
  if (found.isList ? !takesList || found.key !== undefined : takesList !== (success.either !== undefined))
    return undefined;
  if (resource.isNested || !resource.isSingle || isCallers(operation)) return undefined;
  const wrapped = wrappedBody(facts.schemas, operation, resource);
  const body = wrapped?.isWhole ? wrapped : undefined;
  const keys = [...(body?.of.properties.keys() ?? [])];
  const isPure = keys.length > 0 && keys.every((key) => resource.schema.properties.has(key));
  const made = { resource, bodyIn: body?.key, body: body?.of };
  if (method === "get" && path === resource.item && success.code === "200") return { does: "read", ...made };
  if (method === "post" && path === resource.collection && success.code === "201" && keys.length > 0)
    return { does: "create", ...made };
  if (takesList) return undefined;
  const hasState = [...(body?.of.properties ?? [])].some(
    ([key, node]) => /(^|_)(state|status)$|(State|Status)$/.test(key) && facts.schemas.read(node).values,
  );
  if (method === "patch" && path === resource.item && success.code === "200" && isPure && !hasState)
    return { does: "update", ...made };
  return undefined;
}

export interface WrappedBody {
  /** The key that contains the fields. */
  readonly key: string | undefined;
  readonly of: Schema;
  /** Whether it has no alternatives with further keys. */
  readonly isWhole: boolean;
}

export function wrappedBody(
  schemas: Schemas,
  { body }: Operation,
  resource: Resource | undefined,
): WrappedBody | undefined {
  if (body?.schema === undefined) return undefined;
  const schema = schemas.read(body.schema);
  if (schema.properties.size === 0) return undefined;
  if (!resource || schema.union) return { key: undefined, of: schema, isWhole: !schema.union };
  const { key, of } = unwrapEnvelope(schemas, body.schema, false, resource.word);
  return key !== undefined && isIdentifierKey(key, resource.schema, resource.word)
    ? { key, of: schemas.read(of), isWhole: true }
    : { key: undefined, of: schema, isWhole: true };
}

/** Maximum depth of values within values that are compared. */
const comparedDepthMax = 6;

/** Whether two types accept the same values: those of an object need and bound the same members. */
export function isSameType(schemas: Schemas, a: Type, b: Type, depth = 0): boolean {
  if (a.kind === "value" && b.kind === "value") {
    if (a.schema.identity === b.schema.identity || depth > comparedDepthMax) return true;
    const [mine, others] = [a.schema, b.schema];
    return (
      mine.properties.size === others.properties.size &&
      [...mine.properties].every(([key, node]) => {
        const other = others.properties.get(key);
        if (other === undefined || mine.required.has(key) !== others.required.has(key)) return false;
        const [type, otherType] = [schemas.type(node), schemas.type(other)];
        return (
          isSameType(schemas, type, otherType, depth + 1) &&
          areBoundsAlike(schemas, node, type, other, otherType)
        );
      })
    );
  }
  if ((a.kind === "list" && b.kind === "list") || (a.kind === "map" && b.kind === "map"))
    return isSameType(schemas, a.of, b.of, depth);
  return typeText(a) === typeText(b);
}

function areBoundsAlike(schemas: Schemas, a: unknown, typeOfA: Type, b: unknown, typeOfB: Type): boolean {
  const rules = (node: unknown, type: Type) => boundsOf(schemas.read(node), type).rules.join();
  return rules(a, typeOfA) === rules(b, typeOfB) && schemas.read(a).nullable === schemas.read(b).nullable;
}

/** A text that equal types share. Values have only the names of their members. */
export function typeText(type: Type): string {
  switch (type.kind) {
    case "plain":
      return type.text;
    case "choice":
      return `one of ${type.values.join(", ")}`;
    case "value":
      return `value of ${[...type.schema.properties.keys()].toSorted().join(", ")}`;
    case "several":
      return type.of.map(typeText).join(" or ");
    default:
      return `${type.kind} of ${typeText(type.of)}`;
  }
}

/** Conditions of a status by its usual reason phrases. */
const usual: readonly (readonly [status: string, condition: string, words: RegExp])[] = [
  ["401", "unauthenticated", /./],
  ["405", "method not allowed", /^\W*(the )?method (is |was )?not allowed\W*$/i],
  ["406", "not acceptable", /accept/i],
  ["412", "precondition failed", /if-(none-)?match|^precondition failed\W*$|precondition was not met/i],
  ["413", "too large", /too large/i],
  ["415", "unsupported media type", /media type/i],
  ["428", "precondition required", /precondition/i],
  ["429", "rate limited", /./],
  ["500", "internal", /^.{0,40}(internal|server error).{0,20}$/i],
];

const notAboutRecords =
  /not found if|enabled|disabled|public|starred|merged|member|subscribe|watermark|collaborations|integration|trash/i;

/** The condition of part 7 for each status that operations return. */
export function conditionsOf(operations: readonly Operation[]): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { path, answers } of operations) {
    for (const { code, description } of answers) {
      const condition = usualCondition(code, description) ?? missing(code, path, description);
      if (condition !== undefined) found.set(code, condition);
    }
  }
  return new Map([...found].toSorted(([a], [b]) => a.localeCompare(b)));
}

function usualCondition(code: string, description: string): string | undefined {
  const row = usual.find(([status]) => status === code);
  if (!row?.[2].test(description)) return undefined;
  const isConditional = /\b(if|when)\b/i.test(description) && !["412", "429", "401"].includes(code);
  return isConditional ? undefined : row[1];
}

function missing(code: string, path: string, description: string): string | undefined {
  const saysNotFound = /not (be )?found|does(n't| not) exist|no such/i.test(description);
  return code === "404" && path.includes("{") && saysNotFound && !notAboutRecords.test(description)
    ? "not found"
    : undefined;
}
