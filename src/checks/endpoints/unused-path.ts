/**
 * Part 4, Paths: the items of a path apply to the endpoints at and below it, so there must be one.
 */
import type { Check } from "../check.ts";

export const unusedPath: Check = ({ paths, endpoints }, reporter) => {
  for (const { path, position } of paths)
    if (!endpoints.some((endpoint) => `${endpoint.path.text}/`.startsWith(`${path.text}/`)))
      reporter.report("endpoints/unused-path", position, { path: path.text });
};
