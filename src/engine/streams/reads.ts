/**
 * Reads of an expression: what it reads that others may change, which is records at hand, by their names, and all
 * records of some resources. An expression that waits to become true is then evaluated again after such a change, and
 * not with every commit (decision "When streams and held responses are evaluated").
 */
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { callerResourcesOf } from "../../model/caller-type.ts";
import type { Model } from "../../model/model.ts";
import { nonNull } from "../../support/non-null.ts";
import { walk } from "../evaluation/nodes.ts";
import { isRecord, type EvaluationContext } from "../evaluation/context.ts";

export interface Reads {
  /** `this`, `caller`, records of the path: those at hand whose fields are read. */
  readonly names: ReadonlySet<string>;
  /** Resources of which any record may be read: collections, and what references lead to. */
  readonly resources: ReadonlySet<string>;
}

export function readsOf(nodes: readonly Node[], meaning: Meaning): Reads {
  const reads = { names: new Set<string>(), resources: new Set<string>() };
  const seen = new Set<string>();
  for (const node of nodes) collect(node, meaning, reads, seen);
  return reads;
}

function collect(
  node: Node,
  meaning: Meaning,
  reads: { readonly names: Set<string>; readonly resources: Set<string> },
  seen: Set<string>,
): void {
  const once = (name: string, body: Node | undefined) => {
    if (!body || seen.has(name)) return;
    seen.add(name);
    collect(body, meaning, reads, seen);
  };
  const ofRecord = (of: Node, resource: string) => {
    if (of.op === "fixed" || of.op === "named") reads.names.add(of.name);
    else reads.resources.add(resource);
  };
  const field = (resource: string, name: string) =>
    once(`${resource}.${name}`, meaning.computed(resource, name));
  walk(node, (inner) => {
    switch (inner.op) {
      case "collection":
        reads.resources.add(inner.resource);
        return;
      case "shape":
        if (inner.of?.type.kind === "record") ofRecord(inner.of, inner.of.type.resource);
        return once(`shape ${inner.shape}`, meaning.shapeBody(inner.shape));
      case "representation":
        ofRecord(inner.of, inner.resource);
        for (const name of nonNull(meaning.vocabulary.resource(inner.resource)).fields.keys())
          field(inner.resource, name);
        return;
      case "field":
      case "has": {
        const { type } = inner.of;
        if (type.kind !== "record" && type.kind !== "value") return;
        field(type.resource, inner.name);
        if (type.kind === "record") ofRecord(inner.of, type.resource);
      }
    }
  });
}

/** The rows of an evaluation context's records; their changes may affect the response to the request. */
export interface Watched {
  readonly rows: readonly { readonly resource: string; readonly row: number }[];
  readonly resources: ReadonlySet<string>;
}

/**
 * @param more the possible resources of records at hand whose resource no evaluation context has: `caller`,
 * `credential`
 */
export function watchedOf(
  reads: Reads,
  evaluation: EvaluationContext,
  more: Readonly<Record<string, readonly string[]>> = {},
): Watched {
  const rows: { resource: string; row: number }[] = [];
  for (const name of reads.names) {
    const own = evaluation.records.get(name);
    const record = recordNamed(evaluation, name);
    if (!record) continue;
    for (const resource of own === undefined ? (more[name] ?? []) : [own])
      rows.push({ resource, row: record["#row"] });
  }
  return { rows, resources: reads.resources };
}

/** What `caller` and `credential` are records of, whichever scheme has found them. */
export function callerResources({ authentication }: Model): Readonly<Record<string, readonly string[]>> {
  const { schemes } = authentication;
  return {
    caller: callerResourcesOf(schemes),
    credential: schemes.flatMap((scheme) => scheme.credentials?.resource ?? []),
  };
}

function recordNamed({ frame }: EvaluationContext, name: string): RecordValue | null {
  const value =
    name === "this"
      ? frame.this
      : name === "caller"
        ? frame.caller
        : name === "credential"
          ? frame.credential
          : (frame.named[name] ?? null);
  return isRecord(value) ? value : null;
}
