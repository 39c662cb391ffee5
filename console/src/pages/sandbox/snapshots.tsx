/** Snapshots of the data space: created, restored, deleted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SnapshotResponse } from "../../../../src/admin/api/sandbox/snapshots.ts";
import { call } from "../../api/call.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Field } from "../../parts/field.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { bytesText, t } from "../../words/words.ts";
import { Confirm, type Question } from "./confirm.tsx";
import { useSandboxAction } from "./sandbox-action.ts";

/** @param onChange called when the data space has been replaced */
export function Snapshots({ onChange }: { readonly onChange: () => void }): VNode {
  const { answer, error, again } = useAnswer<{ readonly snapshots: readonly SnapshotResponse[] }>(
    "/api/snapshots",
  );
  const sandboxAction = useSandboxAction();
  const [name, setName] = useState("");
  const [question, setQuestion] = useState<Question>();
  const create = () =>
    sandboxAction.run(async () => {
      await call("POST", "/api/snapshots", { body: { name } });
      setName("");
      again();
      return t("sandbox.taken", { name });
    });
  const restore = (snapshot: string) =>
    sandboxAction.run(async () => {
      await call("POST", `/api/snapshots/${encodeURIComponent(snapshot)}/restore`);
      onChange();
      return t("sandbox.restored", { name: snapshot });
    });
  const remove = (snapshot: string) =>
    sandboxAction.run(async () => {
      await call("DELETE", `/api/snapshots/${encodeURIComponent(snapshot)}`);
      again();
      return t("sandbox.removed", { name: snapshot });
    });
  const actionError = sandboxAction.error ?? error;
  return (
    <section aria-labelledby="snapshots">
      <h2 id="snapshots">{t("sandbox.snapshots")}</h2>
      {actionError && <ErrorNotice error={actionError} />}
      {answer?.snapshots.length === 0 && <p class="muted">{t("sandbox.snapshotsNone")}</p>}
      <ul class="rows">
        {answer?.snapshots.map((snapshot) => (
          <li key={snapshot.name}>
            <strong class="what">{snapshot.name}</strong>
            <Time at={snapshot.now} />
            <span class="number muted">{bytesText(snapshot.bytes)}</span>
            <button
              type="button"
              class="small"
              disabled={sandboxAction.isRunning}
              aria-label={t("sandbox.restoreSnapshot", { name: snapshot.name })}
              onClick={() =>
                setQuestion({
                  title: t("sandbox.restoreTitle", { name: snapshot.name }),
                  why: t("sandbox.restoreWhy"),
                  action: t("sandbox.restore"),
                  onConfirm: () => void restore(snapshot.name),
                })
              }
            >
              {t("sandbox.restore")}
            </button>
            <button
              type="button"
              class="small"
              disabled={sandboxAction.isRunning}
              aria-label={t("sandbox.removeSnapshot", { name: snapshot.name })}
              onClick={() =>
                setQuestion({
                  title: t("sandbox.removeSnapshotTitle", { name: snapshot.name }),
                  why: t("sandbox.removeSnapshotWhy"),
                  action: t("sandbox.remove"),
                  onConfirm: () => void remove(snapshot.name),
                })
              }
            >
              {t("sandbox.remove")}
            </button>
          </li>
        ))}
      </ul>
      <form
        class="one-field"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <Field label={t("sandbox.snapshot")}>
          {(control) => (
            <input
              {...control}
              required
              maxLength={64}
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" disabled={sandboxAction.isRunning}>
          {t("sandbox.take")}
        </button>
      </form>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}
