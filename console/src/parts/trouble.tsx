/**
 * The error of a request in place of its content, in the server's words, with a button to retry.
 */
import type { VNode } from "preact";
import type { Refused } from "../api/refused.ts";
import { t } from "../words/words.ts";
import { Icon } from "./icon.tsx";
import { withCode } from "./with-code.tsx";

export function Trouble({
  refused,
  again,
}: {
  readonly refused: Refused;
  readonly again?: (() => void) | undefined;
}): VNode {
  return (
    <div class="trouble" role="alert">
      <Icon name="warning" />
      <div>
        <p class="trouble-title">{refused.title || t("parts.refused", { status: String(refused.status) })}</p>
        {refused.detail && <p>{withCode(refused.detail)}</p>}
        {refused.errors.length > 0 && (
          <ul>
            {refused.errors.map(({ field, message }) => (
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
