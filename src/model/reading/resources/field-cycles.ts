/**
 * Field cycles: computed fields that read each other, across resources too, and values of a new
 * record that wait for each other. Both are reported, and removed from the model, so that no later
 * step runs in a cycle.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import type { Expression, Node } from "../../../expressions/node.ts";
import { ruleOf } from "../../../fields/rule.ts";
import type { Field, Resource } from "../../model.ts";
import { cyclesIn } from "../../../support/cycles.ts";
import { nodesWithin } from "../../../expressions/analysis/nodes-within.ts";

export function breakCycles(resources: readonly Resource[], reporter: Reporter): readonly Resource[] {
  const computed = computedFields(resources);
  const edges = new Map([...computed].map(([name, { node }]) => [name, computedReads(node, computed)]));
  const circles = cyclesIn(edges);
  for (const circle of circles) {
    const expression = nonNull(computed.get(circle[0]));
    reporter.report("resources/computed-circle", expression.position, { circle });
  }
  const broken = new Set(circles.map((circle) => circle[0]));
  const sound =
    broken.size === 0 ? resources : resources.map((resource) => withoutComputed(resource, broken));
  return sound.map((resource) => withoutFillCircles(resource, computed, broken, reporter));
}

function computedFields(resources: readonly Resource[]): ReadonlyMap<string, Expression> {
  const found = new Map<string, Expression>();
  for (const resource of resources) {
    for (const field of resource.fields) {
      const rule = ruleOf(field.rules, "computed");
      if (rule) found.set(`${resource.name}.${field.name}`, rule.value);
    }
  }
  return found;
}

function computedReads(root: Node, computed: ReadonlyMap<string, Expression>): ReadonlySet<string> {
  const reads = new Set<string>();
  for (const node of nodesWithin(root)) {
    if (node.op === "field" && "resource" in node.of.type) reads.add(`${node.of.type.resource}.${node.name}`);
    // The default representation has every readable field.
    if (node.op === "representation")
      for (const name of computed.keys()) if (name.startsWith(`${node.resource}.`)) reads.add(name);
  }
  return new Set([...reads].filter((name) => computed.has(name)));
}

function withoutComputed(resource: Resource, broken: ReadonlySet<string>): Resource {
  const fields = resource.fields.map((field) =>
    broken.has(`${resource.name}.${field.name}`)
      ? { ...field, rules: field.rules.filter((rule) => rule.rule !== "computed") }
      : field,
  );
  return { ...resource, fields };
}

/** Part 2: a field that the service sets gets its value after the fields that its expression names. */
function withoutFillCircles(
  resource: Resource,
  computed: ReadonlyMap<string, Expression>,
  broken: ReadonlySet<string>,
  reporter: Reporter,
): Resource {
  const fills = fillsOf(resource);
  const edges = new Map(
    [...fills].map(([name, expressions]) => [
      name,
      fillReads(resource, expressions, fills, computed, broken),
    ]),
  );
  const circles = cyclesIn(edges);
  if (circles.length === 0) return resource;
  for (const circle of circles) {
    const [first] = fills.get(circle[0]) as readonly Expression[];
    reporter.report("resources/fill-circle", (first as Expression).position, {
      circle,
      resource: resource.name,
    });
  }
  const unfilled = new Set(circles.map((circle) => circle[0]));
  return {
    ...resource,
    fields: resource.fields.map((field) => (unfilled.has(field.name) ? withoutFill(field) : field)),
  };
}

function withoutFill(field: Field): Field {
  return { ...field, rules: field.rules.filter(({ rule }) => rule !== "default" && rule !== "on create") };
}

/** The expressions that set each field of a new record. */
function fillsOf(resource: Resource): ReadonlyMap<string, readonly Expression[]> {
  const fills = new Map<string, Expression[]>();
  const add = (field: string, expression: Expression | undefined): void => {
    if (expression) fills.set(field, [...(fills.get(field) ?? []), expression]);
  };
  if (resource.identifier.kind === "made") add(resource.identifier.field, resource.identifier.by);
  for (const field of resource.fields) {
    add(field.name, ruleOf(field.rules, "default")?.value);
    add(field.name, ruleOf(field.rules, "on create")?.value);
  }
  if (resource.states?.field !== undefined) add(resource.states.field, resource.states.initial);
  return fills;
}

/** The fields of `this` set by the service that expressions read, also through computed fields. */
function fillReads(
  resource: Resource,
  expressions: readonly Expression[],
  fills: ReadonlyMap<string, unknown>,
  computed: ReadonlyMap<string, Expression>,
  broken: ReadonlySet<string>,
): ReadonlySet<string> {
  const reads = new Set<string>();
  const followed = new Set<string>();
  const open = expressions.map((expression) => expression.node);
  for (let root = open.pop(); root; root = open.pop()) {
    for (const node of nodesWithin(root)) {
      if (node.op !== "field" || node.of.op !== "fixed" || node.of.name !== "this") continue;
      if (fills.has(node.name)) reads.add(node.name);
      const name = `${resource.name}.${node.name}`;
      const behind = computed.get(name);
      if (behind && !broken.has(name) && !followed.has(name)) open.push(behind.node);
      followed.add(name);
    }
  }
  return reads;
}
