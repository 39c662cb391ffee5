/**
 * Names on the wire (`sent as`): renames the sent inputs to the names of the request's version,
 * before they are upgraded to the current version.
 */
import type { Value } from "../../expressions/value.ts";
import { sentName } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint, Model, VersionChange } from "../../model/model.ts";
import { nameOnWire, versionedInputs, versionedResource } from "../../model/versions/versioned-inputs.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { Step, UpgradeState } from "./step.ts";
import { changeAt, moveValues, type Values } from "./values-by-path.ts";

/** @param changes the changes since the version of the request */
export function namingSteps(
  { resources }: Model,
  endpoint: Endpoint,
  changes: readonly VersionChange[],
): readonly Step[] {
  const values = new Map<string, readonly FieldPart[]>();
  const partsOfValue = (name: string): readonly FieldPart[] => {
    const found = resources.find((resource) => resource.name === name);
    const parts = values.get(name) ?? (found ? versionedResource(found, changes).fields : []);
    values.set(name, parts);
    return parts;
  };
  return versionedInputs(endpoint, changes).flatMap((input): Step[] => {
    const { in: place, name, type } = input;
    if (place !== "body" && place !== "query") return [];
    const sent = nameOnWire(input);
    return [
      ...(sent === name ? [] : [(upgrading: UpgradeState) => moveValues(upgrading[place], sent, name)]),
      ...(hasNames(type, partsOfValue)
        ? [
            (upgrading: UpgradeState) =>
              changeAt(upgrading[place], name, (value) => withNames(value, type, partsOfValue)),
          ]
        : []),
    ];
  });
}

type PartsOfValue = (resource: string) => readonly FieldPart[];

function partsIn(type: FieldType, partsOfValue: PartsOfValue): readonly FieldPart[] | undefined {
  if (type.kind === "object") return type.parts;
  return type.kind === "value" ? partsOfValue(type.resource) : undefined;
}

/** Whether a part of a value has a name on the wire. A type may contain itself. */
function hasNames(
  type: FieldType,
  partsOfValue: PartsOfValue,
  outer: ReadonlySet<string> = new Set(),
): boolean {
  if (type.kind === "list" || type.kind === "map") return hasNames(type.of, partsOfValue, outer);
  if (type.kind === "value" && outer.has(type.resource)) return false;
  const inside = type.kind === "value" ? new Set([...outer, type.resource]) : outer;
  return (partsIn(type, partsOfValue) ?? []).some(
    (part) => sentName(part.rules) !== undefined || hasNames(part.type, partsOfValue, inside),
  );
}

function withNames(value: Value, type: FieldType, partsOfValue: PartsOfValue): Value {
  if (value === null || typeof value !== "object") return value;
  if (type.kind === "list")
    return Array.isArray(value) ? value.map((item) => withNames(item, type.of, partsOfValue)) : value;
  const members = value as Values;
  const named = bareObject<Values>();
  if (type.kind === "map") {
    for (const [key, member] of Object.entries(members))
      named[key] = withNames(member, type.of, partsOfValue);
    return named;
  }
  const parts = partsIn(type, partsOfValue);
  if (!parts) return value;
  for (const part of parts) {
    const found = members[sentName(part.rules) ?? part.name];
    if (found !== undefined) named[part.name] = withNames(found, part.type, partsOfValue);
  }
  return named;
}
