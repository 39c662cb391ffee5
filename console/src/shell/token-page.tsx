/**
 * Shown instead of everything else if the token is missing or wrong: says where to find the link,
 * and accepts the token.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { isTokenRejected, storeToken, token, tokenIn } from "../api/token.ts";
import { Field } from "../parts/field.tsx";
import { withCode } from "../parts/with-code.tsx";
import { t } from "../words/words.ts";

export function TokenPage(): VNode {
  const [error, setError] = useState<string>();
  const isWrong = token.value !== undefined && isTokenRejected.value;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = new FormData(event.currentTarget as HTMLFormElement).get("token");
    const parsedToken = tokenIn(String(input ?? ""));
    if (parsedToken === undefined) setError(t("shell.tokenForm"));
    else {
      setError(undefined);
      storeToken(parsedToken);
    }
  };
  return (
    <main class="token-page" id="content">
      <img src="/icon.svg" alt="" width="40" height="40" />
      <h1>{t("shell.tokenTitle")}</h1>
      <p>{withCode(t(isWrong ? "shell.tokenWrong" : "shell.tokenMissing"))}</p>
      <pre>
        <code>{`Console: ${location.origin}/#t=…`}</code>
      </pre>
      <p>{withCode(t("shell.tokenElsewhere"))}</p>
      <form onSubmit={submit}>
        <Field label={t("shell.tokenField")} error={error}>
          {(control) => (
            <input {...control} name="token" type="password" autocomplete="off" spellcheck={false} />
          )}
        </Field>
        <button type="submit" class="main">
          {t("shell.tokenOpen")}
        </button>
      </form>
    </main>
  );
}
