/** The open data spaces: selected, created, deleted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SpacesResponse } from "../../../../src/admin/api/sandbox/spaces.ts";
import { call } from "../../api/call.ts";
import { space as shown } from "../../api/space.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Chip } from "../../parts/chip.tsx";
import { Field } from "../../parts/field.tsx";
import { Time } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { navigate, setParameters } from "../../routing/address.ts";
import { service } from "../../shell/service.ts";
import { t } from "../../words/words.ts";
import { Confirm, type Question } from "./confirm.tsx";
import { useSandboxAction } from "./sandbox-action.ts";

const ofAll = { space: undefined };

export function Spaces(): VNode {
  const { answer, error, again } = useAnswer<SpacesResponse>("/api/spaces", ofAll);
  const sandboxAction = useSandboxAction();
  const [name, setName] = useState("");
  const [question, setQuestion] = useState<Question>();
  const standard = service.value?.sandbox?.standard;
  const here = shown.value ?? standard;
  const showSpace = (name: string | undefined) => {
    // The default data space has no name.
    if (name === standard) navigate("/sandbox?space=");
    else setParameters({ space: name });
  };
  const create = () =>
    sandboxAction.run(async () => {
      // The first request with its name creates a data space.
      await call("GET", "/api/clock", { query: { space: name } });
      showSpace(name);
      setName("");
      again();
      return t("sandbox.showSpace", { name });
    });
  const remove = (removedSpace: string) =>
    sandboxAction.run(async () => {
      await call("DELETE", `/api/spaces/${encodeURIComponent(removedSpace)}`, { query: ofAll });
      // Showing a deleted data space would create it again.
      if (removedSpace === here) showSpace(standard);
      again();
      return t("sandbox.removed", { name: removedSpace });
    });
  const actionError = sandboxAction.error ?? error;
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
              <button
                type="button"
                class="small"
                disabled={sandboxAction.isRunning}
                aria-label={t("sandbox.removeSpace", { name: space })}
                onClick={() =>
                  setQuestion({
                    title: t("sandbox.removeSpaceTitle", { name: space }),
                    why: t("sandbox.removeSpaceWhy"),
                    action: t("sandbox.remove"),
                    onConfirm: () => void remove(space),
                  })
                }
              >
                {t("sandbox.remove")}
              </button>
            )}
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
        <Field label={t("sandbox.newSpace")} hint={t("sandbox.newSpaceHint")}>
          {(control) => (
            <input
              {...control}
              required
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" disabled={sandboxAction.isRunning}>
          {t("sandbox.make")}
        </button>
      </form>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}
