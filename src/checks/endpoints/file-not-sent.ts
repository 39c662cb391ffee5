/**
 * Part 4: a file is a part of a multipart body. An endpoint that doesn't accept multipart bodies
 * can't receive an input of that type.
 */
import type { FieldType } from "../../fields/type.ts";
import { acceptedTypes, formDataType, parseMediaType } from "../../model/endpoints/media-type.ts";
import type { Check } from "../check.ts";

export const fileNotSent: Check = (model, reporter) => {
  for (const endpoint of model.endpoints) {
    const accepts = acceptedTypes(model.endpointsPart, endpoint);
    const takesFiles = accepts.some((mediaType) => parseMediaType(mediaType)?.type === formDataType);
    for (const { type, in: location, name, position } of endpoint.inputs) {
      if (!holdsFile(type)) continue;
      const isWholeBody = endpoint.bodyIs !== undefined;
      if (location === "body" && takesFiles && !isWholeBody) continue;
      reporter.report("endpoints/file-not-sent", position, { name: name.join("."), location, isWholeBody });
    }
  }
};

function holdsFile(type: FieldType): boolean {
  if (type.kind === "json") return (type.either ?? []).some(holdsFile);
  return type.kind === "file" || ((type.kind === "list" || type.kind === "map") && holdsFile(type.of));
}
