/**
 * Part 4, `upsert`: the next request must find the record that it creates. Otherwise each
 * repetition creates another record.
 */
import type { Node } from "../../expressions/node.ts";
import { conjuncts, someNode } from "../../expressions/nodes.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Effect, Endpoint, Field, Resource } from "../../model/model.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const upsertNotFoundAgain = ofEndpoints((endpoint, reporter, model) => {
  const { does, where, gap } = endpoint;
  const upsert = does.find(({ kind }) => kind === "upsert");
  const resource = model.resources.find(({ name }) => name === endpoint.resource);
  if (!upsert || !resource || resource.gap || gap) return;
  const given = givenFields(endpoint, resource);
  if (
    where.length === 0 &&
    !isPicked(endpoint) &&
    !keysOf(resource).some((key) => key.every((key) => given.has(key)))
  )
    reporter.report("endpoints/upsert-finds-nothing", upsert.position, { resource: resource.name });
  for (const { node, position } of where)
    for (const { field, value } of conjuncts(node).flatMap((conjunct) => compared(conjunct) ?? [])) {
      const row = resource.fields.find(({ name }) => name === field);
      if (!row || given.has(field) || isFilled(row)) continue;
      reporter.report("endpoints/upsert-not-found-again", position, {
        resource: resource.name,
        field,
        value: textOf(value),
      });
    }
});

/** Fields of a new record that the request, the endpoint or a transition gives. */
function givenFields({ inputs, set, effects, scope }: Endpoint, { states }: Resource): ReadonlySet<string> {
  const ofTransitions = (states?.transitions ?? []).flatMap(({ ends }) => ends.flatMap((end) => end.effects));
  const fieldOf = (effect: Effect) => (effect.kind === "assign" ? [effect.field] : []);
  return new Set([
    ...inputs.flatMap(({ sets }) => sets ?? []),
    ...[...set, ...effects, ...ofTransitions].flatMap(fieldOf),
    ...(scope ? [scope.field] : []),
  ]);
}

/** Whether the path identifies the record. */
function isPicked({ records, resource, path }: Endpoint): boolean {
  return records.some((record) => record.resource === resource && record.path === path.text);
}

/**
 * The fields that find a record without a `Where`: the identifier, and `unique` fields, alone or together. If this is
 * unknown, no field is missing.
 */
function keysOf({ fields, unique, openItems }: Resource): readonly (readonly string[])[] {
  if (openItems?.unique) return [[]];
  const single = fields.flatMap(({ name, rules }) => (hasRule(rules, "unique") ? [[name]] : []));
  const identifier = fields.flatMap(({ name, role }) => (role === "identifier" ? [name] : []));
  return [identifier, ...single, ...unique.map((unique) => unique.fields)];
}

/** Whether the field has a value of its own. A generated identifier doesn't count, because no request can know it in advance. */
function isFilled({ rules, role, open }: Field): boolean {
  if (role !== "plain") return role === "state";
  return (
    open !== undefined ||
    hasRule(rules, "default") ||
    hasRule(rules, "on create") ||
    hasRule(rules, "computed")
  );
}

/** `this.slug == query.slug`: the field, and what it must equal. */
function compared(node: Node): { readonly field: string; readonly value: Node } | undefined {
  if (node.op !== "binary" || node.operator !== "==") return undefined;
  for (const [own, value] of [
    [node.left, node.right],
    [node.right, node.left],
  ] as const) {
    const field = fieldOfThis(own);
    const isAbsent = value.op === "literal" && value.value === null;
    if (field !== undefined && !isAbsent && !someNode(value, isThis)) return { field, value };
  }
  return undefined;
}

/** The field of `this` at the start of an access chain. */
function fieldOfThis(node: Node): string | undefined {
  if (node.op !== "field") return undefined;
  return isThis(node.of) ? node.name : fieldOfThis(node.of);
}

function isThis(node: Node): boolean {
  return node.op === "fixed" && node.name === "this";
}

/** The simplest assignment to write after `Set`. */
function textOf(node: Node): string {
  if (node.op === "literal") return JSON.stringify(node.value);
  if (node.op === "fixed" || node.op === "named") return node.name;
  if (node.op === "field") return `${textOf(node.of)}.${node.name}`;
  return "…";
}
