/**
 * Part 5: tokens of a record whose password can change, without a statement of whether they end
 * with it. A user who changes a leaked password expects that it ends existing sessions.
 */
import { mayCreate, signsIn } from "../../model/endpoints/does.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const tokenOutlivesPassword: Check = (model, reporter) => {
  const reported = new Set<string>();
  for (const { name, credentials, signedWith, endsWith, gap } of model.authentication.schemes) {
    if (gap || endsWith || !credentials || !signedWith || !("secretEnv" in signedWith)) continue;
    if (credentials.fromClaim === undefined) continue;
    const password = passwordChanged(model, credentials.resource);
    if (password === undefined || reported.has(credentials.resource)) continue;
    reported.add(credentials.resource);
    reporter.report("authentication/token-outlives-password", credentials.position, {
      scheme: name,
      field: password,
    });
  }
};

/** The `password` field of a resource that some endpoint changes. */
function passwordChanged({ resources, endpoints }: Model, resource: string): string | undefined {
  const fields = resources.find(({ name }) => name === resource)?.fields ?? [];
  const passwords = fields.filter(({ type }) => type.kind === "password").map(({ name }) => name);
  return passwords.find((name) =>
    endpoints.some((endpoint) => endpoint.resource === resource && sets(endpoint, name)),
  );
}

function sets({ does, inputs, set }: Endpoint, password: string): boolean {
  if (does.every((action) => mayCreate(action) || signsIn(action))) return false;
  return (
    inputs.some((input) => input.sets === password) ||
    set.some((effect) => effect.kind === "assign" && !effect.of && effect.field === password)
  );
}
