/**
 * Parts 5 and 8: where an anonymous client's password is compared or stored, the client can guess
 * without limit, and each guess costs a processor core. A rate that needs no caller must bound it.
 * A rate that is not shown is already reported as a gap.
 */
import { signsIn } from "../../model/endpoints/does.ts";
import { appliesTo } from "../../model/limits/applies.ts";
import { needsCaller } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";
import { coversAnonymous, coversRefused } from "../../model/limits/anonymous-rates.ts";
import { freeRateName } from "../../model/limits/free-rate-name.ts";

export const passwordsUnlimited: Check = (model, reporter) => {
  const rates = model.ledger.find((entry) => entry.item === "rate limits");
  if (rates?.answer === "not shown" || rates?.answer === "silent") return;
  let isReported = false;
  for (const endpoint of model.endpoints) {
    const isOwn = takesPasswords(model, endpoint);
    // A scheme with passwords may serve every endpoint, so this is reported once.
    if (!isOwn && (isReported || !comparesPasswords(model, endpoint))) continue;
    const covers = isOwn ? coversAnonymous : coversRefused;
    const applying = model.limits.rates.filter((rate) => appliesTo(rate.applies, endpoint));
    if (applying.some(covers)) continue;
    isReported ||= !isOwn;
    const name = `${endpoint.method} ${endpoint.path.text}`;
    const free = freeRateName(model.limits.rates, "sign-in");
    const params = { endpoint: name, hasRate: applying.length > 0, free };
    reporter.report("limits/passwords-unlimited", endpoint.position, params);
  }
};

export function takesPasswords(model: Model, endpoint: Endpoint): boolean {
  const { does, inputs } = endpoint;
  return (
    does.some(signsIn) ||
    (!needsCaller(model, endpoint) && inputs.some((input) => input.type.kind === "password"))
  );
}

/** Whether each request carries the password (`basic user and password`), so that authentication compares it. */
function comparesPasswords({ authentication, resources }: Model, { schemes }: Endpoint): boolean {
  return authentication.schemes.some(({ name, credentials }) => {
    if (!credentials || (schemes && !schemes.includes(name))) return false;
    const fields = resources.find((resource) => resource.name === credentials.resource)?.fields ?? [];
    return fields.some((field) => credentials.by.includes(field.name) && field.type.kind === "password");
  });
}
