/**
 * Anonymous rates: the rates of part 8 that bound a client without a credential, or with an invalid
 * one. A rate by a property of the caller (`caller.account`) doesn't, because the property is null
 * there.
 */
import type { Node } from "../../expressions/node.ts";
import { readsName } from "../../expressions/analysis/reads.ts";
import type { RateLimit } from "../model.ts";

/** A rate by `caller` counts an anonymous caller by its address. */
export function coversAnonymous(rate: RateLimit): boolean {
  return isMet(rate) && (typeof rate.per !== "object" || isThere(rate.per.node));
}

/** Whether the rate limits guessing. A rate per caller counts successful guesses separately from failed ones, so it doesn't. */
export function coversRefused(rate: RateLimit): boolean {
  return rate.per !== "caller" && coversAnonymous(rate);
}

/**
 * Whether the condition holds for anonymous clients. `caller.plan == "free"` doesn't, but a comparison of the caller
 * with null states whom it applies to.
 */
function isMet({ when }: RateLimit): boolean {
  return when === undefined || !readsCaller(when.node) || comparesWithNull(when.node);
}

/** Whether an expression may have a value without a caller. */
function isThere(node: Node): boolean {
  if (node.op === "if") return isThere(node.then) || isThere(node.else);
  if (node.op === "call" && node.function === "or") return node.args.some(isThere);
  return !readsCaller(node);
}

function readsCaller(node: Node): boolean {
  return readsName(node, [{ name: "caller" }, { name: "credential" }]);
}

function comparesWithNull(node: Node): boolean {
  if (node.op === "and" || node.op === "or")
    return comparesWithNull(node.left) || comparesWithNull(node.right);
  return node.op === "binary" && [node.left, node.right].some(isNull);
}

function isNull(node: Node): boolean {
  return node.op === "literal" && node.value === null;
}
