/**
 * Record snapshots in the event log: the fields that a stream reads from an event's record
 * (`Sends: … when`, `as`, the resource's `Visible`), in the state after the event. So a client that
 * reconnects receives the same events as a client that stayed connected, even if the record was
 * changed or deleted since.
 */
import type { Node } from "../../expressions/node.ts";
import type { RecordDraft, RecordValue, Value } from "../../expressions/value.ts";
import type { StreamItems } from "../../model/model.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { walk } from "../evaluation/nodes.ts";
import { isHashed } from "../records/hidden-fields.ts";

/**
 * Returns the fields of `this` that the document's streams read for an event of a resource; empty
 * if no stream reads any.
 */
export type ReadFields = (event: string, resource: string) => ReadonlySet<string>;

export function planReadFields(context: PlanContext): ReadFields {
  return readFields(
    context,
    context.model.endpoints.flatMap((endpoint) => endpoint.stream?.sends ?? []),
  );
}

/** Returns the fields by which a stream decides whether its reader receives an event (`when`, `Visible`). */
export function planDecidingFields(context: PlanContext, sends: StreamItems["sends"]): ReadFields {
  return readFields(
    context,
    sends.map(({ events, when }) => ({ events, ...(when && { when }) })),
  );
}

type Sent = Pick<StreamItems["sends"][number], "events" | "when"> &
  Partial<Pick<StreamItems["sends"][number], "as">>;

function readFields(context: PlanContext, sends: readonly Sent[]): ReadFields {
  const known = new Map<string, ReadonlySet<string>>();
  return (event, resource) => {
    const key = `${event} ${resource}`;
    let fields = known.get(key);
    if (!fields) {
      const sending = sends.filter((sentEvent) => sentEvent.events.includes(event));
      const visible = sending.length > 0 ? context.resource(resource).visible : undefined;
      const nodes = [...sending.flatMap(({ when, as }) => [when?.node, as?.node]), visible];
      fields = readBy(
        context,
        resource,
        nodes.filter((node) => node !== undefined),
      );
      known.set(key, fields);
    }
    return fields;
  };
}

/** Returns the snapshot that the log stores; null if no stream reads it. */
export function recordSnapshot(record: RecordValue, fields: ReadonlySet<string>): string | null {
  if (fields.size === 0) return null;
  const kept: Record<string, Value> = { "#revision": record["#revision"] };
  for (const field of fields) kept[field] = record[field] ?? null;
  return JSON.stringify(kept);
}

/** A stored snapshot. */
export interface ReadSnapshot {
  readonly record: RecordValue;
  /** Whether it has all of the fields. */
  readonly isWhole: boolean;
  /**
   * The fields whose values after the event are unknown, because a stored change has set them
   * (`store/migrations/run/log-snapshots.ts`).
   */
  readonly unknown: readonly string[];
}

/**
 * Reads a stored snapshot. The snapshot is incomplete if a field is missing: an earlier version of
 * the document read fewer fields.
 */
export function readSnapshot(
  text: string | null | undefined,
  row: number,
  fields: ReadonlySet<string>,
): ReadSnapshot {
  const { "#unknown": unknown = [], ...stored } = (text == null ? {} : JSON.parse(text)) as StoredSnapshot;
  const kept: RecordDraft = Object.assign(Object.create(null), stored);
  kept["#row"] = row;
  const isWhole = [...fields].every((field) => field in kept);
  return { record: kept, isWhole, unknown };
}

interface StoredSnapshot {
  readonly "#unknown"?: readonly string[];
  readonly [field: string]: unknown;
}

function readBy(context: PlanContext, resource: string, nodes: readonly Node[]): ReadonlySet<string> {
  const plan = context.resource(resource);
  const fields = new Set<string>();
  const seen = new Set<string>();
  const all = () => {
    // No expression could show the hash of a secret, so the log does not store it.
    for (const field of plan.stored) if (!isHashed(field.type)) fields.add(field.name);
  };
  /** The uses of `this` whose fields are known. */
  const known = new Set<Node>();
  const look = (node: Node): void =>
    walk(node, (inner) => {
      for (const node of nodesReadIn(inner)) for (const part of thisIn(node)) known.add(part);
      if (inner.op === "fixed" && inner.name === "this") {
        for (const name of plan.identifier) fields.add(name);
        if (!known.has(inner)) all();
      }
      if (inner.op === "representation" && isThis(inner.of)) all();
      if (inner.op === "shape" && (!inner.of || isThis(inner.of)) && !seen.has(`shape ${inner.shape}`)) {
        seen.add(`shape ${inner.shape}`);
        const body = context.meaning.shapeBody(inner.shape);
        if (body) look(body);
      }
      if ((inner.op !== "field" && inner.op !== "has") || !isThis(inner.of) || seen.has(inner.name)) return;
      seen.add(inner.name);
      const computed = context.meaning.computed(resource, inner.name);
      if (computed) look(computed);
      else if (plan.stored.some((field) => field.name === inner.name)) fields.add(inner.name);
    });
  for (const node of nodes) look(node);
  return fields;
}

/** Returns the operands of which the node reads only a field, a shape or the identity. */
function nodesReadIn(node: Node): readonly Node[] {
  if (node.op === "field" || node.op === "has" || node.op === "representation") return [node.of];
  if (node.op === "shape") return node.of ? [node.of] : [];
  return node.op === "binary" && (node.operator === "==" || node.operator === "!=")
    ? [node.left, node.right]
    : [];
}

/**
 * Returns `this`, or its resource choice: `Parcel(this)` of an event about records of several
 * resources.
 */
function thisIn(node: Node): readonly Node[] {
  if (node.op === "if") return [...thisIn(node.then), ...thisIn(node.else)];
  return node.op === "fixed" && node.name === "this" ? [node] : [];
}

function isThis(node: Node): boolean {
  return thisIn(node).length > 0;
}
