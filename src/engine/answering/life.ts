/**
 * The life of a request: it arrives, is routed, speaks a version, is read and answered when it is its turn; whatever stops it on its way is
 * told in the document's own words. What each of these is stands in a file of its own.
 */
import { nonNull } from "../../support/non-null.ts";
import type { ExpressionPorts } from "../../expressions/value.ts";
import type { Endpoint } from "../../model/model.ts";
import { after, type Awaitable, withRecovery } from "../../support/awaitable.ts";
import type { ParsedRequest } from "../request-context.ts";
import type { RequestRefusal, ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { SpokenVersion } from "../plan/spoken-version.ts";
import type { Turn } from "../plan/turn.ts";
import type { ServedVersion } from "../steps/version.ts";
import type { AnswersInTurn } from "./answer-in-turn.ts";
import type { Arrivals, Underway } from "./arrive.ts";
import type { ReadSent } from "./read-request.ts";
import { type Because, problemOfRefusal, type Refuse } from "./refusals.ts";
import type { Asked, FindRoute } from "./route.ts";
import { type FindVersion, planIn } from "./speak.ts";

export interface LifeParts {
  readonly arrivals: Arrivals;
  readonly route: FindRoute;
  readonly version: FindVersion;
  readonly spoken: ReadonlyMap<ServedVersion, SpokenVersion>;
  readonly portsAt: (endpoint: Endpoint) => ExpressionPorts;
  readonly read: ReadSent;
  readonly answers: AnswersInTurn;
  readonly refuse: Refuse;
  readonly because: Because;
}

export interface Life {
  /** At once where nothing has to be waited for. Whatever goes wrong is an answer too. */
  answer(request: ServiceRequest): Awaitable<ServiceResponse>;
  /** One that could not even be parsed. */
  refuse(refusal: RequestRefusal): Promise<ServiceResponse>;
}

export function createLife(parts: LifeParts): Life {
  const { arrivals, route, version, refuse } = parts;
  return {
    answer(request) {
      const underway = arrivals.arrive(request);
      const answering = withRecovery(
        () => {
          const asked = route(request, arrivals.headOf(underway, request));
          if (asked.kind === "preflight") return asked.answer;
          underway.endpoint = asked.endpoint;
          return after(version(underway, asked), (spoken) => answerIn(spoken, underway, asked, parts));
        },
        async (error) => {
          const answer = await refuse(error, underway, underway.id);
          return { ...answer, headers: [...answer.headers, ...underway.headers] };
        },
      );
      return after(answering, (response) => arrivals.leave(underway, request, response));
    },
    async refuse(refusal) {
      const underway = arrivals.arriveUnparsed();
      return arrivals.leaveUnparsed(underway, await refuse(problemOfRefusal(refusal), underway, underway.id));
    },
  };
}

/** What an endpoint answers in a version of the document. */
function answerIn(
  version: ServedVersion,
  underway: Underway,
  asked: Asked,
  { spoken, portsAt, read, answers, because }: LifeParts,
): Awaitable<ServiceResponse> {
  const { frame } = underway;
  const words = nonNull(spoken.get(version));
  const plan = planIn(words, asked, version);
  underway.problems = words.problems;
  frame.ports = portsAt(asked.endpoint);
  const turnOf = (sent: ParsedRequest): Turn =>
    (underway.turn = {
      plan,
      read: sent,
      carried: asked.carried,
      last: undefined,
      isDone: false,
      trace: underway.span?.place,
    });
  const headers = () => [...version.headers, ...(underway.turn?.last?.answerHeaders ?? [])];
  const sent = { ...asked, plan, frame, requestId: underway.id, nowMs: underway.nowMs };
  const answering = withRecovery(
    () =>
      after(
        read(sent, (admitted) => answers.admit(turnOf(admitted))),
        (whole) => answers.answer(turnOf(whole)),
      ),
    (error) => {
      underway.frame = underway.turn?.last?.evaluation.frame ?? frame;
      underway.headers = headers();
      throw error;
    },
  );
  return after(answering, (answer) => ({
    status: answer.status,
    headers: [...answer.headers, ...headers(), ...because(underway.turn?.last?.because)],
    body: answer.stream ?? answer.bytes ?? answer.body,
  }));
}
