/** Part 7: two rows for one condition leave open which of them is answered. */
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";

export const repeatedCondition: Check = ({ errors }, reporter) => {
  const first = new Map<string, Position>();
  for (const { condition, of, position } of errors.rows.flatMap((row) => row.when)) {
    const key = JSON.stringify([condition, of ?? null]);
    const before = first.get(key);
    if (before) {
      const related = [{ position: before, message: "The first one stands here." }];
      reporter.report("errors/repeated-condition", position, { condition }, related);
    } else first.set(key, position);
  }
};
