/**
 * Browsing statements for the engine's own tables (`../rows/browsing.ts`), in a form that reader
 * threads can run.
 */
import type { WorkerStatement } from "./reading/thread.ts";

/**
 * Returns a function that gives one object for each text. Threads identify a statement by its
 * object. The number of texts is bounded, like that of the filters.
 */
export function createStatements(): (text: string) => WorkerStatement {
  const known = new Map<string, WorkerStatement>();
  return (text) => {
    let statement = known.get(text);
    if (!statement) {
      statement = { question: ["system", text] };
      known.set(text, statement);
    }
    return statement;
  };
}
