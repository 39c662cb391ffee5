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
import { hasReceivers } from "./audiences.ts";
import { type Difference, Differences } from "./difference.ts";
import { compareEndpoints, compareEndpointsPart } from "./endpoints.ts";
import { withNewNames, sameMeaning } from "./meaning.ts";
import { compareErrors } from "./errors.ts";
import { compareOperations, compareStreams } from "./operations.ts";
import { compareResources } from "./resources.ts";
import { compareAuthentication, compareEvents, compareLimits } from "./service.ts";
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
  compareSentEvents(before, after, differences);
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
        undefined,
        { areWithoutVersion: true },
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
    is === undefined
      ? "no longer has a version for requests that name none"
      : `has the version ${is} for requests that name none now, ${was ?? "none"} before`,
    undefined,
    { areWithoutVersion: true },
  );
}

function compareVersion(was: WireVersion, now: WireVersion, differences: Differences): void {
  const meaning = ({ status, until, deprecatedSince }: WireVersion) => ({ status, until, deprecatedSince });
  // Callers don't notice that another version is the current one.
  const isKept = (status: string) => status === "current" || status === "supported";
  const isUnnoticed =
    isKept(was.status) &&
    isKept(now.status) &&
    sameMeaning({ ...meaning(was), status: now.status }, meaning(now));
  if (!sameMeaning(meaning(was), meaning(now)))
    report(
      differences,
      { subject: `version ${now.name}`, position: now.position },
      "version-status-changed",
      `is ${now.status}${now.until === undefined ? "" : ` until ${now.until}`} now, and was ${was.status}${was.until === undefined ? "" : ` until ${was.until}`}`,
      undefined,
      { version: now.name, ...(isUnnoticed ? { severity: "fine" } : {}) },
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
}

/**
 * Events and streams have the version of `Default`, otherwise the current one. With pinned
 * versions, receivers may have each of them.
 */
function compareSentEvents(before: Model, after: Model, differences: Differences): void {
  const [old, now] = [before, after].map(wireOfEvents);
  if (!old || !now) return;
  compareStreams({ model: before, wire: old }, { model: after, wire: now }, differences);
  compareEventPayloads(before, old, now, undefined, differences);
  const isPinned = [before, after].every(
    ({ versioning: { default: rule } }) => typeof rule === "object" && "pinned" in rule,
  );
  for (const { name } of isPinned ? old.versions : [])
    if (now.versions.some((version) => version.name === name))
      compareEventPayloads(before, wireOf(before, name), wireOf(after, name), name, differences);
}

function wireOfEvents(model: Model): Wire {
  const name = defaultVersion(model.versioning);
  const current = wireOf(model);
  return current.versions.some((version) => version.name === name) ? wireOf(model, name) : current;
}

function compareEventPayloads(
  before: Model,
  old: Wire,
  now: Wire,
  version: string | undefined,
  differences: Differences,
): void {
  const schemas = new SchemaComparison(old.schemas, now.schemas);
  for (const event of now.events) {
    const was = old.events.find(({ name }) => name === event.name);
    if (!was || !hasReceivers(was.event, before)) continue;
    for (const change of schemas.compare(was.schema, event.schema, "answer", []))
      differences.add({
        rule: change.rule,
        subject: subjectOfEvent(event.name, change.member),
        message: `\`${subjectOfEvent(event.name, change.member)}\` ${change.message.replaceAll("responses", "payloads")}.`,
        place: change.isRemoved
          ? { in: "old", position: was.event.position }
          : { in: "new", position: event.event.position },
        operations: [event.name],
        areReceivers: true,
        version,
      });
  }
}
