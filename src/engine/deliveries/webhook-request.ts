/**
 * Webhook requests: builds the request of a webhook. The receiver's record is read again, so that a
 * new address or secret applies at once. The request has the payload's stored bytes, signed for a
 * time. Built again for the same time, it is identical. `webhook.ts` sends it.
 */
import { partAt, isList, type Frame, type RecordValue, type Value } from "../../expressions/value.ts";
import type { Model } from "../../model/model.ts";
import type { WebhookMethod } from "../../model/parts/events.ts";
import type { DueDelivery } from "../../store/deliveries.ts";
import type { Query } from "../../store/store.ts";
import type { Json } from "../../support/json.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { evaluateHeader, type EvaluateHeader } from "../evaluation/evaluate-header.ts";
import { rowEquals } from "../evaluation/nodes.ts";
import { isHidden } from "../records/hidden-fields.ts";
import {
  createEvaluationContext,
  type Evaluate,
  type EvaluationContext,
  setRecord,
  type UnitOfWork,
} from "../evaluation/context.ts";
import { contentOf, payloadOf } from "../events/content.ts";
import { formFields, formText } from "./form-body.ts";
import { addGivenHeaders, isHeaderText } from "./receiver-headers.ts";
import { standardSignature } from "./signature.ts";
import { targetsOf } from "../events/targets.ts";
import { bind } from "../../expressions/parameters.ts";

export interface WebhookRequestParts {
  readonly newFrame: (nowMs: number) => Frame;
  readonly newWork: () => UnitOfWork;
}

interface ReceiverPlan {
  readonly byRow: Query<RecordValue>;
  readonly variableName: string;
  /**
   * The fields that lead to the address, by the event with an address of its own; "" for all other
   * events.
   */
  readonly addresses: ReadonlyMap<string, readonly string[]>;
}

interface RequestPlan {
  readonly secret?: Evaluate;
  readonly headers: readonly { readonly name: string; readonly value: EvaluateHeader }[];
  readonly headerMaps: readonly Evaluate[];
  readonly requests: readonly TargetPlan[];
  readonly mediaTypes: readonly MediaTypePlan[];
}

/** Method and URL, as `Request` states them. */
interface TargetPlan {
  readonly method: WebhookMethod;
  readonly url?: Evaluate;
  readonly when?: Evaluate;
}

/** A request ready to be sent. */
export interface WebhookRequest {
  readonly method: WebhookMethod;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The request of an attempt at a time; or why there is none, for now or forever, as text. */
export type BuiltRequest =
  | {
      readonly kind: "made";
      readonly request: WebhookRequest;
      /** The revision of the receiver's record. */
      readonly revision: number;
      /** The signing keys, in the format of Standard Webhooks. */
      readonly secrets: readonly string[];
      /** Hidden values of the receiver's record. */
      readonly hidden: readonly string[];
    }
  | NoRequest;

interface NoRequest {
  readonly kind: "failed" | "gone";
  readonly error: string;
}

interface MediaTypePlan {
  readonly mediaType: string;
  /** The form field that contains the payload. */
  readonly jsonIn?: string;
  readonly when?: Evaluate;
}

export type BuildWebhookRequest = (delivery: DueDelivery, nowMs: number) => Promise<BuiltRequest>;

const formType = "application/x-www-form-urlencoded";

export function planWebhookRequests(context: PlanContext, parts: WebhookRequestParts): BuildWebhookRequest {
  const receivers = planReceivers(context);
  const plan = planRequest(context);
  return async (delivery, nowMs) => {
    const receiver = receivers.get(delivery.resource);
    if (!receiver) return gone(`the document no longer has ${delivery.resource}`);
    const frame = parts.newFrame(nowMs);
    const { record: last } = contentOf(delivery);
    const record =
      last ?? (await context.store.session.record(receiver.byRow, bind(frame, { row: delivery.row })));
    if (!record) return gone(`the ${delivery.resource} was deleted`);
    const address = addressOf(record, receiver, delivery.eventType);
    if (address === null) return gone(`the ${delivery.resource} has no address`);
    const evaluation = createEvaluationContext(parts.newWork(), frame);
    setRecord(evaluation, receiver.variableName, delivery.resource, record);
    const request = await requestOf(plan, evaluation, delivery, address);
    if ("kind" in request) return request;
    const secrets = plan.secret ? textsOf(await plan.secret(evaluation)) : [];
    const hidden = [...secrets, ...hiddenTexts(context, delivery.resource, record)];
    return { kind: "made", request, revision: record["#revision"], secrets, hidden };
  };
}

/**
 * Minimum length of a hidden value to mask, in characters: shorter values would match everywhere.
 */
const hiddenLengthMin = 6;

function hiddenTexts(context: PlanContext, resource: string, record: RecordValue): readonly string[] {
  return context
    .resource(resource)
    .stored.filter(isHidden)
    .flatMap(({ name }) => textsOf(record[name] ?? null))
    .filter((text) => text.length >= hiddenLengthMin);
}

function gone(error: string): NoRequest {
  return { kind: "gone", error };
}

function failed(error: string): NoRequest {
  return { kind: "failed", error };
}

function planReceivers(context: PlanContext): ReadonlyMap<string, ReceiverPlan> {
  const plans = new Map<string, ReceiverPlan & { readonly addresses: Map<string, readonly string[]> }>();
  for (const { event, resource, address } of targetsOf(context.model)) {
    let plan = plans.get(resource);
    if (!plan) {
      const byRow = context.store.prepareRecords({ resource, where: [rowEquals(resource)], order: [] });
      plan = { byRow, variableName: smallNameOf(context.model, resource), addresses: new Map() };
      plans.set(resource, plan);
    }
    plan.addresses.set(event, address.split("."));
  }
  return plans;
}

function smallNameOf(model: Model, resource: string): string {
  return model.resources.find((candidate) => candidate.name === resource)?.variableName ?? resource;
}

/**
 * Returns the address for an event. If the document no longer sends the event, returns the address
 * of all other events.
 */
function addressOf(record: RecordValue, { addresses }: ReceiverPlan, event: string): string | null {
  const path = addresses.get(event) ?? [...addresses.values()][0] ?? [];
  const value = partAt(record, path);
  return typeof value === "string" && value !== "" ? value : null;
}

function planRequest(context: PlanContext): RequestPlan {
  const { signature, headers, headerMaps, requests, mediaTypes } = context.model.events;
  return {
    ...(signature ? { secret: evaluateOf(context, signature.secret) } : {}),
    headers: headers.map(({ name, value }) => ({ name, value: evaluateHeader(context, value) })),
    headerMaps: headerMaps.map(({ value }) => evaluateOf(context, value)),
    requests: requests.map(({ method, url, when }) => ({
      method,
      ...(url ? { url: evaluateOf(context, url) } : {}),
      ...(when ? { when: evaluateOf(context, when) } : {}),
    })),
    mediaTypes: mediaTypes.map(({ mediaType, jsonIn, when }) => ({
      mediaType,
      ...(jsonIn === undefined ? {} : { jsonIn }),
      ...(when ? { when: evaluateOf(context, when) } : {}),
    })),
  };
}

/** Builds the request of this attempt; or returns why there can't be one. */
async function requestOf(
  plan: RequestPlan,
  evaluation: EvaluationContext,
  delivery: DueDelivery,
  address: string,
): Promise<WebhookRequest | NoRequest> {
  const { frame } = evaluation;
  const text = payloadOf(delivery);
  const payload = JSON.parse(text) as Json;
  const { eventId: id, eventType: type, eventTime: time, subject, event: sequence } = delivery;
  frame.event = { id, type, time, subject, sequence, payload: payload as Value };
  const attempt = { id: delivery.id, attempt: delivery.attempts + 1, time: frame.now };
  frame.delivery = { ...attempt, url: null, body: null, form: null };
  const target = await firstThatApplies(plan.requests, evaluation);
  const url = target?.url ? await target.url(evaluation) : address;
  if (typeof url !== "string" || url === "") return gone("Request gives no URL for this event");
  const context = { ...attempt, url };
  frame.delivery = { ...context, body: null, form: null };
  const { mediaType, jsonIn } = (await firstThatApplies(plan.mediaTypes, evaluation)) ?? defaultMediaType;
  const isForm = mediaType.split(";")[0]?.trim().toLowerCase() === formType;
  const form = isForm ? formFields(jsonIn === undefined ? payload : { [jsonIn]: text }) : null;
  const body = form ? formText(form) : text;
  frame.delivery = { ...context, body, form };
  const headers: Record<string, string> = Object.create(null);
  headers["Content-Type"] = mediaType;
  if (plan.secret) {
    const secrets = textsOf(await plan.secret(evaluation));
    const seconds = Math.floor(Date.parse(frame.now) / 1000);
    const signature = standardSignature(secrets, delivery.id, seconds, body);
    // Without its signature the request isn't sent: a receiver must never accept unsigned requests.
    if (signature === undefined) return failed("the secret to sign with is missing");
    headers["webhook-id"] = delivery.id;
    headers["webhook-timestamp"] = String(seconds);
    headers["webhook-signature"] = signature;
  }
  for (const { name, value } of plan.headers) {
    const text = await value(evaluation);
    if (text === null) continue;
    if (!isHeaderText(text)) return failed(`the header ${name} has characters that headers can't contain`);
    headers[name] = text;
  }
  for (const given of plan.headerMaps) {
    const problem = addGivenHeaders(headers, await given(evaluation));
    if (problem !== undefined) return failed(problem);
  }
  return { method: target?.method ?? "POST", url, headers, body };
}

const defaultMediaType: MediaTypePlan = { mediaType: "application/json" };

/** The first whose condition holds, or that has none. */
async function firstThatApplies<T extends { readonly when?: Evaluate }>(
  plans: readonly T[],
  evaluation: EvaluationContext,
): Promise<T | undefined> {
  for (const plan of plans) if (!plan.when || (await plan.when(evaluation)) === true) return plan;
  return undefined;
}

function textsOf(value: Value): readonly string[] {
  const all = isList(value) ? value : [value];
  return all.filter((candidate) => typeof candidate === "string" && candidate !== "") as string[];
}
