/** Part 5: an endpoint names its schemes, so each scheme has a unique name. */
import { reportRepeated } from "../repeated.ts";
import type { Check } from "../check.ts";

export const repeatedScheme: Check = ({ authentication: { schemes } }, reporter) =>
  reportRepeated(
    schemes,
    ({ name }) => name,
    ({ name, position }, related) =>
      reporter.report("authentication/repeated-scheme", position, { name }, related),
  );
