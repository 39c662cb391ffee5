/**
 * Queries with conditions that the database can't evaluate: a post-filter chooses their records in
 * slices (`../../sql/post-filter.ts`).
 */
import type { Frame } from "../../../expressions/value.ts";
import { allRows, type Row, rowsOf, type Statement, type Steps } from "../../rows/steps.ts";
import { postFilterStep, selectedFrame, frameOfStep, type SelectedRow } from "../../sql/post-filter.ts";
import type { CompiledQuery } from "../../sql/queries.ts";

/** The rows of a query, with or without a post-filter. */
export function* queryRows<R extends Row>(
  query: CompiledQuery<unknown> & Statement<R>,
  frame: Frame,
): Steps<readonly R[]> {
  const results = query.postFilter ? yield* postFilterFrame(query.postFilter, frame) : frame;
  return yield* rowsOf(allRows(query, query.bind(results)));
}

function* postFilterFrame(postFilter: CompiledQuery<SelectedRow | undefined>, frame: Frame): Steps<Frame> {
  const picked: SelectedRow[] = [];
  for (let behind = 0, isOver = false; !isOver; ) {
    const step = frameOfStep(frame, behind);
    const rows = yield* rowsOf(allRows(postFilter, postFilter.bind(step)));
    for (const row of rows) {
      const selected = postFilter.decode(row, step);
      if (selected) picked.push(selected);
    }
    behind = Number(rows.at(-1)?.[0] ?? behind);
    isOver = rows.length < postFilterStep;
  }
  return selectedFrame(frame, picked);
}
