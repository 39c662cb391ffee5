/**
 * The error of a request in place of its content, in the server's words, with a button to retry.
 */
import type { VNode } from "preact";
import type { ApiError } from "../api/api-error.ts";
import { t } from "../words/words.ts";
import { Icon } from "./icon.tsx";
import { withCode } from "./with-code.tsx";

export function ErrorNotice({
  error,
  again,
}: {
  readonly error: ApiError;
  readonly again?: (() => void) | undefined;
}): VNode {
  return (
    <div class="error-notice" role="alert">
      <Icon name="warning" />
      <div>
        <p class="error-notice-title">
          {error.title || t("parts.refused", { status: String(error.status) })}
        </p>
        {error.detail && <p>{withCode(error.detail)}</p>}
        {error.errors.length > 0 && (
          <ul>
            {error.errors.map(({ field, message }) => (
              <li key={field}>
                <code>{field}</code> {withCode(message)}
              </li>
            ))}
          </ul>
        )}
        {again && (
          <button type="button" class="small" onClick={again}>
            {t("parts.tryAgain")}
          </button>
        )}
      </div>
    </div>
  );
}
