/**
 * Where secrets stand in the requests to an endpoint and in its answers, as the model knows it: credentials where schemes place them,
 * inputs that are passwords or credentials or set a secret field, fields that are shown once, tokens that are made. Names are enough, at
 * whatever depth: what is hidden too much can be looked up by whoever made it, what is shown too much is gone.
 */
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { isShownOnce } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Field, Model } from "../../model/model.ts";

export interface SecretPlaces {
  /** Of the body, the query or the headers of a request to it. */
  isSecretInput(name: string): boolean;
  /** Of an answer of it. */
  isSecretOutput(name: string): boolean;
  /** Whether any answer of it may hold a secret, so that it is worth looking through. */
  readonly tellsSecrets: boolean;
}

/** What names alone give away, where the document knows nothing of them: a caller who sends more than is asked for. */
const telling = /authorization|cookie|api[-_]?key|token|secret|passw|signature/i;

export function isTellingName(name: string): boolean {
  return telling.test(name);
}

export function planSecretPlaces(model: Model, meaning: Meaning): (endpoint: Endpoint) => SecretPlaces {
  const known = namesKnown(model);
  const older = olderNames(model);
  const withOlder = (names: Iterable<string>) =>
    new Set([...names].flatMap((name) => [name, ...(older.get(name) ?? [])]));
  return (endpoint) => {
    const fields = model.resources.find(({ name }) => name === endpoint.resource)?.fields ?? [];
    const inputs = withOlder(
      endpoint.inputs.flatMap(({ name, type, sets }) => {
        const set = fields.find((field) => field.name === sets);
        const isSecret = isSecretType(type) || (set !== undefined && isSecretField(set));
        return isSecret ? [name.at(-1) as string] : [...secretsWithin(model, type)];
      }),
    );
    const outputs = withOlder(outputsOf(endpoint, model, meaning));
    return {
      // Where a secret is asked for, what nobody asks for may be that secret under a mistyped name.
      isSecretInput: (name) =>
        inputs.has(name) || isTellingName(name) || (inputs.size > 0 && !known.has(name)),
      isSecretOutput: (name) => outputs.has(name),
      tellsSecrets: outputs.size > 0,
    };
  };
}

function isSecretType({ kind }: FieldType): boolean {
  return kind === "password" || kind === "credential";
}

function isSecretField({ type, rules }: Field): boolean {
  return isSecretType(type) || isShownOnce(rules);
}

/** Names of the secret fields of the values that an input takes. */
function secretsWithin(
  model: Model,
  type: FieldType,
  seen: ReadonlySet<string> = new Set(),
): readonly string[] {
  if (type.kind === "list" || type.kind === "map") return secretsWithin(model, type.of, seen);
  if (type.kind !== "value" || seen.has(type.resource)) return [];
  const fields = model.resources.find(({ name }) => name === type.resource)?.fields ?? [];
  const within = new Set([...seen, type.resource]);
  return fields.flatMap((field) =>
    isSecretField(field) ? [field.name] : secretsWithin(model, field.type, within),
  );
}

/** The keys of an endpoint's answers under which a secret may stand. */
function outputsOf({ returns }: Endpoint, model: Model, meaning: Meaning): ReadonlySet<string> {
  const keys = new Set<string>();
  const seen = new Set<string>();
  const body = (name: string, node: Node | undefined) => {
    if (!node || seen.has(name)) return;
    seen.add(name);
    visit(node);
  };
  const visit = (node: Node): void => {
    if (node.op === "shape") body(`shape ${node.shape}`, meaning.shapeBody(node.shape));
    if (node.op === "standing" && !seen.has(`standing ${node.resource}`)) {
      seen.add(`standing ${node.resource}`);
      for (const field of model.resources.find(({ name }) => name === node.resource)?.fields ?? [])
        if (
          isSecretField(field) ||
          isSecretValue(meaning.computed(node.resource, field.name), model, meaning)
        )
          keys.add(field.name);
    }
    if (node.op === "map")
      for (const { key, value } of node.entries) if (isSecretValue(value, model, meaning)) keys.add(key);
    for (const part of partsOfNode(node)) visit(part);
  };
  for (const one of returns) {
    if (one.kind === "expression") visit(one.body.node);
    if (one.kind === "list" || one.kind === "page") visit(one.item.node);
    if (one.kind === "page") visit(one.page.node);
  }
  return keys;
}

/** Whether a value is made of a secret. What has keys of its own is gone into by its keys. */
function isSecretValue(node: Node | undefined, model: Model, meaning: Meaning): boolean {
  if (!node || node.op === "map" || node.op === "shape" || node.op === "standing") return false;
  if (node.op === "call" && node.function === "token") return true;
  if (node.op === "field" && node.of.type.kind === "record") {
    const { resource } = node.of.type;
    const field = model.resources
      .find(({ name }) => name === resource)
      ?.fields.find(({ name }) => name === node.name);
    if (field && isSecretField(field)) return true;
    const computed = meaning.computed(resource, node.name);
    if (computed && isSecretValue(computed, model, meaning)) return true;
  }
  return partsOfNode(node).some((part) => isSecretValue(part, model, meaning));
}

/** Every name that the document gives to an input or a field, in any version. */
function namesKnown(model: Model): ReadonlySet<string> {
  const fields = model.resources.flatMap((resource) => resource.fields.map(({ name }) => name));
  const inputs = model.endpoints.flatMap((endpoint) => [
    ...endpoint.inputs.flatMap(({ name }) => name),
    ...(endpoint.bodyIn === undefined ? [] : [endpoint.bodyIn]),
  ]);
  return new Set([...fields, ...inputs, ...[...olderNames(model).values()].flat()]);
}

/** What things of now were called before. */
function olderNames({ versioning }: Model): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>();
  for (const { changes } of versioning.versions)
    for (const change of changes)
      if (change.kind === "renamed") names.set(change.to, [...(names.get(change.to) ?? []), change.from]);
  return names;
}
