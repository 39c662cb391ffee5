/** Part 4, `Header`: framing headers describe the message itself; only the engine sets them. */
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

const framing = [
  "content-length",
  "transfer-encoding",
  "connection",
  "date",
  "keep-alive",
  "upgrade",
  "trailer",
  "te",
];

export const framingHeader: Check = ofEndpoints(({ headers }, reporter) => {
  for (const { name, position } of headers)
    if (framing.includes(name.toLowerCase())) reporter.report("endpoints/framing-header", position, { name });
});
