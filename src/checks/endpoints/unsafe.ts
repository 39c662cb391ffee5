/**
 * Part 4: GET and QUERY must not change anything, because browsers, caches and crawlers repeat
 * them.
 */
import { textAt } from "../../source/source.ts";
import type { Check } from "../check.ts";
import { ofAllEndpoints } from "../of-endpoints.ts";
import { isChanging } from "../../model/endpoints/does.ts";

export const unsafe: Check = ofAllEndpoints(({ method, does }, reporter) => {
  const change = does.find(isChanging);
  if (!change || (method !== "GET" && method !== "QUERY")) return;
  const text = textAt(reporter.source, change.position);
  reporter.report("endpoints/unsafe", change.position, { method, text });
});
