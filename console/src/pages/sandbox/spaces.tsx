/** The open data spaces: selected, created, deleted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SpacesResponse } from "../../../../src/admin/api/sandbox/spaces.ts";
import { call } from "../../api/call.ts";
import { space as shown } from "../../api/space.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Chip } from "../../parts/chip.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { navigate, setParameters } from "../../routing/address.ts";
import { service } from "../../shell/service.ts";
import { t } from "../../words/words.ts";
import { ConfirmedButton, Confirm, NameForm, type Question } from "./confirm.tsx";
import { useAction } from "../../api/use-action.ts";

const ofAll = { space: undefined };

export function Spaces(): VNode {
  const { answer, error, again } = useAnswer<SpacesResponse>("/api/spaces", ofAll);
  const action = useAction();
  const [question, setQuestion] = useState<Question>();
  const standard = service.value?.sandbox?.standard;
  const here = shown.value ?? standard;
  const showSpace = (name: string | undefined) => {
    // The default data space has no name.
    if (name === standard) navigate("/sandbox?space=");
    else setParameters({ space: name });
  };
  const create = (name: string, clear: () => void) =>
    action.run(async () => {
      // The first request with its name creates a data space.
      await call("GET", "/api/clock", { query: { space: name } });
      showSpace(name);
      clear();
      again();
      return t("sandbox.showSpace", { name });
    });
  const remove = (removedSpace: string) =>
    action.run(async () => {
      await call("DELETE", `/api/spaces/${encodeURIComponent(removedSpace)}`, { query: ofAll });
      // Showing a deleted data space would create it again.
      if (removedSpace === here) showSpace(standard);
      again();
      return t("sandbox.removed", { name: removedSpace });
    });
  const actionError = action.error ?? error;
  return (
    <section aria-labelledby="spaces">
      <h2 id="spaces">{t("sandbox.spaces")}</h2>
      <p class="muted">{t("sandbox.spacesHint")}</p>
      {actionError && <ErrorNotice error={actionError} />}
      <ul class="rows">
        {answer?.spaces.map(({ space, clock }) => (
          <li key={space}>
            <strong class="what">{space}</strong>
            <Time at={clock.now} />
            {space === here ? (
              <Chip tone="info">{t("sandbox.spaceHere")}</Chip>
            ) : (
              <button
                type="button"
                class="small"
                aria-label={t("sandbox.showSpace", { name: space })}
                onClick={() => showSpace(space)}
              >
                {t("sandbox.show")}
              </button>
            )}
            {space !== standard && (
              <ConfirmedButton
                label={t("sandbox.removeSpace", { name: space })}
                disabled={action.isRunning}
                open={setQuestion}
                question={{
                  title: t("sandbox.removeSpaceTitle", { name: space }),
                  why: t("sandbox.removeSpaceWhy"),
                  action: t("sandbox.remove"),
                  onConfirm: () => void remove(space),
                }}
              />
            )}
          </li>
        ))}
      </ul>
      <NameForm
        label={t("sandbox.newSpace")}
        hint={t("sandbox.newSpaceHint")}
        action={t("sandbox.make")}
        disabled={action.isRunning}
        create={create}
      />
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}
