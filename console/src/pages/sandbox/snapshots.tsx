/** Snapshots of the data space: created, restored, deleted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SnapshotResponse } from "../../../../src/admin/api/snapshots.ts";
import { call } from "../../api/call.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Field } from "../../parts/field.tsx";
import { Time } from "../../parts/time.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { bytesText, t } from "../../words/words.ts";
import { Confirm, type Question } from "./confirm.tsx";
import { useDoing } from "./doing.ts";

/** @param onChange called when the data space has been replaced */
export function Snapshots({ onChange }: { readonly onChange: () => void }): VNode {
  const { answer, refused, again } = useAnswer<{ readonly snapshots: readonly SnapshotResponse[] }>(
    "/api/snapshots",
  );
  const doing = useDoing();
  const [name, setName] = useState("");
  const [question, setQuestion] = useState<Question>();
  const take = () =>
    doing.begin(async () => {
      await call("POST", "/api/snapshots", { body: { name } });
      setName("");
      again();
      return t("sandbox.taken", { name });
    });
  const restore = (wanted: string) =>
    doing.begin(async () => {
      await call("POST", `/api/snapshots/${encodeURIComponent(wanted)}/restore`);
      onChange();
      return t("sandbox.restored", { name: wanted });
    });
  const remove = (gone: string) =>
    doing.begin(async () => {
      await call("DELETE", `/api/snapshots/${encodeURIComponent(gone)}`);
      again();
      return t("sandbox.removed", { name: gone });
    });
  const trouble = doing.refused ?? refused;
  return (
    <section aria-labelledby="snapshots">
      <h2 id="snapshots">{t("sandbox.snapshots")}</h2>
      {trouble && <Trouble refused={trouble} />}
      {answer?.snapshots.length === 0 && <p class="muted">{t("sandbox.snapshotsNone")}</p>}
      <ul class="rows">
        {answer?.snapshots.map((one) => (
          <li key={one.name}>
            <strong class="what">{one.name}</strong>
            <Time at={one.now} />
            <span class="number muted">{bytesText(one.bytes)}</span>
            <button
              type="button"
              class="small"
              disabled={doing.isUnderWay}
              aria-label={t("sandbox.restoreSnapshot", { name: one.name })}
              onClick={() =>
                setQuestion({
                  title: t("sandbox.restoreTitle", { name: one.name }),
                  why: t("sandbox.restoreWhy"),
                  action: t("sandbox.restore"),
                  confirmed: () => void restore(one.name),
                })
              }
            >
              {t("sandbox.restore")}
            </button>
            <button
              type="button"
              class="small"
              disabled={doing.isUnderWay}
              aria-label={t("sandbox.removeSnapshot", { name: one.name })}
              onClick={() =>
                setQuestion({
                  title: t("sandbox.removeSnapshotTitle", { name: one.name }),
                  why: t("sandbox.removeSnapshotWhy"),
                  action: t("sandbox.remove"),
                  confirmed: () => void remove(one.name),
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
          void take();
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
        <button type="submit" disabled={doing.isUnderWay}>
          {t("sandbox.take")}
        </button>
      </form>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}
