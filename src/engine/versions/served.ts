/** Which endpoints a version has: those of the document, without what came later and what was taken away before. */
import type { Endpoint, Model, PathSegment, Version } from "../../model/model.ts";
import { newestFirst, versionsNewerThan } from "../../model/version-order.ts";
import { createRouter } from "../http/path-router.ts";
import { NotShown } from "../problem.ts";
import { isEndpoint } from "./changes.ts";

/** An endpoint that came later, or went before, is no path of the version. */
export function serves(model: Model, version: Version, endpoint: Endpoint): boolean {
  const { versions } = model.versioning;
  const newer = versionsNewerThan(versions, version.name);
  // The nearest change on either side decides: what was taken away may have come again.
  const later = newer
    .toReversed()
    .flatMap((one) => one.changes)
    .find((change) => isAbout(change, endpoint));
  const sofar = newestFirst(versions)
    .filter((one) => !newer.includes(one))
    .flatMap((one) => one.changes)
    .find((change) => isAbout(change, endpoint));
  return later?.kind !== "endpoint added" && sofar?.kind !== "endpoint removed";
}

function isAbout(change: Version["changes"][number], endpoint: Endpoint): boolean {
  return (
    (change.kind === "endpoint added" || change.kind === "endpoint removed") &&
    isEndpoint(change.endpoint, endpoint)
  );
}

/**
 * Endpoints that the version still has and the document no longer describes: nobody can tell what they answer.
 * @returns why a request for one of them can't be answered; undefined for any other request
 */
export function planUndescribed(
  model: Model,
  version: Version,
): ((method: string, segments: readonly string[]) => NotShown | undefined) | undefined {
  const gone = versionsNewerThan(model.versioning.versions, version.name)
    .flatMap((newer) => newer.changes)
    .flatMap((change) => {
      if (change.kind !== "endpoint removed") return [];
      if (model.endpoints.some((endpoint) => isEndpoint(change.endpoint, endpoint))) return [];
      const [method = "", path = ""] = change.endpoint.split(" ");
      const subject = `the endpoint ${change.endpoint} of version ${version.name}`;
      const why = new NotShown({
        part: "versioning",
        item: "version scheme",
        subject,
        position: change.position,
      });
      const segments = [...model.endpointsPart.basePath.segments, ...segmentsOf(path)];
      return [{ method, segments, endpoint: why }];
    });
  if (gone.length === 0) return undefined;
  const router = createRouter(gone);
  return (method, segments) => {
    const found = router.find(method, segments);
    return found.kind === "found" ? found.endpoint : undefined;
  };
}

/** The change names a path as a heading would; a parameter in it stands for any segment. */
function segmentsOf(path: string): PathSegment[] {
  return path
    .split("/")
    .filter((text) => text !== "")
    .map((text) =>
      /\{[^}]*\}/.test(text)
        ? { kind: "parameter", name: text, before: "", behind: "" }
        : { kind: "literal", text },
    );
}
