/** JSON pointers (RFC 6901) to the inputs that a problem reports. */
import type { Endpoint } from "../../model/model.ts";

/** `lines[0].sku` → `#/lines/0/sku` (RFC 6901, as a URI fragment). */
export function pointerOf(field: string): string {
  return `#/${stepsOf(field).map(encodeURIComponent).join("/")}`;
}

/** `lines[0].sku` → `/order/lines/0/sku` (RFC 6901), within the body as it was sent. */
export function pointerInBody(field: string, endpoint: Endpoint | undefined): string {
  const steps = stepsOf(field);
  // The whole body is the input, whose name is not sent.
  if (endpoint?.bodyIs !== undefined) steps.shift();
  return [...(endpoint?.bodyIn === undefined ? [] : [endpoint.bodyIn]), ...steps]
    .map((step) => `/${step}`)
    .join("");
}

/** The steps of a JSON pointer. */
function stepsOf(field: string): string[] {
  return field
    .replace(/\[(\d+)\]/g, ".$1")
    .split(".")
    .map((part) => part.replace(/~/g, "~0").replace(/\//g, "~1"));
}
