/** Who writes which reading of a node: `writing.ts` asks them. */
import { writeCondition } from "./condition.ts";
import { jsonOfSource } from "./json.ts";
import { writeElementOfList } from "./source.ts";
import { writeValue } from "./value.ts";
import type { Writers } from "./writing.ts";

export const writers: Writers = {
  value: writeValue,
  condition: writeCondition,
  list: (source) => jsonOfSource(source, undefined),
  element: writeElementOfList,
};
