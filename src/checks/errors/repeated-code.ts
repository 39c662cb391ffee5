/** Part 7: with two rows for one code it is unclear which of them `Fails` names. */
import type { Check } from "../check.ts";
import { reportRepeated } from "../repeated.ts";

export const repeatedCode: Check = ({ errors }, reporter) =>
  reportRepeated(
    errors.rows.filter(({ when, unread }) => when.length === 0 && !unread),
    ({ code }) => code,
    ({ code = "", position }, related) =>
      reporter.report("errors/repeated-code", position, { code }, related),
  );
