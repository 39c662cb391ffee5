/** Part 4, `Header`: a header value is sent as text. */
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

const notText = ["list", "map", "object", "record", "value", "collection", "password", "bytes"];

export const headerNotText: Check = ofEndpoints(({ headers }, reporter) => {
  for (const { name, value } of headers) {
    const type = value.node.type.kind;
    if (notText.includes(type)) reporter.report("endpoints/header-not-text", value.position, { name, type });
  }
});
