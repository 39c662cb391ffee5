/**
 * Steps of a request: their type, their sequence, and the first steps of every request, from the
 * credential to the records of the path.
 */
import type { Endpoint } from "../../model/model.ts";
import { type Awaitable, withRecovery } from "../../support/awaitable.ts";
import { Fault } from "../../support/invariant.ts";
import { ownGuards } from "../../model/endpoints/path-guards.ts";
import type { PlannedAction } from "../actions/action.ts";
import { expansionPaths } from "../evaluation/expansion.ts";
import { NotShown } from "../problem.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { Answer, RequestContext, RequestCredentials } from "../request-context.ts";
import { planAccept } from "../steps/accept.ts";
import { planAllow, unauthenticated } from "../steps/allow.ts";
import type { Authenticate } from "../steps/authenticate.ts";
import { countRejected } from "../steps/count-rejected.ts";
import type { Limit } from "../steps/limit.ts";
import { planLoad } from "../steps/load.ts";
import type { Replay } from "../steps/replay.ts";
import { upgradeInputs, type UpgradePhase } from "../steps/upgrade-inputs.ts";
import { planValidate } from "../steps/validate.ts";
import type { SharedPlans } from "./shared-plans.ts";

/** The steps before the records of the path are loaded. */
export interface FirstSteps {
  readonly authenticate: Authenticate;
  readonly callerNeeded: boolean;
  readonly limit: Limit;
  readonly replay: Replay;
  readonly upgrading: UpgradePhase | undefined;
}

/** The state that steps of a request share. */
export interface StepState {
  readonly exchange: RequestContext;
  readonly carried: RequestCredentials;
  /** The references that the response expands. */
  expansions: readonly string[];
  operation: PlannedAction | undefined;
  /** The longest time for which the response may be held, in milliseconds. */
  heldMs: number;
}

/** A step of a request. If it returns a response, no further steps run. */
export type Step = (state: StepState) => Awaitable<Answer | undefined> | Awaitable<void>;

export type AnswerRequest = (request: RequestContext, credentials: RequestCredentials) => Awaitable<Answer>;

/**
 * Plans the steps from authentication up to the records of the path. `repeated` may return a stored
 * response.
 */
export function stepsToRecords(
  context: PlanContext,
  endpoint: Endpoint,
  shared: SharedPlans,
  first: FirstSteps,
  repeated: readonly Step[],
): readonly Step[] {
  const { limit, upgrading } = first;
  const accept = planAccept(context, endpoint, shared.mediaType);
  return [
    ...identificationSteps(context, endpoint, first),
    ...stepsOfPhase(upgrading, "rate"),
    ...(limit ? [({ exchange }: StepState) => limit(exchange, context.ports.clock.now())] : []),
    ...repeated,
    (state) => {
      if (state.exchange.inputs.pathProblem) throw state.exchange.inputs.pathProblem;
      accept(state.exchange);
      state.expansions = expansionPaths(context, state.exchange.evaluation.frame);
    },
    ...stepsOfPhase(upgrading, "records"),
  ];
}

export function stepsOfPhase(upgrading: UpgradePhase | undefined, planned: UpgradePhase): readonly Step[] {
  return upgrading === planned ? [({ exchange }) => upgradeInputs(exchange)] : [];
}

/** Composes the steps: they run in order until one returns a response. */
export function runSteps(steps: readonly Step[]): AnswerRequest {
  const walk = (state: StepState, from: number): Awaitable<Answer> => {
    for (let at = from; at < steps.length; at += 1) {
      const done = (steps[at] as Step)(state);
      if (done instanceof Promise) return done.then((answer) => answer ?? walk(state, at + 1));
      if (done) return done;
    }
    throw new Fault("a request reached the end of its steps without an answer");
  };
  return (request, credentials) =>
    walk({ exchange: request, carried: credentials, expansions: [], operation: undefined, heldMs: 0 }, 0);
}

function identificationSteps(
  context: PlanContext,
  endpoint: Endpoint,
  { authenticate, callerNeeded, limit, upgrading }: FirstSteps,
): readonly Step[] {
  const identify = countRejected(context, authenticate, limit, upgrading);
  const known: Step = ({ exchange, carried }) => identify(exchange, carried);
  if (!callerNeeded) return [known];
  return [
    known,
    ({ exchange }) => {
      if (exchange.evaluation.frame.caller === null) throw unauthenticated(context, endpoint);
    },
  ];
}

/**
 * Plans the steps of an endpoint whose outcome is a gap. The service checks the caller, the records
 * of the path, `Allowed` and the inputs. It answers a request without mistakes with 501.
 */
export function planStepsBeforeGap(
  context: PlanContext,
  endpoint: Endpoint,
  shared: SharedPlans,
  first: FirstSteps,
  notShown: NotShown,
): AnswerRequest {
  const load = planLoad(context, endpoint);
  const allow = planAllow(context, endpoint, ownGuards(endpoint.allowed));
  const validate = planValidate(context, endpoint);
  const answerGap = (): never => {
    throw notShown;
  };
  return runSteps([
    ...stepsToRecords(context, endpoint, shared, first, []),
    ({ exchange }) => load(exchange),
    ({ exchange }) => allow(exchange),
    ...stepsOfPhase(first.upgrading, "inputs"),
    // The gap of an input does not hide the gap of the endpoint.
    ({ exchange }) =>
      withRecovery(
        () => validate(exchange),
        (error) => {
          throw error instanceof NotShown ? notShown : error;
        },
      ),
    answerGap,
  ]);
}
