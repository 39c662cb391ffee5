/**
 * A record as an operator sees it. It has all fields except hidden ones (`internal`, `write-only`,
 * passwords, credentials, `shown once`). Computed fields are included, times have full precision,
 * references have identifier and label. One statement of the store produces it, so that a page
 * costs as much as in the document's own lists.
 */
import type { MapEntry, Node } from "../../expressions/node.ts";
import { type Type, types } from "../../expressions/type.ts";
import { hasRule } from "../../fields/rule.ts";
import { expressionType } from "../../fields/type.ts";
import type { Field, Resource } from "../../model/model.ts";
import type { ShapedRow, WireForm } from "../../store/store.ts";
import type { Json } from "../../support/json.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import { isHidden } from "../records/hidden-fields.ts";
import { identifierText } from "./identifier.ts";

export interface OperatorRecord {
  /** The identifier as one text, as in addresses. */
  readonly id: string;
  /** A number that grows with each created record of the resource, and is never used again. */
  readonly row: number;
  /** A change must send it. If the record has another revision by then, the change is rejected. */
  readonly revision: number;
  /** The record is soft-deleted. */
  readonly deleted: boolean;
  readonly fields: Readonly<Record<string, Json>>;
  /** For reference fields: the record that they refer to. */
  readonly references: Readonly<Record<string, OperatorReference>>;
  /** Names of the fields whose values are truncated to a text. */
  readonly cut: readonly string[];
}

export interface OperatorReference {
  readonly resource: string;
  readonly id: string;
  readonly label: string | null;
}

/** The format of values for operators, independent of the document's formats. */
export const operatorForm: WireForm = { timestamps: "milliseconds", nulls: true };

/** Resources with an identifier and without a gap. */
export function storedResources(resources: readonly Resource[]): readonly Resource[] {
  return resources.filter((resource) => resource.identifier.kind !== "none" && !resource.gap);
}

/** The fields that operators see. */
export const operatorFields = memoizeBy((resource: Resource): readonly Field[] =>
  resource.fields.filter((field) => !isHidden(field)),
);

/**
 * The label of a record besides its identifier: the first unique text, or else the first required
 * text. Without either there is no label, because a guess might be misleading.
 */
export const labelFieldOf = memoizeBy((resource: Resource): Field | undefined => {
  const { identifier } = resource;
  const texts = operatorFields(resource).filter(
    ({ name, type, role, rules }) =>
      (type.kind === "string" || type.kind === "email") &&
      role === "plain" &&
      !hasRule(rules, "computed") &&
      !(identifier.kind === "given" && identifier.field === name) &&
      !(identifier.kind === "joint" && identifier.fields.includes(name)),
  );
  return (
    texts.find(({ rules }) => hasRule(rules, "unique")) ??
    texts.find(({ rules }) => hasRule(rules, "required"))
  );
});

const anyMap: Type = { kind: "map", of: types.any };

/** The expression that gives a `SerializedRecord` of `this`. */
export function operatorNode(context: PlanContext, plan: ResourcePlan): Node {
  const { resource, name } = plan;
  const self = thisOf(name);
  const fields = operatorFields(resource);
  const labels = fields.flatMap((field): readonly MapEntry[] => {
    const label = labelFieldOfReference(context, field);
    const of = fieldNode(self, field.name, expressionType(field.type));
    return label ? [entry(field.name, fieldNode(of, label.name, expressionType(label.type)))] : [];
  });
  return mapNode([
    entry("id", self),
    entry(
      "deleted",
      resource.deleted === "marked"
        ? fieldNode(self, "#deleted", types.boolean)
        : { op: "literal", value: false, type: types.boolean },
    ),
    entry("fields", operatorFieldsNode(plan)),
    entry("labels", mapNode(labels)),
  ]);
}

export function operatorFieldsNode({ resource, name }: ResourcePlan): Node {
  const self = thisOf(name);
  return mapNode(
    operatorFields(resource).map((field) =>
      entry(field.name, fieldNode(self, field.name, expressionType(field.type))),
    ),
  );
}

function labelFieldOfReference(context: PlanContext, { type }: Field): Field | undefined {
  return type.kind === "reference" ? labelFieldOf(context.resource(type.resource).resource) : undefined;
}

function entry(key: string, value: Node): MapEntry {
  return { key, optional: false, value };
}

function mapNode(entries: readonly MapEntry[]): Node {
  return { op: "map", entries, type: anyMap };
}

interface SerializedRecord {
  readonly id: Json;
  readonly deleted: boolean | null;
  readonly fields: Readonly<Record<string, Json>>;
  readonly labels: Readonly<Record<string, string | null>>;
}

/**
 * Unpacks a row.
 * @param cellMax the maximum length of a value, in UTF-16 units; without it, no value is truncated
 */
export function toOperatorRecord(plan: ResourcePlan, row: ShapedRow, cellMax?: number): OperatorRecord {
  const { id, deleted, fields, labels } = JSON.parse(row.json) as SerializedRecord;
  const cut: string[] = [];
  const cells = Object.entries(fields).map(([name, value]): [string, Json] => {
    const short = cellMax === undefined ? undefined : cutValue(value, cellMax);
    if (short !== undefined) cut.push(name);
    return [name, short ?? value];
  });
  const references = operatorFields(plan.resource).flatMap(
    ({ name, type }): [string, OperatorReference][] => {
      if (type.kind !== "reference") return [];
      const referencedId = identifierText(fields[name] ?? null);
      if (referencedId === null) return [];
      return [
        [
          name,
          {
            resource: type.resource,
            id: referencedId,
            label: Object.hasOwn(labels, name) ? (labels[name] ?? null) : null,
          },
        ],
      ];
    },
  );
  return {
    id: identifierText(id) ?? "",
    row: row.row,
    revision: row.revision,
    deleted: deleted === true,
    fields: Object.fromEntries(cells),
    references: Object.fromEntries(references),
    cut,
  };
}

/** Returns the start of a value that is too long for a cell; undefined for a shorter value. */
function cutValue(value: Json, lengthMax: number): string | undefined {
  if (value === null || typeof value === "number" || typeof value === "boolean") return undefined;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > lengthMax ? text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/, "") : undefined;
}
