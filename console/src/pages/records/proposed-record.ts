/**
 * A record that another page proposes to create, with its known values. It lasts until its form is
 * closed.
 */
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { state } from "../../state.ts";

export interface ProposedRecord {
  readonly resource: string;
  readonly fields: StoredRecordResponse["fields"];
  /** Important fields whose values aren't known yet. */
  readonly lacks: readonly string[];
}

export const proposedRecord = state<ProposedRecord | undefined>(undefined);

/** Opens the form that creates the record. */
export function proposeRecord(record: ProposedRecord): void {
  proposedRecord.value = record;
  navigate(linkTo(["data", record.resource]));
}
