/**
 * One transition: its ends with their conditions and effects, who may fire it, and how often it was
 * fired.
 */
import type { VNode } from "preact";
import type { ResourceStates, TransitionResponse } from "../../../../src/admin/api/records/states.ts";
import { DocumentLine } from "../../parts/document-line.tsx";
import { KeyValues } from "../../parts/key-values.tsx";
import { Detail } from "../../parts/list-and-detail.tsx";
import { addressWith } from "../../routing/address.ts";
import { listText, numberText, t } from "../../words/words.ts";
import { Refusals } from "./refusals.tsx";
import { triggerWords, endText } from "./tables.tsx";
import { firedCounts } from "./flow.ts";

export function TransitionDetail({
  of,
  transition,
}: {
  readonly of: ResourceStates;
  readonly transition: TransitionResponse;
}): VNode {
  const { name, line, ends, taken_by, done_by } = transition;
  const { minute, hour } = firedCounts(of, name);
  return (
    <Detail
      title={<code>{name}</code>}
      about={<DocumentLine line={line} />}
      closeTo={addressWith({ transition: undefined })}
      name={`${of.name} ${name}`}
    >
      <h3>{t("states.ways")}</h3>
      {ends.map((end, at) => (
        <Way key={at} end={end} />
      ))}
      <h3>{t("states.whoMay")}</h3>
      <Takers transition={transition} />
      {done_by.length > 0 && (
        <>
          <h3>{t("states.alsoBy")}</h3>
          <ul class="plain">
            {done_by.map(({ place, line }) => (
              <li key={`${place} ${line}`}>
                <code>{place}</code> <DocumentLine line={line} />
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{t("states.flow")}</h3>
      <KeyValues
        of={[
          [t("states.lastMinute"), numberText(minute)],
          [t("states.lastHour"), numberText(hour)],
        ]}
      />
      {taken_by.length > 0 && <Refusals resource={of.name} transition={name} />}
    </Detail>
  );
}

function Way({ end }: { readonly end: TransitionResponse["ends"][number] }): VNode {
  const { guard, effects, gap } = end;
  return (
    <div class="way">
      <p>
        <strong>{endText(end)}</strong> <DocumentLine line={end.line} />
      </p>
      {gap !== null && <p class="gap-words">{gap}</p>}
      <KeyValues
        of={[
          [t("states.trigger"), triggerWords(end)],
          [
            t("states.guard"),
            guard ? (
              <>
                <code>{guard.text}</code> <DocumentLine line={guard.line} />
                {guard.otherwise !== null && <> {t("states.otherwise", { code: guard.otherwise })}</>}
              </>
            ) : (
              <span class="muted">{t("states.noGuard")}</span>
            ),
          ],
          [
            t("states.effects"),
            effects.length === 0 ? (
              <span class="muted">{t("states.noEffects")}</span>
            ) : (
              <ul class="plain">
                {effects.map(({ text, line }) => (
                  <li key={text}>
                    <code>{text}</code> {line !== end.line && <DocumentLine line={line} />}
                  </li>
                ))}
              </ul>
            ),
          ],
        ]}
      />
    </div>
  );
}

function Takers({ transition: { ends, taken_by } }: { readonly transition: TransitionResponse }): VNode {
  const timed = ends.filter(({ trigger }) => trigger !== "call");
  if (taken_by.length === 0 && timed.length === 0) return <p class="muted">{t("states.notFired")}</p>;
  return (
    <ul class="plain takers">
      {timed.map((end) => (
        <li key={`${end.line} ${end.when}`}>{triggerWords(end)}</li>
      ))}
      {taken_by.map(({ method, path, line, allowed, schemes }) => (
        <li key={`${method} ${path}`}>
          <code>
            {method} {path}
          </code>{" "}
          <DocumentLine line={line} />
          <p class="muted">
            {allowed.length === 0 && (schemes.length === 0 ? t("states.anyone") : t("states.anyCaller"))}
            {allowed.map((rule, at) => (
              <span key={at}>
                {rule.text === null ? (
                  t("states.anyCaller")
                ) : rule.text === "anyone" ? (
                  t("states.anyone")
                ) : (
                  <code>{rule.text}</code>
                )}{" "}
                <DocumentLine line={rule.line} />{" "}
              </span>
            ))}
            {schemes.length > 0 && <> {t("states.withScheme", { schemes: listText(schemes) })}</>}
          </p>
        </li>
      ))}
    </ul>
  );
}
