/** The records of a resource as a table: one page of rows, and the count as soon as it is known. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { CountResponse, RecordsResponse } from "../../../../src/admin/api/records/records.ts";
import type { ResourceResponse } from "../../../../src/admin/api/records/resources.ts";
import type { AnswerState } from "../../api/use-answer.ts";
import { Chip } from "../../parts/chip.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Pager } from "../../parts/pager.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { addressWith, parameter } from "../../routing/address.ts";
import { listText, numberText, t } from "../../words/words.ts";
import { recordPaneLink, isIndexSearch, dialogOpen } from "./filter-state.ts";
import { BulkDialog } from "./bulk-dialog.tsx";
import { Cell, isNumeric } from "./cell.tsx";
import { type ChangedRecords, useChangedRecords } from "./changed-records.ts";
import { ColumnsButton, visibleColumns } from "./columns.tsx";
import { ExportButton } from "./export-button.tsx";
import { ImportButton } from "./import-button.tsx";
import { Filters } from "./filters.tsx";
import { countText } from "./record-detail.tsx";
import { type Selection, useSelection } from "./selection.ts";

export function RecordsList({
  page,
  count,
  chosen,
}: {
  readonly page: AnswerState<RecordsResponse>;
  readonly count: AnswerState<CountResponse>;
  readonly chosen: string | undefined;
}): VNode {
  const { answer, error, again } = page;
  const [isChanging, setChanging] = useState(false);
  const selection = useSelection(`${answer?.resource.name} ${JSON.stringify(dialogOpen())}`);
  const newest = Math.max(0, ...(answer?.records.map(({ row }) => row) ?? []));
  const changedRecords = useChangedRecords(answer?.resource.name ?? "", answer, newest, again);
  const refetch = () => {
    again();
    count.again();
  };
  if (!answer)
    return error ? <ErrorNotice error={error} again={again} /> : <p class="muted">{t("parts.loading")}</p>;
  const { resource } = answer;
  const recordCount = count.answer;
  const selectedCount = selection.ids.size;
  return (
    <>
      <Filters resource={resource} />
      {error && <ErrorNotice error={error} again={again} />}
      <div class="list-about">
        <About answer={answer} />
        <div class="list-actions">
          {(changedRecords.isMore || answer.records.some(({ row }) => changedRecords.has(row))) && (
            <button type="button" class="small" onClick={refetch}>
              {t("records.showAnew")}
            </button>
          )}
          {resource.marked && <DeletedToggle />}
          {selectedCount > 0 && (
            <>
              <span class="number">{t("records.selected", { count: selectedCount })}</span>
              <button type="button" class="small" onClick={selection.clear}>
                {t("records.unselect")}
              </button>
              <button type="button" class="small" onClick={() => setChanging(true)}>
                {t("records.bulkSelected", { count: numberText(selectedCount) })}
              </button>
            </>
          )}
          {selectedCount === 0 && recordCount?.bulk && recordCount.count > 0 && !isIndexSearch() && (
            <button type="button" class="small" onClick={() => setChanging(true)}>
              {t("records.bulk", { count: recordCount.count })}
            </button>
          )}
          {selectedCount === 0 && recordCount?.bulk === false && !isIndexSearch() && (
            <span class="muted">{t("records.bulkTooMany")}</span>
          )}
          <ImportButton resource={resource.name} onImport={refetch} />
          {answer.records.length > 0 && <ExportButton resource={resource.name} ids={selection.ids} />}
          <ColumnsButton resource={resource} />
        </div>
      </div>
      <Records answer={answer} changedRecords={changedRecords} chosen={chosen} selection={selection} />
      <Pager
        countText={shownText(answer, recordCount, count.error !== undefined)}
        next={answer.next}
        previous={answer.previous}
      />
      {isChanging && (selectedCount > 0 || recordCount) && (
        <BulkDialog
          resource={resource}
          count={selectedCount > 0 ? selectedCount : (recordCount?.count ?? 0)}
          ids={[...selection.ids]}
          close={() => setChanging(false)}
          onChange={() => {
            selection.clear();
            refetch();
          }}
        />
      )}
    </>
  );
}

function Records({
  answer: { resource, records },
  changedRecords,
  chosen,
  selection,
}: {
  readonly answer: RecordsResponse;
  readonly changedRecords: ChangedRecords;
  readonly chosen: string | undefined;
  readonly selection: Selection;
}): VNode {
  if (records.length === 0) {
    const { filter, search } = dialogOpen();
    return (
      <Empty
        title={
          filter.length > 0 || search
            ? t("parts.nothingMatches")
            : t("records.none", { resource: resource.name })
        }
      />
    );
  }
  return (
    <Table
      label={t("records.tableOf", { resource: resource.name })}
      columns={columnsOf(resource, changedRecords)}
      rows={records}
      keyOf={({ id }) => id}
      linkOf={({ id }) => recordPaneLink(resource.name, id)}
      selectedKey={chosen}
      isWide
      // An open record needs the space.
      selection={chosen === undefined ? { selected: selection.ids, set: selection.set } : undefined}
      classOf={({ row, deleted }) =>
        `${changedRecords.has(row) ? "is-changed" : ""} ${deleted ? "is-deleted" : ""}`
      }
    />
  );
}

function columnsOf(
  resource: ResourceResponse,
  changedRecords: ChangedRecords,
): readonly Column<StoredRecordResponse>[] {
  return visibleColumns(resource).map((field, at) => ({
    name: field.name,
    head: field.name,
    ...(isNumeric(field) ? { align: "end" as const } : {}),
    ...(field.sortable ? { sort: field.name, isSlowToSort: !field.indexed } : {}),
    cell: (record) => (
      <>
        <Cell field={field} record={record} isLink={at > 0} />
        {at === 0 && record.deleted && <Chip tone="bad">{t("records.deleted")}</Chip>}
        {at === 0 && changedRecords.has(record.row) && <Chip tone="warn">{t("records.changed")}</Chip>}
      </>
    ),
  }));
}

/** The fields that were searched, and the cost of the search; empty if neither applies. */
function About({
  answer: { resource, found, looks_at_all: looksAtAll },
}: {
  readonly answer: RecordsResponse;
}): VNode {
  const sorted = parameter("sort")?.replace(/^-/, "");
  const isSlow = resource.fields.some(({ name, indexed }) => name === sorted && !indexed);
  return (
    <p class="muted">
      {found && t("records.foundIn", { fields: listText(found.in) })}
      {found?.more && ` ${t("records.foundMore")}`}
      {found && !looksAtAll && (
        <>
          {" "}
          <a href={addressWith({ everywhere: "true", cursor: undefined })}>{t("records.lookEverywhere")}</a>
        </>
      )}
      {looksAtAll &&
        withCode(
          ` ${isSlow ? t("records.sortedWithoutIndex", { field: sorted ?? "" }) : t("records.looksAtAll")}`,
        )}
    </p>
  );
}

function DeletedToggle(): VNode {
  const isShown = parameter("deleted") === "true";
  return (
    <a class="button small" href={addressWith({ deleted: isShown ? undefined : "true", cursor: undefined })}>
      {t(isShown ? "records.hideDeleted" : "records.showDeleted")}
    </a>
  );
}

function shownText(
  { records }: RecordsResponse,
  known: CountResponse | undefined,
  isUnknown: boolean,
): string {
  if (known) return t("records.shownOf", { count: records.length, total: countText(known.count) });
  return isUnknown
    ? t("records.shownOfUnknown", { count: records.length })
    : t("records.shown", { count: records.length });
}
