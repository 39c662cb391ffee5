/** Assembly of the plan context: the document, its store, and the dependencies of expressions. */
import { newFrame } from "../../expressions/frame.ts";
import type { ExpressionPorts, Frame } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { planFunctions } from "../handlers/functions.ts";
import { createOutbound } from "../outbound/outbound.ts";
import { type Ports, realClock } from "../ports.ts";
import { createPlanContext } from "../records/create-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createClockText, createExpressionPorts } from "../secrets/expression-ports.ts";
import type { Secrets } from "../secrets/secrets.ts";
import type { SigningKeys } from "../secrets/signing-keys.ts";
import type { TokenGenerations } from "../secrets/token-generations.ts";
import { type TokenOptions, Tokens } from "../secrets/tokens.ts";
import type { ServiceOptions } from "./options.ts";

export interface Assembled {
  readonly context: PlanContext;
  /**
   * Creates the frame of expressions for a point in time. The origin defaults to the service's own.
   */
  readonly frameAt: (nowMs: number, origin?: string) => Frame;
  readonly portsAt: (endpoint: Endpoint) => ExpressionPorts;
}

/** @param ports with the clock that instances share */
export function assembleContext(
  model: Model,
  options: ServiceOptions,
  ports: Ports,
  secrets: Secrets,
  generations?: TokenGenerations,
): Assembled {
  const tokens = tokensOf(model, options, ports, secrets, generations);
  const now = () => frameAt(ports.clock.now());
  const context = createPlanContext(model, options.store, ports, {
    tokens,
    newFrame: now,
    isObserved: options.onAnswered !== undefined,
    ...(options.handlers ? { handlers: options.handlers } : {}),
    ...(options.observer ? { observer: options.observer } : {}),
  });
  const expressionPorts: ExpressionPorts = {
    ...createExpressionPorts(ports, secrets, tokens),
    functions: planFunctions(context, now),
  };
  const basePath = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const clockText = createClockText();
  let own: { readonly origin: string; readonly url: string } | undefined;
  const frameAt = (nowMs: number, origin = options.origin()): Frame => {
    if (own?.origin !== origin) own = { origin, url: origin + basePath };
    return newFrame(expressionPorts, { now: clockText(nowMs), service: own });
  };
  /** Part 5: an endpoint that states its schemes creates tokens of only those schemes. */
  const portsAt = memoizeBy(({ schemes }: Endpoint): ExpressionPorts => {
    if (!schemes) return expressionPorts;
    return { ...expressionPorts, token: (resource, record) => tokens.sign(resource, record, schemes) };
  });
  return { context, frameAt, portsAt };
}

function tokensOf(
  model: Model,
  options: ServiceOptions,
  ports: Ports,
  secrets: Secrets,
  generations: TokenGenerations | undefined,
): Tokens {
  return new Tokens(model, {
    ...tokenSecrets(options.secret, secrets),
    now: () => ports.clock.now(),
    outbound: createOutbound({
      allowPrivate: options.allowPrivateAddresses ?? false,
      network: ports.network,
      clock: realClock(ports),
    }),
    warn: (message) => ports.log.warn({}, message),
    ...(options.space === undefined ? {} : { space: options.space }),
    ...(generations ? { generations } : {}),
  });
}

/**
 * Returns the key of a token secret. Part 5: if the operator has not set the secret, the engine
 * generates a key and keeps it in the store. During rotation the operator also sets the former
 * secret, as `JWT_SECRET_FORMER`.
 */
function tokenSecrets(
  given: ServiceOptions["secret"],
  secrets: Secrets,
): Pick<TokenOptions, "secret" | "formerSecret"> {
  const set = (name: string) => {
    const text = given?.(name);
    return text === undefined || text === "" ? undefined : new TextEncoder().encode(text);
  };
  const keys = new Map<string, SigningKeys>();
  const own = (name: string) => {
    const known = keys.get(name) ?? secrets.signingKeys(`secret ${name}`);
    keys.set(name, known);
    return known;
  };
  return {
    secret: (name) => set(name) ?? own(name).current(),
    formerSecret: (name) => set(`${name}_FORMER`) ?? (set(name) ? undefined : own(name).other()),
  };
}
