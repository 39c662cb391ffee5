/** Deleted dependents: one line for each resource whose records were deleted with a record. */
import type { DeletedResponse } from "../../admin/api/records/record-changes.ts";

export function deletedLines(counts: DeletedResponse["gone"]): string {
  return counts
    .map(
      ({ resource, deleted, cleared }) =>
        `  ${resource}: ${deleted} deleted${cleared > 0 ? `, ${cleared} references emptied` : ""}\n`,
    )
    .join("");
}
