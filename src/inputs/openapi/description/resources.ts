/**
 * Recognises resources in an OpenAPI description: a named schema that GET `…/{x}` returns and that
 * a list, create or update operation returns as well. One of its fields must match the parameter
 * and be called an identifier. A weaker match is proposed, not stated.
 */
import { normalizedName, singular } from "../../../support/alike-names.ts";
import { isRecord, type EnvelopeContent, unwrapEnvelope } from "./envelopes.ts";
import type { Operation } from "./operations.ts";
import type { Schema, Schemas, Type } from "./schemas.ts";
import { ownResource } from "./extensions.ts";
import { member, type Plain, textOf } from "./values.ts";

export interface Resource {
  readonly schema: Schema;
  readonly node: unknown;
  readonly name: string;
  /** The two paths: `/pets/{id}` and `/pets`. */
  readonly item: string;
  readonly collection: string;
  /** The word before the parameter. */
  readonly word: string;
  /** Whether its paths are below another record's path. */
  readonly isNested: boolean;
  /** Whether the schema is read at one address only. */
  readonly isSingle: boolean;
  readonly agreed: { readonly create: boolean; readonly update: boolean };
  /** The identifying field. Undefined if it isn't certain. */
  readonly identifier: string | undefined;
  /** Bodies from which fields get their rules. */
  readonly createBody: Schema | undefined;
  readonly updateBody: Schema | undefined;
}

interface Candidate extends Omit<Resource, "isSingle" | "identifier"> {
  readonly parameter: string;
  readonly read: Operation;
  readonly updates: readonly Operation[];
  readonly isCertain: boolean;
}

const itemPath = /^(.*)\/\{([^}/]+)\}(\.json)?$/;

export function wordsOf(path: string): readonly string[] {
  return path.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
}

/** @param named the schemas that the description names */
export function resourcesOf(
  schemas: Schemas,
  operations: readonly Operation[],
  named: Plain,
): readonly Resource[] {
  const byPath = Map.groupBy(operations, ({ path }) => path);
  const at = (path: string, method: string) =>
    byPath.get(path)?.find((operation) => operation.method === method);
  const candidates = new Map<object, Candidate[]>();
  for (const path of byPath.keys()) {
    const found = candidateAt(schemas, path, at);
    if (!found) continue;
    const { identity } = found.schema.record;
    candidates.set(identity, [...(candidates.get(identity) ?? []), found]);
  }
  const found = [...candidates.values()].flatMap((all) => {
    const [shortest] = all.toSorted((a, b) => a.item.split("/").length - b.item.split("/").length);
    const own = shortest && ownResource(shortest.schema);
    if (!shortest?.isCertain && !own) return [];
    const identifier = own?.identifier ?? identifierOf(schemas, shortest);
    if (identifier === undefined) return [];
    return [{ ...shortest, identifier, isSingle: all.length === 1 }];
  });
  return [...found, ...ownResources(schemas, named, found)];
}

/** Resources that an export of Ninefold states, without an address of their own. */
function ownResources(schemas: Schemas, named: Plain, found: readonly Resource[]): readonly Resource[] {
  return Object.entries(named).flatMap(([name, node]) => {
    // Other schemas are read only where operations use them.
    if (member(node, "x-ninefold-resource") === undefined) return [];
    const schema = schemas.read(node);
    const own = ownResource(schema);
    if (!own || found.some((resource) => resource.schema.record.identity === schema.record.identity))
      return [];
    return [
      {
        schema,
        node,
        name,
        item: `#/components/schemas/${name}`,
        collection: "",
        word: name,
        isNested: false,
        isSingle: true,
        agreed: { create: false, update: false },
        identifier: own.identifier,
        createBody: undefined,
        updateBody: undefined,
      },
    ];
  });
}

type At = (path: string, method: string) => Operation | undefined;

function candidateAt(schemas: Schemas, path: string, at: At): Candidate | undefined {
  const [, above = "", parameter = "", ending = ""] = itemPath.exec(path) ?? [];
  const read = at(path, "get");
  const answer = read?.successes[0]?.schema;
  if (!read || answer === undefined || parameter === "") return undefined;
  const words = wordsOf(above);
  const word = words.at(-1) ?? "";
  const { isList, of } = unwrapEnvelope(schemas, answer, undefined, word);
  const schema = schemas.read(of);
  if (!isRecord(schema) || schema.union) return undefined;
  const same = (unwrapped: EnvelopeContent) =>
    unwrapped.of !== undefined && schemas.read(unwrapped.of).record.identity === schema.record.identity;
  const collection = byEnding(above, ending, at);
  const answered = (operation: Operation | undefined, expectsList: boolean | undefined) =>
    unwrapEnvelope(schemas, answeredSchema(operation), expectsList, word);
  const list = answered(at(collection, "get"), true);
  const post = at(collection, "post");
  const updates = ["patch", "put", "post"].flatMap((method) => at(path, method) ?? []);
  const agreed = {
    create: same(answered(post, undefined)),
    update: updates.some((update) => same(answered(update, undefined))),
  };
  const inOwnKey = (node: unknown): Schema | undefined => bodyOf(schemas, node, schema, word);
  return {
    schema,
    node: of,
    name: schema.record.name ?? word,
    item: path,
    collection,
    word,
    isNested: above.includes("{"),
    agreed,
    createBody: inOwnKey(post?.body?.schema),
    updateBody: inOwnKey(updates[0]?.body?.schema),
    parameter,
    read,
    updates,
    isCertain:
      !isList && schema.name !== undefined && ((list.isList && same(list)) || agreed.create || agreed.update),
  };
}

/** What an operation returns. Of one object or a list, the object. */
export function answeredSchema(operation: Operation | undefined): unknown {
  const [success] = operation?.successes ?? [];
  return success?.either ?? success?.schema;
}

function byEnding(above: string, ending: string, at: At): string {
  return ["get", "post"].some((method) => at(above + ending, method)) ? above + ending : above;
}

/**
 * The fields that a body sends. A wrapper key is removed only if it has the resource's own name.
 */
function bodyOf(schemas: Schemas, node: unknown, of: Schema, word: string): Schema | undefined {
  if (node === undefined) return undefined;
  const body = schemas.read(node);
  if (body.union) return undefined;
  const { key, of: inner } = unwrapEnvelope(schemas, node, false, word);
  return key !== undefined && isIdentifierKey(key, of, word) ? schemas.read(inner) : body;
}

export function isIdentifierKey(key: string, of: Schema, word: string): boolean {
  if (of.properties.has(key)) return false;
  const low = normalizedName(key);
  return (
    low === normalizedName(of.name ?? "") ||
    low === normalizedName(word) ||
    low === normalizedName(singular(word))
  );
}

/** Two types with the same wire form. */
function fits(field: Type, parameter: Type): boolean {
  if (field.kind !== "plain" || parameter.kind !== "plain") return false;
  const isText = (name: string) => name === "string" || name === "uuid";
  return field.text === parameter.text || (isText(field.text) && isText(parameter.text));
}

function identifierOf(schemas: Schemas, found: Candidate): string | undefined {
  const { schema, parameter, read, word, updates } = found;
  const low = normalizedName(parameter);
  const keys = [...schema.properties.keys()];
  const own = [normalizedName(schema.name ?? word), normalizedName(singular(word))];
  const key =
    keys.find((key) => normalizedName(key) === low) ??
    keys.find((key) => own.some((name) => low === name + normalizedName(key)));
  const declared = read.parameters.find(
    (candidate) => candidate.in === "path" && candidate.name === parameter,
  );
  if (key === undefined || !declared) return undefined;
  if (!fits(schemas.type(schema.properties.get(key)), schemas.type(declared.schema))) return undefined;
  const description = (textOf(member(declared.node, "description")) ?? "").replace(
    /letters or|or more|or not/gi,
    "",
  );
  if (/\b(or|either)\b|latest|alias|`self`|@me/i.test(description)) return undefined;
  if (!isCalledIdentifier(key, own)) return undefined;
  const isChanged = updates.some((update) => {
    const sent =
      update.body?.schema === undefined ? undefined : schemas.read(update.body.schema).properties.get(key);
    return sent !== undefined && schemas.read(sent).own["readOnly"] !== true;
  });
  return isChanged ? undefined : key;
}

function isCalledIdentifier(key: string, own: readonly string[]): boolean {
  const low = normalizedName(key);
  if (/^(id|sid|uuid|guid)$/.test(low) || own.some((name) => low === `${name}id`)) return true;
  return /(id|sid|uuid)$/i.test(key) && !/(^|_)(paid|valid|void|grid)$/i.test(key);
}
