/**
 * Records: a table for each resource, next to the open record. The URL has the filters and the
 * order.
 */
import "./style.css";
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CountResponse, RecordsResponse } from "../../../../src/admin/api/records/records.ts";
import type { ResourcesResponse } from "../../../../src/admin/api/records/resources.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useKeys } from "../../keys/keys.ts";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Sample } from "../../parts/sample.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { navigate } from "../../routing/address.ts";
import { service } from "../../shell/service.ts";
import { numberText, t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { apiPath, isIndexSearch, pageRequested, dialogOpen } from "./filter-state.ts";
import { storedListLink, lastVisitedResource, useStoredView } from "./stored-view.ts";
import { proposedRecord } from "./proposed-record.ts";
import { CreateDialog } from "./create-dialog.tsx";
import { RecordDetail } from "./record-detail.tsx";
import { RecordsList } from "./records-list.tsx";

function RecordsHere({ parameters: { resource, id } }: PageProperties): VNode {
  return resource === undefined ? <FirstResource /> : <RecordsPage resource={resource} id={id} />;
}

/** Without a resource in the URL: the last one shown, else the first. */
function FirstResource(): VNode {
  const { answer, error, again } = useAnswer<ResourcesResponse>("/api/resources");
  const served = service.value;
  const first = answer && served && lastVisitedResource(answer.resources.map(({ name }) => name));
  useEffect(() => {
    if (first !== undefined) navigate(storedListLink(first), { replaces: true });
  }, [first]);
  return (
    <>
      <PageHead title={t("records.title")} />
      {error && <ErrorNotice error={error} again={again} />}
      {answer && answer.resources.length === 0 && (
        <Empty title={t("records.noResources")}>
          <Sample of="resource" part={2} />
        </Empty>
      )}
    </>
  );
}

function RecordsPage({
  resource,
  id,
}: {
  readonly resource: string;
  readonly id: string | undefined;
}): VNode {
  useStoredView(resource, id === undefined);
  const page = useAnswer<RecordsResponse>(apiPath(resource), pageRequested());
  const count = useAnswer<CountResponse>(
    isIndexSearch() ? undefined : `/api/counts/${encodeURIComponent(resource)}`,
    dialogOpen(),
  );
  const [isCreating, setCreating] = useState(false);
  const { answer } = page;
  const start = proposedRecord.value?.resource === resource ? proposedRecord.value : undefined;
  useKeys({ n: () => setCreating(true) });
  const reload = () => {
    page.again();
    count.again();
  };
  return (
    <ListAndDetail
      list={
        <>
          <PageHead
            title={resource}
            about={
              answer && (
                <>
                  <Total count={count.answer} />
                  <DocumentLine line={answer.resource.line} />
                </>
              )
            }
            actions={
              answer && (
                <button type="button" class="main" aria-keyshortcuts="n" onClick={() => setCreating(true)}>
                  {t("records.createTitle", { resource })}
                </button>
              )
            }
          />
          {answer && <ResourceTabs answer={answer} />}
          <RecordsList page={page} count={count} chosen={id} />
          {(isCreating || start) && answer && (
            <CreateDialog
              resource={answer.resource}
              start={start}
              close={() => {
                setCreating(false);
                proposedRecord.value = undefined;
              }}
              onCreate={reload}
            />
          )}
        </>
      }
      detail={id !== undefined && <RecordDetail resource={resource} id={id} onChange={reload} />}
    />
  );
}

/** The number of records, above the rows, because the pager below them may be out of sight. */
function Total({ count }: { readonly count: CountResponse | undefined }): VNode | null {
  if (!count) return null;
  return (
    <span class="muted number">
      {count.more
        ? t("records.totalMany", { count: numberText(count.count - 1) })
        : t("records.total", { count: count.count })}
    </span>
  );
}

function ResourceTabs({ answer: { resource, resources } }: { readonly answer: RecordsResponse }): VNode {
  return (
    <nav class="resource-tabs" aria-label={t("records.resources")}>
      {resources.map(({ name }) => (
        <a key={name} href={storedListLink(name)} aria-current={name === resource.name ? "page" : undefined}>
          {name}
        </a>
      ))}
    </nav>
  );
}

export const page: Page = {
  name: "data",
  paths: ["/data", "/data/:resource", "/data/:resource/:id"],
  key: "d",
  component: RecordsHere,
};
