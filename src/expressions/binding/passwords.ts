/**
 * Password safety: a stored password is a hash, which may only be compared (part 2). Any other use
 * (an assigned field, a response, a name, an argument, a sort key) would copy the hash to where it
 * can be read. So a stored password is allowed only in comparisons and presence tests.
 */
import type { Node } from "../node.ts";
import { partsOfNode } from "../nodes.ts";
import { type Binding, mistake, type Range, textOf } from "./context.ts";

/** Reports each stored password that the expression copies. */
export function reportCopiedPasswords(binding: Binding, node: Node): void {
  report(binding, node, false, binding.root);
}

/**
 * @param isCompared whether the enclosing node compares it
 * @param around position of the enclosing node, for generated nodes
 */
function report(binding: Binding, node: Node, isCompared: boolean, around: Range): void {
  const range = binding.progress.ranges.get(node) ?? around;
  if (isStoredPassword(node) && !isCompared) {
    mistake(binding, "expressions/password-carried", range, { text: textOf(binding, range) });
    return;
  }
  for (const part of partsOfNode(node)) report(binding, part, compares(node, part, isCompared), range);
}

function compares(node: Node, part: Node, isCompared: boolean): boolean {
  switch (node.op) {
    case "call":
      if (node.function === "verify") return part === node.args[0];
      if (node.function === "same")
        return node.args.every((arg) => arg.type.kind === "password" || isNull(arg));
      // The existing one is compared, if they represent one record.
      return node.function === "or" && isCompared;
    case "binary":
      if (node.operator !== "==" && node.operator !== "!=") return false;
      return [node.left, node.right].every((node) => node.type.kind === "password" || isNull(node));
    case "if":
      return part !== node.condition && isCompared;
    default:
      return false;
  }
}

function isStoredPassword(node: Node): boolean {
  return node.op === "field" && node.type.kind === "password" && node.of.type.kind === "record";
}

function isNull(node: Node): boolean {
  return node.type.kind === "null";
}
