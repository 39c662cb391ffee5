/** Part 7: with two rows for one condition it is unclear which of them applies. */
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const repeatedCondition: Check = ({ errors }, reporter) =>
  reportRepeated(
    errors.rows.flatMap((row) => row.when),
    ({ condition, of }) => JSON.stringify([condition, of ?? null]),
    ({ condition, position }, related) =>
      reporter.report("errors/repeated-condition", position, { condition }, related),
  );
