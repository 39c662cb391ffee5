/** The statements of those who look over the engine's own tables (`../rows/browsing.ts`), as other threads know them. */
import type { WorkerStatement } from "./reading/thread.ts";

/** Gives each text one object, by which threads know it: a bounded number of texts, as there are filters. */
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
