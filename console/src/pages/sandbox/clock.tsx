/** The clock of the data space, how to move it, and what becomes due on the way. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ClockResponse } from "../../../../src/admin/api/sandbox/clock.ts";
import type { DueResponse } from "../../../../src/admin/api/sandbox/due.ts";
import { call } from "../../api/call.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { Chip } from "../../parts/chip.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Field } from "../../parts/field.tsx";
import { clockText, Time, zoneText } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { requestService } from "../../shell/service.ts";
import { t } from "../../words/words.ts";
import { useSandboxAction } from "./sandbox-action.ts";

interface Move {
  readonly advance?: string;
  readonly now?: string;
  readonly stopped?: boolean;
}

export function Clock(): VNode {
  const clock = useAnswer<ClockResponse>("/api/clock");
  const due = useAnswer<DueResponse>("/api/clock/due");
  const { isRunning: isUnderWay, error, run: begin } = useSandboxAction();
  const [by, setBy] = useState("1 day");
  const [to, setTo] = useState("");
  const move = (target: Move) =>
    begin(async () => {
      const { now } = await call<ClockResponse>("POST", "/api/clock", { body: target });
      clock.again();
      due.again();
      void requestService();
      return t("sandbox.moved", { time: `${clockText(Date.parse(now)).slice(0, 19)} ${zoneText()}` });
    });
  const { answer } = clock;
  const actionError = error ?? clock.error;
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">{t("sandbox.clock")}</h2>
      {actionError && <ErrorNotice error={actionError} />}
      {answer && (
        <p class="now">
          <span class="muted">{t("sandbox.clockNow")}</span>
          <strong class="number">
            {clockText(Date.parse(answer.now)).slice(0, 19)} {zoneText()}
          </strong>
          <Chip tone={answer.stopped ? "warn" : "ok"}>
            {answer.stopped ? t("sandbox.clockStopped") : t("sandbox.clockRuns")}
          </Chip>
          <button
            type="button"
            class="small"
            disabled={isUnderWay}
            onClick={() => void move({ stopped: !answer.stopped })}
          >
            {answer.stopped ? t("sandbox.goOn") : t("sandbox.stop")}
          </button>
        </p>
      )}
      <div class="forms">
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void move({ advance: by });
          }}
        >
          <Field label={t("sandbox.advance")} hint={t("sandbox.advanceHint")}>
            {(control) => (
              <input {...control} required value={by} onInput={(event) => setBy(event.currentTarget.value)} />
            )}
          </Field>
          <button type="submit" class="main" disabled={isUnderWay}>
            {t("sandbox.move")}
          </button>
        </form>
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void move({ now: to });
          }}
        >
          <Field label={t("sandbox.set")} hint={t("sandbox.setHint")}>
            {(control) => (
              <input {...control} required value={to} onInput={(event) => setTo(event.currentTarget.value)} />
            )}
          </Field>
          <button type="submit" disabled={isUnderWay}>
            {t("sandbox.setNow")}
          </button>
        </form>
      </div>
      <h3>{t("sandbox.due")}</h3>
      {due.error && <ErrorNotice error={due.error} again={due.again} />}
      {due.answer?.due.length === 0 && <p class="muted">{t("sandbox.dueNone")}</p>}
      {due.answer && due.answer.due.length > 0 && (
        <ul class="rows">
          {due.answer.due.map((timer) => (
            <li key={`${timer.at} ${timer.resource} ${timer.id} ${timer.transition}`}>
              <Time at={timer.at} />
              <span class="what">
                {timer.resource} <code>{timer.id}</code> {timer.transition ?? t("sandbox.remove")}
              </span>
              {timer.line !== null && <DocumentLine line={timer.line} />}
              <button
                type="button"
                class="small"
                disabled={isUnderWay}
                aria-label={t("sandbox.goThereTo", { transition: timer.transition ?? "", record: timer.id })}
                onClick={() => void move({ now: timer.at })}
              >
                {t("sandbox.goThere")}
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
