/** Snapshots of the data space: created, restored, deleted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SnapshotResponse } from "../../../../src/admin/api/sandbox/snapshots.ts";
import { call } from "../../api/call.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { bytesText, t } from "../../words/words.ts";
import { ConfirmedButton, Confirm, NameForm, type Question } from "./confirm.tsx";
import { useAction } from "../../api/use-action.ts";

/** @param onChange called when the data space has been replaced */
export function Snapshots({ onChange }: { readonly onChange: () => void }): VNode {
  const { answer, error, again } = useAnswer<{ readonly snapshots: readonly SnapshotResponse[] }>(
    "/api/snapshots",
  );
  const action = useAction();
  const [question, setQuestion] = useState<Question>();
  const create = (name: string, clear: () => void) =>
    action.run(async () => {
      await call("POST", "/api/snapshots", { body: { name } });
      clear();
      again();
      return t("sandbox.taken", { name });
    });
  const restore = (snapshot: string) =>
    action.run(async () => {
      await call("POST", `/api/snapshots/${encodeURIComponent(snapshot)}/restore`);
      onChange();
      return t("sandbox.restored", { name: snapshot });
    });
  const remove = (snapshot: string) =>
    action.run(async () => {
      await call("DELETE", `/api/snapshots/${encodeURIComponent(snapshot)}`);
      again();
      return t("sandbox.removed", { name: snapshot });
    });
  const actionError = action.error ?? error;
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
            <ConfirmedButton
              label={t("sandbox.restoreSnapshot", { name: snapshot.name })}
              disabled={action.isRunning}
              open={setQuestion}
              question={{
                title: t("sandbox.restoreTitle", { name: snapshot.name }),
                why: t("sandbox.restoreWhy"),
                action: t("sandbox.restore"),
                onConfirm: () => void restore(snapshot.name),
              }}
            />
            <ConfirmedButton
              label={t("sandbox.removeSnapshot", { name: snapshot.name })}
              disabled={action.isRunning}
              open={setQuestion}
              question={{
                title: t("sandbox.removeSnapshotTitle", { name: snapshot.name }),
                why: t("sandbox.removeSnapshotWhy"),
                action: t("sandbox.remove"),
                onConfirm: () => void remove(snapshot.name),
              }}
            />
          </li>
        ))}
      </ul>
      <NameForm
        label={t("sandbox.snapshot")}
        action={t("sandbox.take")}
        lengthMax={64}
        disabled={action.isRunning}
        create={create}
      />
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}
