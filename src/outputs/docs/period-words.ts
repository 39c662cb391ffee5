/** The period of a rate in words. */
import { formatDuration } from "../../support/quantity.ts";

/** `second`, `5 minutes`: the text after *per*. */
export function periodWords(milliseconds: number): string {
  return formatDuration(milliseconds).replace(/^1 /, "");
}
