/** Part 4, `Accepts`: an accepted media type must be able to carry the endpoint's inputs. */
import {
  acceptedTypes,
  bareType,
  bodyKind,
  isRange,
  mergePatchType,
  typesWithInputs,
} from "../../model/endpoints/media-type.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { textBody } from "../../model/endpoints/text-body.ts";
import type { Check } from "../check.ts";

export const typeNotRead: Check = (model, reporter) => {
  for (const endpoint of model.endpoints) {
    for (const type of unreadTypes(model, endpoint))
      reporter.report("endpoints/type-not-read", endpoint.position, {
        type,
        replaces: type === mergePatchType,
      });
  }
};

function unreadTypes({ endpointsPart }: Model, endpoint: Endpoint): readonly string[] {
  const types = acceptedTypes(endpointsPart, endpoint).map(bareType);
  const inBody = endpoint.inputs.some((input) => input.in === "body") || endpoint.bodyIn !== undefined;
  if (!inBody) return [];
  const unread = textBody(endpoint)
    ? []
    : types.filter((type) => !isRange(type) && bodyKind(type, [type]) === "raw");
  const replaces = endpoint.does.some((does) => does.kind === "replace");
  const patches = replaces ? types.filter((type) => type === mergePatchType) : [];
  // A media type of the part's item may be meant for other endpoints, as long as this endpoint accepts another one.
  if (endpoint.accepts === undefined && typesWithInputs(types).length > 0) return patches;
  return [...unread, ...patches];
}
