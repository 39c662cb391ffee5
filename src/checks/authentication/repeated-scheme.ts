/** Part 5: an endpoint names the schemes that serve it, so each has a name of its own. */
import { reportRepeated } from "../repeated.ts";
import type { Check } from "../check.ts";

export const repeatedScheme: Check = ({ authentication: { schemes } }, reporter) =>
  reportRepeated(
    schemes,
    ({ name }) => name,
    ({ name, position }, related) =>
      reporter.report("authentication/repeated-scheme", position, { name }, related),
  );
