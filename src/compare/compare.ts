/**
 * Document comparison: the changes of a new document for the callers and receivers of a service,
 * per version, with the line, the clients concerned, and what to write in part 9. Each version that
 * the old document serves is compared on the wire with the same version of the new one. What all
 * versions share (access, rejections, actions) is compared in the model.
 */
import type { Model, VersioningPart } from "../model/model.ts";
import { defaultVersion } from "../model/versions/version-order.ts";
import { wireOf } from "../outputs/wire/build-wire.ts";
import type { Wire, WireVersion } from "../outputs/wire/wire.ts";
import { report } from "./aspects.ts";
import { type Difference, Differences } from "./difference.ts";
import { compareEndpoints, compareEndpointsPart } from "./endpoints.ts";
import { withNewNames, sameMeaning } from "./meaning.ts";
import { compareOperations } from "./operations.ts";
import { compareResources } from "./resources.ts";
import { compareAuthentication, compareErrors, compareEvents, compareLimits } from "./service.ts";
import { SchemaComparison } from "./schemas.ts";
import { subjectOfEvent } from "./places.ts";

/**
 * @param before the document that is served
 * @param after the document that replaces it; neither has errors
 * @returns the most severe differences first
 */
export function compareDocuments(before: Model, after: Model): readonly Difference[] {
  const differences = new Differences();
  compareVersions(before, after, differences);
  const old = withNewNames(before, after);
  compareEndpointsPart(old, after, differences);
  compareEndpoints(old, after, differences);
  compareResources(old, after, differences);
  compareAuthentication(old, after, differences);
  compareEvents(old, after, differences);
  compareErrors(old, after, differences);
  compareLimits(old, after, differences);
  return differences.all();
}

function compareVersions(before: Model, after: Model, differences: Differences): void {
  const old = wireOf(before);
  const now = wireOf(after);
  if (old.versions.length === 0) {
    // Callers who never named a version get the default version.
    const fallback = now.versions.length === 0 ? undefined : defaultVersion(after.versioning);
    if (now.versions.length > 0 && fallback === undefined)
      report(
        differences,
        { subject: "part 9", position: positionOf(now) },
        "default-version-changed",
        "needs a version from callers that named none",
      );
    compareWires(
      { before, after, old, now: fallback === undefined ? now : wireOf(after, fallback) },
      undefined,
      differences,
    );
    return;
  }
  if (!sameMeaning(before.versioning.scheme, after.versioning.scheme))
    report(
      differences,
      { subject: "part 9", position: positionOf(now) },
      "version-request-changed",
      "has another scheme of versions",
    );
  compareDefault(before.versioning, after.versioning, now, differences);
  for (const version of old.versions) {
    const next = now.versions.find(({ name }) => name === version.name);
    if (next) {
      compareVersion(version, next, differences);
      compareWires(
        { before, after, old: wireOf(before, version.name), now: wireOf(after, version.name) },
        version.name,
        differences,
      );
    } else
      report(
        differences,
        { subject: `version ${version.name}`, position: positionOf(now) },
        "version-gone",
        "is no longer served",
        undefined,
        { version: version.name },
      );
  }
  for (const version of now.versions)
    if (!old.versions.some(({ name }) => name === version.name))
      report(
        differences,
        { subject: `version ${version.name}`, position: version.position },
        "version-added",
        "is new",
      );
}

function positionOf({ versions, operations }: Wire): WireVersion["position"] {
  const start = { line: 1, column: 1, offset: 0 };
  return versions[0]?.position ?? operations[0]?.endpoint.position ?? { start, end: start };
}

function compareDefault(
  before: VersioningPart,
  after: VersioningPart,
  now: Wire,
  differences: Differences,
): void {
  const [was, is] = [defaultVersion(before), defaultVersion(after)];
  if (was === is && sameMeaning(before.default, after.default)) return;
  // `Default: current` states that a new current version moves these callers, and it still does move them.
  report(
    differences,
    { subject: "part 9", position: positionOf(now) },
    "default-version-changed",
    `gives requests that name no version ${is ?? "none"}, and gave them ${was ?? "none"}`,
  );
}

function compareVersion(was: WireVersion, now: WireVersion, differences: Differences): void {
  const meaning = ({ status, until, deprecatedSince }: WireVersion) => ({ status, until, deprecatedSince });
  if (!sameMeaning(meaning(was), meaning(now)))
    report(
      differences,
      { subject: `version ${now.name}`, position: now.position },
      "version-status-changed",
      `is ${now.status}${now.until === undefined ? "" : ` until ${now.until}`} now, and was ${was.status}${was.until === undefined ? "" : ` until ${was.until}`}`,
      undefined,
      { version: now.name },
    );
}

function compareWires(
  {
    before,
    after,
    old,
    now,
  }: { readonly before: Model; readonly after: Model; readonly old: Wire; readonly now: Wire },
  version: string | undefined,
  differences: Differences,
): void {
  compareOperations({ model: before, wire: old }, { model: after, wire: now }, version, differences);
  const schemas = new SchemaComparison(old.schemas, now.schemas);
  for (const event of now.events) {
    const was = old.events.find(({ name }) => name === event.name);
    if (!was) continue;
    for (const change of schemas.compare(was.schema, event.schema, "answer", []))
      differences.add({
        rule: change.rule,
        subject: subjectOfEvent(event.name, change.member),
        message: `\`${subjectOfEvent(event.name, change.member)}\` ${change.message.replaceAll("answers", "payloads")}.`,
        place: change.isRemoved
          ? { in: "old", position: was.event.position }
          : { in: "new", position: event.event.position },
        areReceivers: true,
        version,
      });
  }
}
