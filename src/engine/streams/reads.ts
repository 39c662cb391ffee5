/**
 * Reads of an expression: the data that it reads and others may change. These are records at hand,
 * by their names, and all records of some resources. An expression that waits to become true is
 * evaluated again after such a change, and not after every commit (decision "When streams and held
 * responses are evaluated").
 */
import { nodesThroughout } from "../../expressions/analysis/bodies.ts";
import type { Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { RecordValue } from "../../expressions/value.ts";
import { callerResourcesOf } from "../../model/authentication/caller-type.ts";
import type { Model } from "../../model/model.ts";
import { isRecord, type EvaluationContext } from "../evaluation/context.ts";

export interface Reads {
  /**
   * The records at hand whose fields the expression reads: `this`, `caller`, records of the path.
   */
  readonly names: ReadonlySet<string>;
  /**
   * The resources of which the expression may read any record: collections, and the targets of
   * references.
   */
  readonly resources: ReadonlySet<string>;
}

export function readsOf(nodes: readonly Node[], meaning: Meaning): Reads {
  const reads = { names: new Set<string>(), resources: new Set<string>() };
  for (const node of nodes) for (const inner of nodesThroughout(node, meaning)) addReads(inner, reads);
  return reads;
}

function addReads(
  node: Node,
  { names, resources }: { readonly names: Set<string>; readonly resources: Set<string> },
): void {
  if (node.op === "collection") resources.add(node.resource);
  if (node.op !== "field" && node.op !== "has" && node.op !== "shape" && node.op !== "representation") return;
  const { of } = node;
  if (of?.type.kind !== "record") return;
  if (of.op === "fixed" || of.op === "named") names.add(of.name);
  else resources.add(of.type.resource);
}

/**
 * The rows of an evaluation context's records. Changes of them may affect the response to the
 * request.
 */
export interface WatchedRows {
  readonly rows: readonly { readonly resource: string; readonly row: number }[];
  readonly resources: ReadonlySet<string>;
}

/**
 * @param more the possible resources of records at hand whose resource the evaluation context
 * lacks: `caller`, `credential`
 */
export function watchedRows(
  reads: Reads,
  evaluation: EvaluationContext,
  more: Readonly<Record<string, readonly string[]>> = {},
): WatchedRows {
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

/** Returns the possible resources of `caller` and `credential`, over all schemes. */
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
