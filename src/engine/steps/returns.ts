/** Success responses (part 4, "Returns" and "Header"). */
import { JsonText } from "../../expressions/json-text.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { type NameRead, readsName } from "../../expressions/analysis/reads.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import { listBodyOf } from "../../model/endpoints/does.ts";
import type { Endpoint, Return } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import type { HeaderLine } from "../http/message.ts";
import type { ListPlan } from "../pagination/list-plan.ts";
import { planPageValue } from "../pagination/page-value.ts";
import { contentTypeOf, sendsBytes, statedMediaType } from "../../model/endpoints/answer-types.ts";
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import { linkHeader } from "../pagination/page-links.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { evaluateHeader, type EvaluateHeader } from "../evaluation/evaluate-header.ts";
import { expandReturn, expansionPaths } from "../evaluation/expansion.ts";
import { createJsonWriter, type JsonWriter } from "../evaluation/json-writer.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { Problem } from "../problem.ts";
import type { ProblemWriter } from "../problems/problem-writer.ts";
import { isRecord, type Evaluate, type EvaluationContext } from "../evaluation/context.ts";
import { readsInsideItems, splitPageShape } from "../pagination/page-items.ts";
import { planAnswerHeaders } from "./answer-headers.ts";
import { withRange } from "./ranges.ts";
import { readsOnlyThis, withEntityTag } from "./preconditions.ts";

export type Returns = (request: RequestContext) => Awaitable<Answer>;

interface ReturnPlan {
  readonly when?: Evaluate;
  /** The body reads only the record itself. */
  readonly own: boolean;
  readonly make: (request: RequestContext) => Awaitable<Answer>;
}

/** Maximum number of compiled expansions per response. */
const expandedMax = 64;

export function planReturns(
  context: PlanContext,
  endpoint: Endpoint,
  mediaType: string,
  list: ListPlan | undefined,
  problems: ProblemWriter,
): Returns {
  const setHeaders = planAnswerHeaders(context, endpoint);
  const answering: Answering = {
    context,
    endpoint,
    mediaType: statedMediaType(endpoint) ?? mediaType,
    list,
    problems,
    needsTotal:
      linksNeedTotal(endpoint) ||
      [...endpoint.headers, ...endpoint.headerMaps].some(({ value }) => mentionsTotal(value.node, context)),
  };
  const plans = endpoint.returns.map(
    (response): ReturnPlan => ({
      ...(response.when ? { when: evaluateOf(context, response.when) } : {}),
      own:
        response.kind === "nothing" ||
        (response.kind === "expression" && readsOnlyThis(response.body.node, context.meaning)),
      make: planExpanded(context, response, (answer) => planReturn(answering, answer)),
    }),
  );
  const withHeaders = ({ evaluation }: RequestContext, answer: Answer): Awaitable<Answer> => {
    if (!setHeaders) return answer;
    const lines: HeaderLine[] = [...answer.headers];
    return after(setHeaders(evaluation, lines), () => ({ ...answer, headers: lines }));
  };
  const tagged = (request: RequestContext, plan: ReturnPlan, answer: Answer): Answer => {
    if (!endpoint.preconditions) return answer;
    const record = request.evaluation.frame.this;
    const revision = isRecord(record) ? (record as RecordValue)["#revision"] : 0;
    // An expanded record changes the response but not the revision.
    const own = plan.own && expansionPaths(context, request.evaluation.frame).length === 0;
    return withEntityTag(endpoint, request, answer, revision, own);
  };
  const answerFrom = (request: RequestContext, at: number): Awaitable<Answer> => {
    const plan = plans[at];
    if (!plan)
      throw new Problem(
        { condition: "internal", problem: "matches no response of this endpoint" },
        { because: endpoint.position },
      );
    return after(plan.when ? appliesTo(plan.when, request) : true, (applies) => {
      if (applies !== true) return answerFrom(request, at + 1);
      context.observer?.(endpoint.returns[at] as Return, true);
      const complete = after(plan.make(request), (answer) => withHeaders(request, answer));
      return after(complete, (answer) => withRange(request, tagged(request, plan, answer)));
    });
  };
  const conditions = endpoint.returns.flatMap((response) => (response.when ? [response.when.node] : []));
  const pageOf = planPageValue(context, conditions, list);
  return (request) => (pageOf ? pageOf(request).then(() => answerFrom(request, 0)) : answerFrom(request, 0));
}

/**
 * Whether the condition of a response is true. For a body that is a list it may be true for any of
 * its elements.
 */
function appliesTo(when: Evaluate, { elements, evaluation }: RequestContext, from = 0): Awaitable<boolean> {
  const element = elements?.[from];
  return after(when(element?.evaluation ?? evaluation), (applies) =>
    applies === true || !elements || from + 1 >= elements.length
      ? applies === true
      : appliesTo(when, { elements, evaluation } as RequestContext, from + 1),
  );
}

/** Compiles a response, and its variants with expanded references. */
function planExpanded(
  context: PlanContext,
  answer: Return,
  plan: (answer: Return) => ReturnPlan["make"],
): ReturnPlan["make"] {
  const plain = plan(answer);
  if (context.model.endpointsPart.expansion === undefined) return plain;
  const expanded = new Map<string, ReturnPlan["make"]>();
  return (request) => {
    const paths = expansionPaths(context, request.evaluation.frame);
    if (paths.length === 0) return plain(request);
    const key = paths.join(",");
    const known = expanded.get(key);
    const make = known ?? plan(expandReturn(context, answer, paths));
    // Least recently used expansions are evicted first.
    expanded.delete(key);
    if (expanded.size >= expandedMax) expanded.delete(expanded.keys().next().value as string);
    expanded.set(key, make);
    return make(request);
  };
}

/** The parts that the responses of an endpoint share. */
interface Answering {
  readonly context: PlanContext;
  readonly endpoint: Endpoint;
  readonly mediaType: string;
  readonly list: ListPlan | undefined;
  readonly problems: ProblemWriter;
  /** The total is needed, whatever the response's body. */
  readonly needsTotal: boolean;
}

function planReturn(answering: Answering, response: Return): ReturnPlan["make"] {
  const { context, endpoint, mediaType, list, problems } = answering;
  const content: readonly HeaderLine[] = [["Content-Type", mediaType]];
  switch (response.kind) {
    case "nothing":
      return () => ({ status: response.status, headers: [], body: "" });
    case "error":
      return async (request) => {
        const problem = new Problem(
          {
            condition: "internal",
            code: response.code,
            ...(endpoint.resource === undefined ? {} : { resource: endpoint.resource }),
            problem: "is refused",
          },
          { because: response.position, record: request.evaluation.frame.this },
        );
        request.refusal = problem;
        request.because = response.position;
        const answer = await problems.write(problem, request.evaluation, endpoint);
        return { status: answer.status, headers: answer.headers, body: String(answer.body) };
      };
    case "list": {
      if (listBodyOf(endpoint)) return planElements(answering, response);
      if (!list) return planGivenList(answering, response.status, response.item.node);
      const item = toOutput(context.model, response.item.node, context.view);
      return async (request) => {
        const page = await list.list(request, item, answering.needsTotal);
        request.evaluation.frame.page = page.parts as Value;
        return {
          status: response.status,
          headers: [...content, ...linksOf(endpoint, page.parts)],
          body: `[${page.items.join(",")}]`,
        };
      };
    }
    case "page":
      return planPage(
        answering,
        response.status,
        toOutput(context.model, response.item.node, context.view),
        response.page.node,
      );
    case "expression":
      return planExpression(answering, response);
  }
}

/** The records that the elements of a body have made, or the single one of a body that is an object. */
function planElements(
  { context, mediaType }: Answering,
  { status, item, orOne }: Extract<Return, { kind: "list" }>,
): ReturnPlan["make"] {
  const write = createJsonWriter(context, item.node);
  return async (request) => {
    const texts: string[] = [];
    for (const { evaluation } of request.elements ?? [request]) texts.push(await write(evaluation));
    const isOne = orOne === true && !request.elements;
    const body = isOne ? texts.join("") : `[${texts.join(",")}]`;
    return { status, headers: [["Content-Type", mediaType]], body };
  };
}

/** A list from a handler: each element is shaped separately. */
function planGivenList({ context, mediaType }: Answering, status: number, item: Node): ReturnPlan["make"] {
  const write = createJsonWriter(context, item);
  return async ({ evaluation, givenList }) => {
    const kept = evaluation.frame.this;
    const texts: string[] = [];
    for (const entry of givenList) {
      evaluation.frame.this = entry;
      texts.push(await write(evaluation));
    }
    evaluation.frame.this = kept;
    return { status, headers: [["Content-Type", mediaType]], body: `[${texts.join(",")}]` };
  };
}

function planExpression(
  answering: Answering,
  response: Extract<Return, { kind: "expression" }>,
): ReturnPlan["make"] {
  const { context, endpoint, mediaType, list } = answering;
  const content: readonly HeaderLine[] = [["Content-Type", mediaType]];
  if (list) {
    const shaped = splitPageShape(response.body.node, endpoint.resource as string);
    if (shaped)
      return planPage(
        answering,
        response.status,
        toOutput(context.model, shaped.item, context.view),
        shaped.page,
      );
  }
  if (sendsBytes(endpoint, response.body.node, mediaType)) {
    const evaluate = evaluateOf(context, response.body);
    return (request) =>
      after(evaluate(request.evaluation), (value) => ({
        status: response.status,
        headers: content,
        body: "",
        ...(value instanceof Uint8Array ? { bytes: value } : {}),
      }));
  }
  const write = textWriter(answering, response.body) ?? createJsonWriter(context, response.body.node);
  const needsTotal = answering.needsTotal || mentionsTotal(response.body.node, context);
  if (!list)
    return (request) =>
      after(write(request.evaluation), (written) => ({
        status: response.status,
        headers: content,
        body: written,
      }));
  return async (request) => {
    const { items, parts } = await list.records(request, needsTotal);
    request.evaluation.frame.page = { ...parts, items } as Value;
    const headers = [...content, ...linksOf(endpoint, parts)];
    return { status: response.status, headers, body: await write(request.evaluation) };
  };
}

/**
 * A text is sent verbatim if the response's type is not JSON. The type may be known only with the
 * response: `this.mime_type`, or `body.stream ? "text/event-stream" : "application/json"`.
 */
function textWriter({ context, endpoint, mediaType }: Answering, body: Expression): JsonWriter | undefined {
  if (body.node.type.kind !== "string") return undefined;
  const isJson = (type: string | null) => isJsonType(parseMediaType(type ?? mediaType)?.type ?? "");
  const evaluate = evaluateOf(context, body);
  const verbatim = (evaluation: EvaluationContext) =>
    after(evaluate(evaluation), (value) => String(value ?? ""));
  const stated = contentTypeOf(endpoint);
  if (!stated || stated.node.op === "literal") return isJson(mediaType) ? undefined : verbatim;
  const typeOf: EvaluateHeader = evaluateHeader(context, stated);
  const asJson = createJsonWriter(context, body.node);
  return (evaluation) =>
    after(typeOf(evaluation), (type) => (isJson(type) ? asJson(evaluation) : verbatim(evaluation)));
}

function planPage(answering: Answering, status: number, item: Node, page: Node): ReturnPlan["make"] {
  const { context, endpoint, mediaType } = answering;
  const list = answering.list as ListPlan;
  const content: readonly HeaderLine[] = [["Content-Type", mediaType]];
  const write = createJsonWriter(context, page);
  const needsTotal = answering.needsTotal || mentionsTotal(page, context);
  const reads = readsInsideItems(page, context.meaning);
  return async (request) => {
    const { items, parts } = await list.list(request, item, needsTotal);
    request.evaluation.frame.page = {
      ...parts,
      items: items.map((json) => (reads ? JSON.parse(json) : new JsonText(json))),
    };
    const written = write(request.evaluation);
    const body = typeof written === "string" ? written : await written;
    return { status, headers: [...content, ...linksOf(endpoint, parts)], body };
  };
}

/** Links to the last page need the total. */
function linksNeedTotal({ pagination }: Endpoint): boolean {
  return pagination?.links === true && (pagination.kind === "page" || pagination.kind === "offset");
}

function linksOf(endpoint: Endpoint, parts: Readonly<Record<string, Value>>): readonly HeaderLine[] {
  if (!endpoint.pagination?.links) return [];
  const link = linkHeader(parts);
  return link === null ? [] : [["Link", link]];
}

const total: NameRead = { name: "page", member: (name) => /^(total|last)/.test(name) };

function mentionsTotal(node: Node, { meaning }: PlanContext): boolean {
  return readsName(node, total, meaning);
}
