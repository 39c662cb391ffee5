/** What went with a record, a line for each resource. */
import type { DeletedResponse } from "../../admin/api/record-changes.ts";

export function goneLines(gone: DeletedResponse["gone"]): string {
  return gone
    .map(
      ({ resource, deleted, cleared }) =>
        `  ${resource}: ${deleted} deleted${cleared > 0 ? `, ${cleared} references emptied` : ""}\n`,
    )
    .join("");
}
