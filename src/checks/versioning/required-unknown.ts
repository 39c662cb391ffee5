/**
 * Part 9, `Added`: callers of an older version can't send an unknown input, so nothing may require
 * it of them.
 */
import { hasRule, ruleOf } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, Model, Version, VersionChange } from "../../model/model.ts";
import { newestFirst } from "../../model/versions/version-order.ts";
import {
  changesSince,
  concernsInput,
  isEndpoint,
  pathOf,
  touchedResources,
  valuesWithin,
} from "../../model/versions/changes.ts";
import { versionHasEndpoint } from "../../model/versions/version-endpoints.ts";
import { inputsBefore, versionedResource } from "../../model/versions/versioned-inputs.ts";
import type { Check } from "../check.ts";

type Added = Extract<VersionChange, { kind: "added" }> & VersionChange;

export const requiredUnknown: Check = (model, reporter) => {
  const reported = new Set<VersionChange>();
  const living = newestFirst(model.versioning.versions).filter(({ status }) => status !== "retired");
  for (const version of living)
    for (const endpoint of model.endpoints) {
      if (!versionHasEndpoint(model, version, endpoint)) continue;
      for (const added of unknownTo(model, version, endpoint)) {
        if (reported.has(added)) continue;
        reported.add(added);
        reporter.report(
          "versioning/required-unknown",
          added.position,
          {
            version: version.name,
            name: `${added.subject}.${added.name}`,
            endpoint: `${endpoint.method} ${endpoint.path.text}`,
          },
          [{ position: endpoint.position, message: "It is required here." }],
        );
      }
    }
};

/** The inputs that an endpoint requires and that were added after a version. */
function unknownTo(model: Model, version: Version, endpoint: Endpoint): readonly Added[] {
  const changes = changesSince(model, version);
  let { inputs } = endpoint;
  return changes.flatMap((change, at) => {
    const known = inputs;
    inputs = inputsBefore(change, endpoint, inputs);
    if (change.kind !== "added") return [];
    const isRequired = known.some(
      (input) =>
        !isMade(input, endpoint, changes) && requires(input, change, endpoint, model, changes.slice(0, at)),
    );
    return isRequired ? [change] : [];
  });
}

/** Whether an expression of part 9 computes the input, or an object with it, from what older clients send. */
function isMade(
  { name, in: location }: Input,
  endpoint: Endpoint,
  changes: readonly VersionChange[],
): boolean {
  const isOutside = (path: readonly string[]) => path.every((part, at) => part === name[at]);
  return changes.some((change) =>
    change.kind === "removed input"
      ? isEndpoint(change.endpoint, endpoint) && change.as?.input === name.join(".")
      : change.kind === "replaced" &&
        concernsInput(change, endpoint, { in: location }) &&
        isOutside(pathOf(change.name)),
  );
}

/** @param newer changes in versions after those of the input and of the change */
function requires(
  input: Input,
  change: Added,
  endpoint: Endpoint,
  model: Model,
  newer: readonly VersionChange[],
): boolean {
  const path = pathOf(change.name);
  if (concernsInput(change, endpoint, input) && path.every((part, at) => (input.name[at] ?? part) === part)) {
    if (path.length <= input.name.length)
      return input.default === undefined && (input.required || input.requiredWhenMade === true);
    return isNeeded(partAt(input.type, path.slice(input.name.length)));
  }
  const touched = touchedResources(model, [change]);
  const value = model.resources.find((resource) => resource.name === change.subject);
  if (!value || !valuesWithin(input.type).some((value) => touched.has(value))) return false;
  const [first, ...rest] = path;
  const field = versionedResource(value, newer).fields.find((field) => field.name === first);
  return isNeeded(field && (rest.length === 0 ? field : partAt(field.type, rest)));
}

/** The part of an object, also through lists and maps. */
function partAt(type: FieldType, path: readonly string[]): FieldPart | undefined {
  if (type.kind === "list" || type.kind === "map") return partAt(type.of, path);
  if (type.kind !== "object") return undefined;
  const [first, ...rest] = path;
  const part = type.parts.find(({ name }) => name === first);
  return part && rest.length > 0 ? partAt(part.type, rest) : part;
}

function isNeeded(part: FieldPart | undefined): boolean {
  return part !== undefined && hasRule(part.rules, "required") && !ruleOf(part.rules, "default");
}
