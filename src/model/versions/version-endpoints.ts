/** Endpoints of a version: those of the document, without later additions and earlier removals. */
import type { Endpoint, Model, Version } from "../model.ts";
import { newestFirst, versionsNewerThan } from "./version-order.ts";
import { isEndpoint } from "./changes.ts";

/** Whether the version has the endpoint. Endpoints that were added later or removed before are not paths of the version. */
export function versionHasEndpoint(model: Model, version: Version, endpoint: Endpoint): boolean {
  const { versions } = model.versioning;
  const newer = versionsNewerThan(versions, version.name);
  // The nearest change on either side decides, because a removed endpoint may have been added
  // again.
  const later = newer
    .toReversed()
    .flatMap((version) => version.changes)
    .find((change) => isAbout(change, endpoint));
  const sofar = newestFirst(versions)
    .filter((version) => !newer.includes(version))
    .flatMap((version) => version.changes)
    .find((change) => isAbout(change, endpoint));
  return later?.kind !== "endpoint added" && sofar?.kind !== "endpoint removed";
}

function isAbout(change: Version["changes"][number], endpoint: Endpoint): boolean {
  return (
    (change.kind === "endpoint added" || change.kind === "endpoint removed") &&
    isEndpoint(change.endpoint, endpoint)
  );
}
