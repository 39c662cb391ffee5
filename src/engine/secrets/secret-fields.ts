/**
 * Secret fields of the model, as `Resource.field`. These are fields that the store keeps as a hash,
 * that responses never contain, by which a scheme finds callers, and that sign.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import { hasRule, isHidden, isShownOnce } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Field, Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";

export function isSecretType({ kind }: FieldType): boolean {
  return kind === "password" || kind === "credential";
}

function isSecretByRow({ type, rules }: Field): boolean {
  if (isSecretType(type) || isShownOnce(rules)) return true;
  return isHidden(rules) && !hasRule(rules, "internal") && mayHoldSecret(type);
}

/**
 * Whether a type can have a secret. References and embedded values that are write-only are data
 * that responses omit: the fields of a value state which of its parts are secret.
 */
function mayHoldSecret(type: FieldType): boolean {
  if (type.kind === "list" || type.kind === "map") return mayHoldSecret(type.of);
  return type.kind !== "reference" && type.kind !== "value";
}

export interface SecretFields {
  has(resource: string, field: string): boolean;
  /** All names of secret fields, of any resource. */
  readonly names: ReadonlySet<string>;
}

export const secretFieldsOf = memoizeBy((model: Model): SecretFields => {
  const keys = new Set<string>();
  const names = new Set<string>();
  const add = (resource: string, field: string) => {
    keys.add(`${resource}.${field}`);
    names.add(field);
  };
  for (const { name, fields } of model.resources)
    for (const field of fields) if (isSecretByRow(field)) add(name, field.name);
  for (const [resource, field] of foundBy(model)) add(resource, field);
  for (const node of signingNodes(model))
    for (const [resource, field] of fieldsIn(node)) add(resource, field);
  return { has: (resource, field) => keys.has(`${resource}.${field}`), names };
});

/**
 * The fields with which a caller authenticates. Of two fields, the first is a name if the second is
 * a secret.
 */
function foundBy({ authentication, resources }: Model): readonly (readonly [string, string])[] {
  return authentication.schemes.flatMap(({ credentials }) => {
    if (!credentials || credentials.fromClaim !== undefined) return [];
    const { resource, by } = credentials;
    const fields = resources.find(({ name }) => name === resource)?.fields ?? [];
    const hashed = by.filter((name) =>
      fields.some((field) => field.name === name && isSecretType(field.type)),
    );
    const secret = hashed.length > 0 ? hashed : by.length > 1 ? by.slice(1) : by;
    return secret.map((field) => [resource, field] as const);
  });
}

/** The expressions of keys: of webhooks' signatures, and of every `hmac`. */
function signingNodes(model: Model): readonly Node[] {
  const found: Node[] = model.events.signature ? [model.events.signature.secret.node] : [];
  const visit = (node: Node): void => {
    if (node.op === "call" && node.function === "hmac" && node.args[1]) found.push(node.args[1]);
    for (const part of partsOfNode(node)) visit(part);
  };
  for (const { expression } of expressionsIn(model)) visit(expression.node);
  return found;
}

/** The stored fields that a node reads, the last of each path. */
function fieldsIn(node: Node): readonly (readonly [string, string])[] {
  if (node.op === "field" && node.of.type.kind === "record") return [[node.of.type.resource, node.name]];
  return partsOfNode(node).flatMap(fieldsIn);
}
