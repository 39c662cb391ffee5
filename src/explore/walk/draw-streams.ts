/** Streams of a story: which of a document's streams are opened, by whom. */
import type { Admissions } from "../stories/admissions.ts";
import type { Case } from "../requests/case.ts";
import type { Draw } from "../stories/draw.ts";
import { type Draft, drawDraft } from "../requests/draw-request.ts";
import type { StoryContext } from "../stories/story-context.ts";

/**
 * Requests that open some of the streams, for callers and records of the story.
 * @param streamsMax the maximum number of streams
 */
export function drawStreams(
  streaming: readonly Case[],
  streamsMax: number,
  draw: Draw,
  admissions: Admissions,
  context: StoryContext,
): readonly { readonly chosen: Case; readonly draft: Draft }[] {
  const left = [...streaming];
  const drawn: { readonly chosen: Case; readonly draft: Draft }[] = [];
  while (left.length > 0 && drawn.length < streamsMax) {
    const [chosen] = left.splice(draw.below(left.length), 1);
    const caller = chosen && admissions.prefer(chosen.endpoint, context);
    const draft = caller && drawDraft(chosen.endpoint, caller, context, 50);
    if (!draft) continue;
    context.watch(chosen.endpoint, draft.parameters);
    drawn.push({ chosen, draft });
  }
  return drawn;
}
