/** A record that somebody was led to make, as far as is known what it has to be. It lasts until its form is closed. */
import type { StoredRecordResponse } from "../../../../src/admin/api/record-responses.ts";
import { navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { state } from "../../state.ts";

export interface Started {
  readonly resource: string;
  readonly fields: StoredRecordResponse["fields"];
  /** Fields of which nothing is known yet, and that matter. */
  readonly lacks: readonly string[];
}

export const started = state<Started | undefined>(undefined);

/** Leads to the form in which it is made. */
export function beginRecord(record: Started): void {
  started.value = record;
  navigate(linkTo(["data", record.resource]));
}
