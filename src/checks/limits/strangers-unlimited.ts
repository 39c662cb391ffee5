/**
 * Part 8: an endpoint that allows `anyone`, with rates that count only by properties of a caller.
 * Such rates don't bound anonymous clients. Reported once for a document, at the first of the
 * rates.
 */
import { appliesTo } from "../../model/limits/applies.ts";
import { needsCaller } from "../../model/authentication/caller-type.ts";
import type { Check } from "../check.ts";
import { coversAnonymous } from "../../model/limits/anonymous-rates.ts";
import { freeRateName } from "../../model/limits/free-rate-name.ts";
import { takesPasswords } from "./passwords-unlimited.ts";

export const strangersUnlimited: Check = (model, reporter) => {
  const { rates } = model.limits;
  const applying = model.endpoints
    .filter((endpoint) => !needsCaller(model, endpoint) && !takesPasswords(model, endpoint))
    .map((endpoint) => ({ endpoint, rates: rates.filter((rate) => appliesTo(rate.applies, endpoint)) }));
  const open = applying.filter((applied) => applied.rates.length > 0 && !applied.rates.some(coversAnonymous));
  const [first] = open;
  const [rate] = first?.rates ?? [];
  if (!first || !rate) return;
  reporter.report("limits/strangers-unlimited", rate.position, {
    by: typeof rate.per === "object" ? rate.per.text : rate.per,
    endpoint: `${first.endpoint.method} ${first.endpoint.path.text}`,
    others: open.length - 1,
    free: freeRateName(rates, "anonymous"),
  });
};
