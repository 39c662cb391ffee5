/**
 * Single-statement read: `Does: read` selects the record of the path, its visibility and its shape
 * in one query. It applies only if nothing else about the record is needed; all other reads load it
 * first.
 */
import type { Endpoint } from "../../model/model.ts";
import { after, type Awaitable } from "../../support/awaitable.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import { sendsBytes } from "../../model/endpoints/answer-types.ts";
import { isJsonType, parseMediaType } from "../../model/endpoints/media-type.ts";
import type { HeaderLine } from "../http/message.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { walk } from "../evaluation/nodes.ts";
import { toOutput } from "../../model/versions/output-nodes.ts";
import { createTextReader } from "../evaluation/text-reader.ts";
import type { Node } from "../../expressions/node.ts";
import { requestedRecord, planHidingConditions, notFound } from "../steps/load.ts";
import { recordConditions } from "../records/path-conditions.ts";
import { readsOnlyThis, withEntityTag } from "../steps/preconditions.ts";
import { bind } from "../../expressions/parameters.ts";

export type SingleStatementRead = (request: RequestContext) => Awaitable<Answer>;

export function planSingleStatementRead(
  context: PlanContext,
  endpoint: Endpoint,
  mediaType: string,
): SingleStatementRead | undefined {
  const [does, otherDoes] = endpoint.does;
  const [record, otherRecord] = endpoint.records;
  const [returns, otherReturns] = endpoint.returns;
  if (
    does?.kind !== "read" ||
    does.ifAny ||
    otherDoes ||
    !record?.target ||
    otherRecord ||
    !returns ||
    otherReturns
  )
    return undefined;
  if (returns.kind !== "expression" || returns.when || endpoint.preconditions?.ifMatch === "required")
    return undefined;
  const { lets, fails, headers, headerMaps } = endpoint;
  const expressions = [...lets, ...fails, ...headers, ...headerMaps, ...record.fails];
  if (expressions.length > 0) return undefined;
  if ([...record.allowed, ...endpoint.allowed].some((allowed) => allowed.kind === "condition"))
    return undefined;
  // Text of a media type other than JSON is sent verbatim.
  if (sendsBytes(endpoint, returns.body.node, mediaType)) return undefined;
  if (!isJsonType(parseMediaType(mediaType)?.type ?? "") && returns.body.node.type.kind === "string")
    return undefined;
  const plan = context.resource(record.resource);
  const field = record.by && plan.fields.get(record.by.field);
  if (!record.by || !field || namesTarget(returns.body.node, plan.resource.variableName)) return undefined;

  const parameter = record.by.parameter;
  const read = createTextReader(context, field);
  const query = context.store.prepareShaped(
    {
      resource: record.resource,
      where: [
        ...recordConditions(context, plan, record),
        ...endpoint.where.map((expression) => expression.node),
      ],
      order: [],
      ...(endpoint.finds ? { includesDeleted: true } : {}),
    },
    toOutput(context.model, returns.body.node, context.view),
    context.wire,
  );
  const hiddenBy = planHidingConditions(context, endpoint, record);
  const own = readsOnlyThis(returns.body.node, context.meaning);
  const content: readonly HeaderLine[] = [["Content-Type", mediaType]];
  return (request) => {
    const { evaluation } = request;
    const text = request.parameters[parameter];
    const value = text === undefined ? undefined : read(text);
    if (value === undefined)
      throw notFound(plan.name, record.position, requestedRecord(parameter, request.parameters));
    const frame = bind(evaluation.frame, { path: value });
    return after(evaluation.work.session.shaped(query, frame), (rows) => {
      const row = rows[0];
      if (!row)
        return after(hiddenBy(evaluation.work.session, frame), (line) => {
          throw notFound(plan.name, record.position, requestedRecord(parameter, request.parameters), line);
        });
      context.observer?.(returns, true);
      const answer: Answer = { status: returns.status, headers: content, body: row.json };
      return withEntityTag(endpoint, request, answer, row.revision, own);
    });
  };
}

/**
 * The target also has its resource's small name, for which a single statement has no record. Shapes
 * do not use it.
 */
function namesTarget(node: Node, variableName: string): boolean {
  let found = false;
  walk(node, (inner) => {
    if (inner.op === "named" && inner.name === variableName) found = true;
  });
  return found;
}
