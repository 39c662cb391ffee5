/**
 * Part 4, `create Book or list of Book`: what the endpoint does is repeated for each element of the
 * body. What applies to the request as a whole can't be about one element.
 */
import { doesText, listBodyOf } from "../../model/endpoints/does.ts";
import { acceptedTypes, bodyKind } from "../../model/endpoints/media-type.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { nonNull } from "../../support/non-null.ts";
import type { Check } from "../check.ts";

export const listBody: Check = (model, reporter) => {
  for (const endpoint of model.endpoints) {
    if (!listBodyOf(endpoint)) continue;
    const stated = nonNull(endpoint.does.find((does) => "orList" in does && does.orList));
    const reason = whyImpossible(model, endpoint);
    if (reason !== undefined)
      reporter.report("endpoints/list-body", stated.position, { does: doesText(stated), reason });
  }
};

function whyImpossible({ endpointsPart }: Model, endpoint: Endpoint): string | undefined {
  const { does, inputs, records, idempotency } = endpoint;
  const single = does.find((action) => !("orList" in action) || !action.orList);
  if (single) return `\`${doesText(single)}\` is another choice, and has no list`;
  if (records.some(({ target }) => target) || inputs.some((input) => input.in === "path" && input.sets))
    return "the path names one record";
  if (!inputs.some((input) => input.in === "body")) return "the body has no inputs";
  if (bodyKind("application/json", acceptedTypes(endpointsPart, endpoint)) !== "json")
    return "a list is sent as JSON, which `Accepts` doesn't name";
  if (idempotency?.in === "body") return "the idempotency key is in the body, and a list has no keys";
  return undefined;
}
