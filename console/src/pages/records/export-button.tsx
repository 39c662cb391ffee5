/** Saves the records of the list, or the selected ones, as a CSV file. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { TableResponse } from "../../../../src/admin/api/records/record-tables.ts";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { announce } from "../../parts/announcer.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { parameter } from "../../routing/address.ts";
import { numberText, t } from "../../words/words.ts";
import { dialogOpen } from "./filter-state.ts";

export function ExportButton({
  resource,
  ids,
}: {
  readonly resource: string;
  readonly ids: ReadonlySet<string>;
}): VNode {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    setBusy(true);
    setError(undefined);
    const { filter, search, deleted } = dialogOpen();
    const question = { filter, search, deleted, sort: parameter("sort") };
    try {
      const { csv, count, more } = await call<TableResponse>(
        "POST",
        `/api/tables/${encodeURIComponent(resource)}`,
        { body: ids.size > 0 ? { ids: [...ids] } : question },
      );
      saveFile(`${resource}.csv`, csv);
      announce(
        more ? t("records.exportedFirst", { count: numberText(count) }) : t("records.exported", { count }),
      );
    } catch (error) {
      setError(asApiError(error));
    }
    setBusy(false);
  };
  return (
    <>
      <button type="button" class="small" disabled={isBusy} onClick={() => void save()}>
        {t("records.export")}
      </button>
      {error && <ErrorNotice error={error} />}
    </>
  );
}

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}
