/** Writers of SQL: maps each kind of output for a node to its writer. `writing.ts` calls them. */
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
