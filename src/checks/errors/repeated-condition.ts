/** Part 7: two rows for one condition leave open which of them is answered. */
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const repeatedCondition: Check = ({ errors }, reporter) =>
  reportRepeated(
    errors.rows.flatMap((row) => row.when),
    ({ condition, of }) => JSON.stringify([condition, of ?? null]),
    ({ condition, position }, related) =>
      reporter.report("errors/repeated-condition", position, { condition }, related),
  );
