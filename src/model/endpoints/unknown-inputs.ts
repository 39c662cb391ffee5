/** `Unknown fields` of part 4: what happens to the unknown fields of a query and of a body. */
import type { Endpoint, EndpointsPart, Gap, UnknownFieldTreatment } from "../model.ts";

/** The places of a request that may have unknown fields. */
export type UnknownFieldPlace = "query" | "body";

/** What the document states of a place: the endpoint's own item first, then the part's. Undefined if it is silent. */
export function unknownFieldsIn(
  place: UnknownFieldPlace,
  part: Pick<EndpointsPart, "unknownFields">,
  endpoint?: Pick<Endpoint, "unknownFields">,
): UnknownFieldTreatment | Gap | undefined {
  return endpoint?.unknownFields?.[place] ?? part.unknownFields?.[place];
}

/** Whether a request may be rejected for an unknown field. */
export function mayRejectUnknown(
  part: Pick<EndpointsPart, "unknownFields">,
  endpoint: Pick<Endpoint, "unknownFields">,
  takesBody: boolean,
): boolean {
  const places = takesBody ? (["query", "body"] as const) : (["query"] as const);
  return places.some((place) => unknownFieldsIn(place, part, endpoint) !== "ignored");
}

/** The item in words, `ignored in query, rejected in body`. What isn't shown is left out; undefined if nothing remains. */
export function unknownFieldsText(stated: Endpoint["unknownFields"]): string | undefined {
  if (stated && stated.query === stated.body && typeof stated.query === "string") return stated.query;
  const places = (["query", "body"] as const).flatMap((place) => {
    const treatment = stated?.[place];
    return typeof treatment === "string" ? [`${treatment} in ${place}`] : [];
  });
  return places.length === 0 ? undefined : places.join(", ");
}
