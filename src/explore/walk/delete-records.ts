/** Deletion of the records that a story created, the newest first. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Case } from "../requests/case.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { WalkedStep } from "./walked-step.ts";

/**
 * Sends the requests that delete records, each once. Yields each step after it was played.
 * @param isCreated false for the initial records
 */
export async function* deleteRecords(
  deleting: readonly Case[],
  context: StoryContext,
  isCreated: (resource: string, record: RecordValue) => boolean,
  {
    read,
    play,
  }: {
    /** Reads the records of the story. */
    read(): Promise<void>;
    play(chosen: Case, record: RecordValue): Promise<WalkedStep | undefined> | undefined;
  },
): AsyncGenerator<WalkedStep> {
  for (const chosen of deleting) {
    const target = chosen.endpoint.records.findLast(({ by }) => by);
    if (!target?.by) continue;
    const { field } = target.by;
    const tried = new Set<unknown>();
    for (;;) {
      await read();
      const record = context
        .nameable(target.resource, field)
        .findLast((candidate) => isCreated(target.resource, candidate) && !tried.has(candidate[field]));
      if (!record) break;
      tried.add(record[field]);
      const walked = await play(chosen, record);
      if (walked) yield walked;
    }
  }
}
