/**
 * Pinned payloads (decision "The version of events"). If versions are pinned
 * (`Default: pinned per caller.version`), a webhook receives its payload in the version of its
 * caller's record. The engine writes the payload when the event happens, once for each version, and
 * stores it with the delivery. The log, and with it every stream, has the payload in the version of
 * `Default`.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import type { ObjectValue, RecordValue } from "../../expressions/value.ts";
import type { EventRow, Model } from "../../model/model.ts";
import type { Recipient } from "./recipients.ts";
import { targetOf } from "./targets.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { createJsonWriter } from "../evaluation/json-writer.ts";
import { fieldNode, mapChildren, thisOf, walk } from "../evaluation/nodes.ts";
import type { TouchedRecord } from "../evaluation/journal.ts";
import {
  createEvaluationContext,
  type Evaluate,
  type EvaluationContext,
  setRecord,
} from "../evaluation/context.ts";
import type { ServedVersion, VersionPlan } from "../steps/version.ts";
import { planChanges } from "./changes.ts";

/** The expression of `pinned per …`, and the names that the versions use. */
export interface PinnedVersion {
  readonly version: Expression;
  /**
   * Returns undefined for the version of `Default`, and for a version that the service does not
   * serve.
   */
  contextOf(version: string): PlanContext | undefined;
}

/** @param contextIn creates the planning context of a version */
export function planPinnedVersion(
  { pinned, served, standard }: VersionPlan,
  contextIn: (version: ServedVersion) => PlanContext,
): PinnedVersion | undefined {
  if (!pinned) return undefined;
  const convertedVersions = served.filter((version) => version !== standard);
  const contexts = new Map(convertedVersions.map((version) => [version.name, contextIn(version)]));
  return { version: pinned, contextOf: (name) => contexts.get(name) };
}

/**
 * Returns the payload of each recipient in its own version; undefined if that is the event's
 * version. Evaluated in the context of the event's record.
 */
export type PinnedPayloads = (
  recipients: readonly Recipient[],
  touched: TouchedRecord,
  evaluation: EvaluationContext,
) => Promise<readonly (string | undefined)[]>;

type Write = (touched: TouchedRecord, evaluation: EvaluationContext) => Promise<string>;

/** Returns undefined if all receivers get the event in the version of `Default`. */
export function planPinnedPayloads(
  context: PlanContext,
  row: EventRow,
  pinned: PinnedVersion | undefined,
): PinnedPayloads | undefined {
  const target = targetOf(context.model, row);
  const { payload } = row;
  if (!pinned || !target || !payload) return undefined;
  const versionOf = planVersionOf(context, target.resource, pinned.version);
  if (!versionOf) return undefined;
  const writers = new Map<string, Write | undefined>();
  const writerOf = (version: string): Write | undefined => {
    if (!writers.has(version)) writers.set(version, planWrite(pinned.contextOf(version), payload.node));
    return writers.get(version);
  };
  return async (recipients, touched, evaluation) => {
    const made = new Map<string, string | undefined>();
    const payloads: (string | undefined)[] = [];
    for (const { resource, record } of recipients) {
      const version = await versionFor(versionOf, resource, record, evaluation);
      if (version !== null && !made.has(version))
        made.set(version, await writerOf(version)?.(touched, evaluation));
      payloads.push(version === null ? undefined : made.get(version));
    }
    return payloads;
  };
}

function planWrite(context: PlanContext | undefined, payload: Node): Write | undefined {
  if (!context) return undefined;
  const write = createJsonWriter(context, payload);
  const changesOf = planChanges(context);
  return async (touched, evaluation) => {
    const { frame } = evaluation;
    const { event } = frame;
    // The old values have this version's names too.
    const payload = { ...(event as ObjectValue), changes: changesOf(touched, frame) };
    try {
      frame.event = payload;
      return await write(evaluation);
    } finally {
      frame.event = event;
    }
  };
}

async function versionFor(
  versionOf: Evaluate,
  resource: string,
  record: RecordValue,
  evaluation: EvaluationContext,
): Promise<string | null> {
  const inner = createEvaluationContext(evaluation.work, { ...evaluation.frame, old: null, locals: [] });
  setRecord(inner, "this", resource, record);
  const version = await versionOf(inner);
  return typeof version === "string" && version !== "" ? version : null;
}

/**
 * Compiles `caller.version` for a webhook's record; undefined if the record refers to no caller.
 */
function planVersionOf(context: PlanContext, resource: string, version: Expression): Evaluate | undefined {
  const caller = callerNode(context, resource);
  if (!caller) return undefined;
  let readsElse = false;
  walk(version.node, (node) => (readsElse ||= node.op === "fixed" && node.name !== "caller"));
  return readsElse ? undefined : evaluateOf(context, callerOf(version.node, caller));
}

function callerOf(node: Node, caller: Node): Node {
  if (node.op === "fixed" && node.name === "caller") return caller;
  return mapChildren(node, (part) => callerOf(part, caller));
}

/**
 * Returns the record itself if callers belong to its resource, otherwise its only reference to a
 * caller. With two such references, the choice would be a guess.
 */
function callerNode({ model, meaning }: PlanContext, resource: string): Node | undefined {
  const callers = callersOf(model);
  if (callers.has(resource)) return thisOf(resource);
  const fields = meaning.vocabulary.resource(resource)?.fields ?? new Map();
  const references = [...fields].flatMap(([name, { type }]) =>
    type.kind === "record" && callers.has(type.resource) ? [fieldNode(thisOf(resource), name, type)] : [],
  );
  return references.length === 1 ? references[0] : undefined;
}

function callersOf({ authentication }: Model): ReadonlySet<string> {
  return new Set(
    authentication.schemes.flatMap(({ callerType }) =>
      callerType?.kind === "record" ? [callerType.resource] : [],
    ),
  );
}
