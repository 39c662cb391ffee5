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
import { useAction } from "../../api/use-action.ts";

interface Move {
  readonly advance?: string;
  readonly now?: string;
  readonly stopped?: boolean;
}

export function Clock(): VNode {
  const clock = useAnswer<ClockResponse>("/api/clock");
  const due = useAnswer<DueResponse>("/api/clock/due");
  const { isRunning: isUnderWay, error, run: begin } = useAction();
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
        <MoveForm
          label={t("sandbox.advance")}
          hint={t("sandbox.advanceHint")}
          action={t("sandbox.move")}
          isMain
          start="1 day"
          disabled={isUnderWay}
          move={(advance) => void move({ advance })}
        />
        <MoveForm
          label={t("sandbox.set")}
          hint={t("sandbox.setHint")}
          action={t("sandbox.setNow")}
          start=""
          disabled={isUnderWay}
          move={(now) => void move({ now })}
        />
      </div>
      <h3>{t("sandbox.due")}</h3>
      {due.error && <ErrorNotice error={due.error} again={due.again} />}
      {due.answer && (
        <DueList due={due.answer.due} disabled={isUnderWay} goTo={(now) => void move({ now })} />
      )}
    </section>
  );
}

function MoveForm({
  label,
  hint,
  action,
  isMain = false,
  start,
  disabled,
  move,
}: {
  readonly label: string;
  readonly hint: string;
  readonly action: string;
  readonly isMain?: boolean;
  readonly start: string;
  readonly disabled: boolean;
  readonly move: (text: string) => void;
}): VNode {
  const [text, setText] = useState(start);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        move(text);
      }}
    >
      <Field label={label} hint={hint}>
        {(control) => (
          <input {...control} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
        )}
      </Field>
      <button type="submit" class={isMain ? "main" : undefined} disabled={disabled}>
        {action}
      </button>
    </form>
  );
}

/** What becomes due next, each with a button that moves the clock there. */
function DueList({
  due,
  disabled,
  goTo,
}: {
  readonly due: DueResponse["due"];
  readonly disabled: boolean;
  readonly goTo: (at: string) => void;
}): VNode {
  if (due.length === 0) return <p class="muted">{t("sandbox.dueNone")}</p>;
  return (
    <ul class="rows">
      {due.map((timer) => (
        <li key={`${timer.at} ${timer.resource} ${timer.id} ${timer.transition}`}>
          <Time at={timer.at} />
          <span class="what">
            {timer.resource} <code>{timer.id}</code> {timer.transition ?? t("sandbox.remove")}
          </span>
          {timer.line !== null && <DocumentLine line={timer.line} />}
          <button
            type="button"
            class="small"
            disabled={disabled}
            aria-label={t("sandbox.goThereTo", { transition: timer.transition ?? "", record: timer.id })}
            onClick={() => goTo(timer.at)}
          >
            {t("sandbox.goThere")}
          </button>
        </li>
      ))}
    </ul>
  );
}
