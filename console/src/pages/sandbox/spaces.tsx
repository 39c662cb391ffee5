/** The open data spaces: selected, created, deleted. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { SpacesResponse } from "../../../../src/admin/api/spaces.ts";
import { call } from "../../api/call.ts";
import { space as shown } from "../../api/space.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Chip } from "../../parts/chip.tsx";
import { Field } from "../../parts/field.tsx";
import { Time } from "../../parts/time.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { navigate, say } from "../../routing/address.ts";
import { service } from "../../shell/service.ts";
import { t } from "../../words/words.ts";
import { Confirm, type Question } from "./confirm.tsx";
import { useDoing } from "./doing.ts";

const ofAll = { space: undefined };

export function Spaces(): VNode {
  const { answer, refused, again } = useAnswer<SpacesResponse>("/api/spaces", ofAll);
  const doing = useDoing();
  const [name, setName] = useState("");
  const [question, setQuestion] = useState<Question>();
  const standard = service.value?.sandbox?.standard;
  const here = shown.value ?? standard;
  const look = (wanted: string | undefined) => {
    // The default data space has no name.
    if (wanted === standard) navigate("/sandbox?space=");
    else say({ space: wanted });
  };
  const make = () =>
    doing.begin(async () => {
      // The first request with its name creates a data space.
      await call("GET", "/api/clock", { query: { space: name } });
      look(name);
      setName("");
      again();
      return t("sandbox.showSpace", { name });
    });
  const remove = (gone: string) =>
    doing.begin(async () => {
      await call("DELETE", `/api/spaces/${encodeURIComponent(gone)}`, { query: ofAll });
      // Showing a deleted data space would create it again.
      if (gone === here) look(standard);
      again();
      return t("sandbox.removed", { name: gone });
    });
  const trouble = doing.refused ?? refused;
  return (
    <section aria-labelledby="spaces">
      <h2 id="spaces">{t("sandbox.spaces")}</h2>
      <p class="muted">{t("sandbox.spacesHint")}</p>
      {trouble && <Trouble refused={trouble} />}
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
                onClick={() => look(space)}
              >
                {t("sandbox.show")}
              </button>
            )}
            {space !== standard && (
              <button
                type="button"
                class="small"
                disabled={doing.isUnderWay}
                aria-label={t("sandbox.removeSpace", { name: space })}
                onClick={() =>
                  setQuestion({
                    title: t("sandbox.removeSpaceTitle", { name: space }),
                    why: t("sandbox.removeSpaceWhy"),
                    action: t("sandbox.remove"),
                    confirmed: () => void remove(space),
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
          void make();
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
        <button type="submit" disabled={doing.isUnderWay}>
          {t("sandbox.make")}
        </button>
      </form>
      {question && <Confirm question={question} close={() => setQuestion(undefined)} />}
    </section>
  );
}
