/** What is asked of records of which the database can't say which are meant: they are worked out beside it (`../../sql/beside.ts`), in steps. */
import type { Frame } from "../../../expressions/value.ts";
import { all, type Row, rowsOf, type Statement, type Steps } from "../../rows/steps.ts";
import { besideStep, frameOfPicked, frameOfStep, type Picked } from "../../sql/beside.ts";
import type { CompiledQuery } from "../../sql/queries.ts";

/** The rows of a question, whoever says which records are meant. */
export function* rowsAsked<R extends Row>(
  query: CompiledQuery<unknown> & Statement<R>,
  frame: Frame,
): Steps<readonly R[]> {
  const asked = query.beside ? yield* pickedFrame(query.beside, frame) : frame;
  return yield* rowsOf(all(query, query.bind(asked)));
}

function* pickedFrame(beside: CompiledQuery<Picked | undefined>, frame: Frame): Steps<Frame> {
  const picked: Picked[] = [];
  for (let behind = 0, isOver = false; !isOver; ) {
    const step = frameOfStep(frame, behind);
    const rows = yield* rowsOf(all(beside, beside.bind(step)));
    for (const row of rows) {
      const one = beside.decode(row, step);
      if (one) picked.push(one);
    }
    behind = Number(rows.at(-1)?.[0] ?? behind);
    isOver = rows.length < besideStep;
  }
  return frameOfPicked(frame, picked);
}
