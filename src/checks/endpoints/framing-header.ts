/** Part 4, `Header` and `Headers`: framing headers describe the message itself; only the engine sets them. */
import { isFramingHeader } from "../../model/endpoints/header-names.ts";
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const framingHeader: Check = ofEndpoints(({ headers, headerMaps }, reporter) => {
  const stated = headerMaps.flatMap(({ value: { node }, position }) =>
    node.op === "map" ? node.entries.map(({ key }) => ({ name: key, position })) : [],
  );
  for (const { name, position } of [...headers, ...stated])
    if (isFramingHeader(name)) reporter.report("endpoints/framing-header", position, { name });
});
