/**
 * Missing inputs of an older version: inputs that the current version requires, that the older
 * version lacks, and that no upgrade supplies.
 */
import type { Endpoint, VersionChange } from "../../model/model.ts";
import { isEndpoint } from "../../model/versions/changes.ts";
import type { VersionView } from "../evaluation/view.ts";
import { valueAt } from "./values-by-path.ts";
import type { Step } from "./step.ts";

/**
 * Creates the steps that report a required input that the version lacks and no upgrade supplied.
 * They report the inputs of the upgrade, or the input itself.
 */
export function planMissingInputs(
  endpoint: Endpoint,
  { changes, endpoint: negotiatedEndpoint, unknownDefault }: VersionView,
): Step[] {
  const known = new Set(negotiatedEndpoint(endpoint).inputs.map(({ position }) => position));
  return endpoint.inputs.flatMap(({ in: location, name, position, required, ...input }): Step[] => {
    if (location === "path") return [];
    const isGiven = input.default ?? unknownDefault(endpoint.resource, name);
    if (!required || isGiven || known.has(position)) return [];
    const madeOf = changes.find(
      (change) =>
        change.kind === "removed input" &&
        isEndpoint(change.endpoint, endpoint) &&
        change.as?.input === name.join("."),
    );
    const field =
      madeOf?.kind === "removed input"
        ? oldestName(changes.slice(changes.indexOf(madeOf)), endpoint, madeOf.input)
        : name.join(".");
    return [
      (upgrading) => {
        const { problems } = upgrading;
        // Upgrades never produce headers.
        const isMade = location !== "header" && valueAt(upgrading[location], name) !== undefined;
        if (!isMade && !problems.some((problem) => problem.field === field))
          problems.push({ condition: "missing field", field, problem: "is required" });
      },
    ];
  });
}

/**
 * Returns the name of an input in the oldest of the given versions, which are listed newest first.
 */
export function oldestName(older: readonly VersionChange[], { resource }: Endpoint, input: string): string {
  return older.reduce(
    (name, versionChange) =>
      versionChange.kind === "renamed" && versionChange.subject === resource && versionChange.to === name
        ? versionChange.from
        : name,
    input,
  );
}
