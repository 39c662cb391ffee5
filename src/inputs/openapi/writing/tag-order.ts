/** The order of endpoints: that of the tags. */
import type { Operation } from "../description/operations.ts";
import { listOf, member, textOf, textsOf } from "../description/values.ts";
import type { Writing } from "./context.ts";

/** Operations in the order of the listed tags, then of the other tags; within a tag, in the order of the file. */
export function inOrderOfTags({ files }: Writing, operations: readonly Operation[]): readonly Operation[] {
  const tagOf = (operation: Operation) => textsOf(operation.node["tags"])[0] ?? "";
  const listed = listOf(member(files.first, "tags")).map((item) => textOf(member(item, "name")) ?? "");
  const order = [...new Set([...listed, ...operations.map(tagOf)])];
  const rank = new Map(order.map((tag, index) => [tag, index]));
  return operations.toSorted((a, b) => (rank.get(tagOf(a)) ?? 0) - (rank.get(tagOf(b)) ?? 0));
}
