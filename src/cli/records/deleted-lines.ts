/** Deleted dependents: one line for each resource whose records were deleted with a record. */
import type { DeletedResponse } from "../../admin/api/record-changes.ts";

export function deletedLines(gone: DeletedResponse["gone"]): string {
  return gone
    .map(
      ({ resource, deleted, cleared }) =>
        `  ${resource}: ${deleted} deleted${cleared > 0 ? `, ${cleared} references emptied` : ""}\n`,
    )
    .join("");
}
