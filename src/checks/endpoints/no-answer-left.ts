/** Part 4, `Returns`: if each answer has a condition, a request may match none. */
import type { Check } from "../check.ts";
import { ofEndpoints } from "../of-endpoints.ts";

export const noAnswerLeft: Check = ofEndpoints(({ returns }, reporter) => {
  const last = returns.at(-1);
  if (last && returns.every((answer) => answer.when))
    reporter.report("endpoints/no-answer-left", last.position, {});
});
