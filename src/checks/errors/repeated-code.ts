/** Part 7: two rows for one code leave open which is answered where `Fails` and the like name it. */
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const repeatedCode: Check = ({ errors }, reporter) =>
  reportRepeated(
    errors.rows.filter(({ when, unread }) => when.length === 0 && !unread),
    ({ code }) => code,
    ({ code = "", position }, related) =>
      reporter.report("errors/repeated-code", position, { code }, related),
  );
