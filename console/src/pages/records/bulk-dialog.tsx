/**
 * Bulk change of all records that match the filters, on every page: the request has the filters and
 * the displayed count. For records that were selected one by one, it has their identifiers.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { BulkResponse } from "../../../../src/admin/api/records/record-changes.ts";
import type { ResourceResponse } from "../../../../src/admin/api/records/resources.ts";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { announce } from "../../parts/announcer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SelectField } from "../../parts/field.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { t } from "../../words/words.ts";
import { dialogOpen } from "./filter-state.ts";

const deletion = " delete";

export function BulkDialog({
  resource,
  count,
  ids,
  close,
  onChange,
}: {
  readonly resource: ResourceResponse;
  readonly count: number;
  /** The selected records; empty for all that match. */
  readonly ids: readonly string[];
  readonly close: () => void;
  readonly onChange: () => void;
}): VNode {
  const [selected, setSelected] = useState("");
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const { filter, search, deleted } = dialogOpen();
  const change = async () => {
    setBusy(true);
    try {
      const what = selected === deletion ? { do: "delete" } : { do: "transition", transition: selected };
      const which = ids.length > 0 ? { ids } : { filter, search, deleted };
      const body = { ...which, count, ...what };
      const path = `/api/changes/${encodeURIComponent(resource.name)}`;
      const { changed } = await call<BulkResponse>("POST", path, { body });
      announce(t("records.didChangeMany", { count: changed }));
      close();
      onChange();
    } catch (error) {
      setError(asApiError(error));
    }
    setBusy(false);
  };
  const actionText =
    selected === ""
      ? t("records.bulkApply")
      : selected === deletion
        ? t("records.bulkDelete", { count })
        : t("records.bulkTake", { count, transition: selected });
  const whichText =
    filter.length === 0 ? t("records.bulkAll") : t("records.bulkOf", { filters: filter.join("; ") });
  return (
    <Dialog
      title={t("records.bulkTitle", { count })}
      close={close}
      cancels
      actions={
        <button
          type="button"
          class={selected === deletion ? "danger" : selected === "" ? "" : "main"}
          disabled={selected === "" || isBusy}
          onClick={() => void change()}
        >
          {actionText}
        </button>
      }
    >
      <p>{ids.length > 0 ? t("records.bulkOfSelected") : whichText}</p>
      <SelectField
        label={t("records.bulkDo")}
        value={selected}
        options={[
          ["", t("records.choose")],
          ...resource.transitions.map((name) => [name, name] as const),
          [deletion, t("records.delete")],
        ]}
        change={setSelected}
      />
      <p class="hint">{t("records.bulkHint")}</p>
      {error && <ErrorNotice error={error} />}
    </Dialog>
  );
}
