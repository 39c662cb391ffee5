/** Records page by page, so that neither side holds all of them at once. */
import { pageSizeMax } from "../../engine/admin/page-size.ts";
import type { StoredRecordResponse } from "../../admin/api/records/record-responses.ts";
import type { RecordsResponse } from "../../admin/api/records/records.ts";
import type { Client } from "../operations/client.ts";

export interface RecordsSelection {
  readonly resource: string;
  readonly where?: string | undefined;
  readonly sort?: string | undefined;
  readonly oldest?: boolean;
  readonly deleted?: boolean;
  /** The maximum number of records. */
  readonly limit?: number;
  readonly cursor?: string | undefined;
}

export interface Page {
  readonly resource: RecordsResponse["resource"];
  readonly records: readonly StoredRecordResponse[];
  /** The cursor of the next page. */
  readonly next?: string;
}

/** Yields at least one page, which may be empty. @throws CliError | Refused */
export async function* pagesOf(
  client: Client,
  wanted: RecordsSelection,
): AsyncGenerator<Page, void, undefined> {
  const { resource, limit = Number.POSITIVE_INFINITY } = wanted;
  let left = limit;
  let cursor = wanted.cursor;
  do {
    const page = (await client.send({
      method: "GET",
      path: `/api/records/${encodeURIComponent(resource)}`,
      query: {
        where: wanted.where,
        sort: wanted.sort,
        cursor,
        oldest: wanted.oldest ? "true" : undefined,
        deleted: wanted.deleted ? "true" : undefined,
        whole: "true",
        limit: String(Math.min(left, pageSizeMax)),
      },
    })) as RecordsResponse;
    yield page;
    left -= page.records.length;
    cursor = page.next;
  } while (cursor !== undefined && left > 0);
}
