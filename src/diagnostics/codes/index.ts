/**
 * All codes of all parts, in one object. A code is part and slug; it is never renamed or reused.
 */
import type { CodeDefinition } from "../code.ts";
import { authenticationCodes } from "./authentication.ts";
import { checksCodes } from "./checks.ts";
import { documentCodes } from "./document.ts";
import { endpointsCodes } from "./endpoints.ts";
import { errorsCodes } from "./errors.ts";
import { eventsCodes } from "./events.ts";
import { expressionsCodes } from "./expressions.ts";
import { limitsCodes } from "./limits.ts";
import { nullnessCodes } from "./nullness.ts";
import { purposeCodes } from "./purpose.ts";
import { resourcesCodes } from "./resources.ts";
import { statesCodes } from "./states.ts";
import { versioningCodes } from "./versioning.ts";

export const codes = {
  ...documentCodes,
  ...purposeCodes,
  ...resourcesCodes,
  ...statesCodes,
  ...endpointsCodes,
  ...authenticationCodes,
  ...eventsCodes,
  ...errorsCodes,
  ...limitsCodes,
  ...versioningCodes,
  ...expressionsCodes,
  ...checksCodes,
  ...nullnessCodes,
};

export type DiagnosticCode = keyof typeof codes;

export type ParamsOf<C extends DiagnosticCode> =
  (typeof codes)[C] extends CodeDefinition<infer P> ? P : never;
