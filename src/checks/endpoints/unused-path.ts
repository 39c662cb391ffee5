/** Part 4, Paths: what is said of a path holds for the endpoints at and beneath it, so one has to stand there. */
import type { Check } from "../check.ts";

export const unusedPath: Check = ({ paths, endpoints }, reporter) => {
  for (const { path, position } of paths)
    if (!endpoints.some((endpoint) => `${endpoint.path.text}/`.startsWith(`${path.text}/`)))
      reporter.report("endpoints/unused-path", position, { path: path.text });
};
