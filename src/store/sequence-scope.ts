/** Sequence scopes: what separates the sequences of one field, as the store records it with the column. */
import type { Meaning } from "../expressions/scope.ts";
import type { Node } from "../expressions/node.ts";
import { sequenceOf } from "../expressions/special-functions.ts";
import type { Value } from "../expressions/value.ts";
import { identifierFields } from "../model/meaning.ts";
import type { Model } from "../model/model.ts";
import { digestOf } from "../support/hashing/digest.ts";
import { inFull } from "./stored-rules.ts";

/** Empty for `sequence()`, which counts all records. */
export interface SequenceScope {
  /** The field of the record: `repo` for `sequence(this.repo)`. */
  readonly field?: string;
  /** A digest of any other expression. */
  readonly digest?: string;
  /** The resource whose keys the scope consists of. */
  readonly resource?: string;
}

/** Undefined if the expression isn't a sequence. */
export function sequenceScope(made: Node, model: Model, meaning: Meaning): SequenceScope | undefined {
  const sequence = sequenceOf(made);
  if (!sequence?.within) return sequence && {};
  const { within } = sequence;
  const resource = resourceOfKeys(within, model);
  return {
    ...(isOwnField(within, meaning) ? { field: within.name } : { digest: digestOf(inFull(within, meaning)) }),
    ...(resource !== undefined && { resource }),
  };
}

/** The value of a scope in the name of a sequence: a record's row, or an identifier. */
export function scopeText(value: Value): string {
  const isRow = value !== null && typeof value === "object" && "#row" in value;
  return JSON.stringify(isRow ? value["#row"] : value);
}

function isOwnField(node: Node, meaning: Meaning): node is Extract<Node, { readonly op: "field" }> {
  if (node.op !== "field" || node.of.op !== "fixed" || node.of.name !== "this") return false;
  return node.of.type.kind === "record" && !meaning.computed(node.of.type.resource, node.name);
}

/** A reference, or the identifying field of one. */
function resourceOfKeys(node: Node, { resources }: Model): string | undefined {
  if (node.type.kind === "record") return node.type.resource;
  if (node.op !== "field" || node.of.type.kind !== "record") return undefined;
  const name = node.of.type.resource;
  const resource = resources.find((candidate) => candidate.name === name);
  const isKey = resource !== undefined && identifierFields(resource).join(" ") === node.name;
  return isKey ? name : undefined;
}
