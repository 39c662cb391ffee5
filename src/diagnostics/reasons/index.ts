/** Why each diagnostic is reported: what would go wrong at run time, and who would notice. */
import type { DiagnosticCode } from "../codes/index.ts";
import { authenticationReasons } from "./authentication.ts";
import { checksReasons } from "./checks.ts";
import { documentReasons } from "./document.ts";
import { endpointsReasons } from "./endpoints.ts";
import { errorsReasons } from "./errors.ts";
import { eventsReasons } from "./events.ts";
import { expressionsReasons } from "./expressions.ts";
import { limitsReasons } from "./limits.ts";
import { nullnessReasons } from "./nullness.ts";
import { purposeReasons } from "./purpose.ts";
import { resourcesReasons } from "./resources.ts";
import { sharedReasons } from "./shared.ts";
import { statesReasons } from "./states.ts";
import { versioningReasons } from "./versioning.ts";

const reasons: Readonly<Record<string, string>> = {
  ...documentReasons,
  ...purposeReasons,
  ...resourcesReasons,
  ...statesReasons,
  ...endpointsReasons,
  ...authenticationReasons,
  ...eventsReasons,
  ...errorsReasons,
  ...limitsReasons,
  ...versioningReasons,
  ...expressionsReasons,
  ...checksReasons,
  ...nullnessReasons,
};

const bySlug: Readonly<Record<string, string>> = sharedReasons;

/** One or two sentences: what would go wrong, and who would notice. */
export function reasonOf(code: DiagnosticCode): string {
  const slug = code.slice(code.indexOf("/") + 1);
  const reason = reasons[code] ?? bySlug[slug];
  if (reason === undefined) throw new Error(`${code} has no reason`);
  return reason;
}
