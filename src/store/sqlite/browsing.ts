/**
 * The statements for browsing the engine's own tables (`../rows/browsing.ts`), in the form that
 * reader threads share.
 */
import type { WorkerStatement } from "./reading/thread.ts";

/**
 * Returns one object for each text, by which threads identify it: a bounded number of texts, like
 * the filters.
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
