/**
 * Confirmation before a record is deleted: shows which records are deleted with it, or which ones
 * prevent it.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { DeletedResponse } from "../../../../src/admin/api/records/record-changes.ts";
import type { StoredRecordResponse } from "../../../../src/admin/api/records/record-responses.ts";
import type { DeletionResponse } from "../../../../src/admin/api/records/records.ts";
import { call } from "../../api/call.ts";
import { ApiError } from "../../api/api-error.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { announce } from "../../parts/announcer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { navigate } from "../../routing/address.ts";
import { t } from "../../words/words.ts";
import { apiPath, listLink } from "./filter-state.ts";

export function DeleteDialog({
  resource,
  record: { id, revision },
  close,
  onDelete,
  again,
}: {
  readonly resource: string;
  readonly record: StoredRecordResponse;
  readonly close: () => void;
  readonly onDelete: () => void;
  /** Called when the record has changed since it was shown. */
  readonly again: () => void;
}): VNode {
  const { answer, error } = useAnswer<DeletionResponse>(apiPath(resource, id, "deletion"));
  const [failed, setFailed] = useState<ApiError>();
  const once = useOneAtATime();
  const inUseBy = answer?.in_use_by;
  const remove = async () => {
    try {
      await call<DeletedResponse>("DELETE", apiPath(resource, id), { query: { revision } });
      announce(t("records.didDelete", { id }));
      close();
      navigate(listLink(resource), { replaces: true });
      onDelete();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailed(error);
      if (error.status === 409) again();
    }
  };
  return (
    <Dialog
      title={t("records.deleteTitle", { resource, id })}
      close={close}
      cancels
      actions={
        <button
          type="button"
          class="danger"
          disabled={answer === undefined || inUseBy !== undefined}
          onClick={() => void once(remove)}
        >
          {t("records.delete")}
        </button>
      }
    >
      {error && <ErrorNotice error={error} />}
      {!answer && !error && <p class="muted">{t("parts.loading")}</p>}
      {inUseBy !== undefined && <p>{t("records.inUse", { by: inUseBy })}</p>}
      {answer && inUseBy === undefined && (
        <>
          <p>{t("records.goesAlong")}</p>
          <ul>
            {answer.gone.map(({ resource: of, deleted, cleared }) => (
              <li key={of}>
                {deleted > 0 && t("records.gone", { count: deleted, resource: of })}
                {deleted > 0 && cleared > 0 && ", "}
                {cleared > 0 && t("records.cleared", { count: cleared, resource: of })}
              </li>
            ))}
          </ul>
        </>
      )}
      {failed && <ErrorNotice error={failed} />}
    </Dialog>
  );
}
