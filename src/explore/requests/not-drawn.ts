/** Requests that are not drawn, and why. */
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { fieldsOf } from "../stories/chains.ts";
import { readsLimits } from "../comparison/reads-limits.ts";

/** Whether the time that an endpoint may hold its response depends on an input. */
export function holdsResponse({ waits }: Endpoint, { in: place, name }: Input): boolean {
  if (!waits) return false;
  return [...nodesWithin(waits.atMost.node)].some(
    (node) => fieldsOf(node, place)?.join(".") === name.join("."),
  );
}

export function isStreaming({ stream, does }: Endpoint): boolean {
  return stream !== undefined || does.some(({ kind }) => kind === "stream");
}

/** The reason why no requests of an endpoint are drawn; undefined if they are. */
export function reasonNotDrawn(endpoint: Endpoint, model: Model): string | undefined {
  if (isStreaming(endpoint)) return "it answers with a stream";
  if (readsLimits(endpoint.returns, model)) return "it describes the rates of its caller";
  if (endpoint.inputs.some((input) => input.required && holdsResponse(endpoint, input)))
    return "it holds its response";
  const accepted = endpoint.accepts ?? model.endpointsPart.accepts ?? [];
  const hasBody = !["GET", "HEAD", "DELETE"].includes(endpoint.method);
  if (hasBody && accepted.length > 0 && !accepted.some((type) => /json|x-www-form-urlencoded/.test(type)))
    return `bodies of ${accepted.join(", ")} aren't drawn`;
  if (endpoint.inputs.some(({ required, type }) => required && type.kind === "file"))
    return "files aren't drawn";
  return undefined;
}
