/**
 * The work list: the open questions of the document, the most useful first, with proposed answers.
 * An answer is shown as changed lines before it is written to the file.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  AnsweredResponse,
  QuestionResponse,
  WorkListResponse,
} from "../../../../src/admin/api/document/worklist.ts";
import { call } from "../../api/call.ts";
import { useAction } from "../../api/use-action.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useFrames } from "../../api/use-topic.ts";
import { announce } from "../../parts/announcer.tsx";
import { Chip } from "../../parts/chip.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { t } from "../../words/words.ts";

/** An answer, as the operations API accepts it. */
type Answer =
  | { readonly accept: readonly string[] }
  | { readonly reject: readonly string[] }
  | { readonly set: { readonly question: string; readonly answer: string } };

const tones = { likely: "ok", possible: "info", named: "info", open: "gap" } as const;

/** Places of a question that are listed before the user chooses *all*. */
const placesMax = 3;

export function WorkList(): VNode {
  const { answer, error, again } = useAnswer<WorkListResponse>("/api/worklist");
  const [preview, setPreview] = useState<Answer>();
  useFrames("trouble", again);
  if (!answer)
    return error ? (
      <ErrorNotice error={error} again={again} />
    ) : (
      <p class="muted" aria-busy="true">
        {t("document.finding")}
      </p>
    );
  const { questions, mistakes, writable, watched, more } = answer;
  if (mistakes > 0) return <Empty title={t("document.mistakesFirst", { count: mistakes })} />;
  if (questions.length === 0) return <Empty title={t("document.nothingOpen")} />;
  const count = (level: QuestionResponse["level"]) =>
    questions.filter((question) => question.level === level).length;
  const all = (["likely", "possible"] as const).filter((level) => count(level) > 0);
  return (
    <div class="work-list">
      <p class="muted">
        {t("document.workListHint")} {count("likely") > 0 && t("document.likelyHint")}{" "}
        {!writable && withCode(t("document.notWritable", { file: answer.file }))}
      </p>
      {all.length > 0 && (
        <p class="work-list-all">
          {all.map((level) => (
            <button key={level} type="button" onClick={() => setPreview({ accept: [level] })}>
              {t("document.acceptAll", { level: t(`document.level_${level}`), count: String(count(level)) })}
            </button>
          ))}
        </p>
      )}
      <ol class="plain questions">
        {questions.map((question) => (
          <li key={question.id}>
            <QuestionItem question={question} answer={setPreview} />
          </li>
        ))}
      </ol>
      {more > 0 && <p class="muted">{t("parts.more", { count: more })}</p>}
      {preview && (
        <AnswerDialog
          of={answer}
          answer={preview}
          close={() => setPreview(undefined)}
          onWrite={() => {
            announce(t(watched ? "document.wroteWatched" : "document.wrote"));
            setPreview(undefined);
            again();
          }}
        />
      )}
    </div>
  );
}

function QuestionItem({
  question: { number, id, kind, level, title, opens, places, more },
  answer,
}: {
  readonly question: QuestionResponse;
  readonly answer: (answer: Answer) => void;
}): VNode {
  const [isWhole, setWhole] = useState(false);
  const visiblePlaces = isWhole ? places : places.slice(0, placesMax);
  const rest = places.length - visiblePlaces.length;
  return (
    <section aria-labelledby={`question-${number}`}>
      <div class="question-head">
        <h2 id={`question-${number}`}>
          <span class="muted number">{number}</span> {withCode(title)}
        </h2>
        <Chip tone={tones[level]}>{t(`document.level_${level}`)}</Chip>
        {opens.length > 0 && (
          <span class="muted" title={opens.join(", ")}>
            {t("document.opens", { count: opens.length })}
          </span>
        )}
        {level !== "open" && (
          <span class="question-actions">
            <button type="button" class="small" onClick={() => answer({ accept: [id] })}>
              {t("document.accept")}
            </button>
            <button type="button" class="small" onClick={() => answer({ reject: [kind] })}>
              {t("document.reject")}
            </button>
          </span>
        )}
      </div>
      <ul class="plain">
        {visiblePlaces.map((place) => (
          <li key={`${place.line} ${place.subject}`} class="question-place">
            <span>
              <DocumentLine line={place.line} /> <span class="muted">{withCode(place.subject)}</span>
              {level !== "open" && places.length > 1 && (
                <button
                  type="button"
                  class="quiet small"
                  aria-label={t("document.acceptOne", { subject: place.subject })}
                  onClick={() => answer({ accept: [`${kind}:${place.subject}`] })}
                >
                  {t("document.accept")}
                </button>
              )}
            </span>
            <code class="question-lines">{place.lines.join("\n")}</code>
            {level === "open" && kind !== "items" && place.lines.some((line) => line.includes("…")) && (
              <ByHand subject={place.subject} answer={(text) => answer({ set: byHand(id, place, text) })} />
            )}
          </li>
        ))}
      </ul>
      {rest > 0 && (
        <button type="button" class="quiet small" onClick={() => setWhole(true)}>
          {t("parts.more", { count: rest })}
        </button>
      )}
      {rest === 0 && more > 0 && <p class="muted">{t("parts.more", { count: more })}</p>}
    </section>
  );
}

/** The id of an answer: the resource for identifiers, the line for all others. */
function byHand(
  id: string,
  { subject, line }: QuestionResponse["places"][number],
  answer: string,
): { readonly question: string; readonly answer: string } {
  const resource = id === "identifiers-by-hand" ? / of (\w+) /.exec(subject)?.[1] : undefined;
  return { question: resource === undefined ? `line:${line}` : `identifiers:${resource}`, answer };
}

/** A field for the text that replaces the `…` of an open line. */
function ByHand({
  subject,
  answer,
}: {
  readonly subject: string;
  readonly answer: (text: string) => void;
}): VNode {
  const [text, setText] = useState("");
  return (
    <form
      class="by-hand"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() !== "") answer(text.trim());
      }}
    >
      <input
        type="text"
        autocomplete="off"
        spellcheck={false}
        aria-label={t("document.answerFor", { subject })}
        placeholder={t("document.instead")}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button type="submit" class="small" disabled={text.trim() === ""}>
        {t("document.answer")}
      </button>
    </form>
  );
}

function AnswerDialog({
  of: { file, digest, writable, watched },
  answer,
  close,
  onWrite,
}: {
  readonly of: WorkListResponse;
  readonly answer: Answer;
  readonly close: () => void;
  readonly onWrite: () => void;
}): VNode {
  const [preview, setPreview] = useState<AnsweredResponse>();
  const { isRunning, error, run } = useAction();
  const send = (write: boolean) =>
    run(async () => {
      const body = { ...answer, digest, write };
      const response = await call<AnsweredResponse>("POST", "/api/worklist", { body });
      if (write) onWrite();
      else setPreview(response);
      return undefined;
    });
  useEffect(() => void send(false), []);
  const count = preview ? preview.changes.length + preview.more : 0;
  return (
    <Dialog
      title={t("document.answerTitle")}
      close={close}
      kind="wide"
      cancels
      actions={
        <button
          type="button"
          class="main"
          disabled={!writable || !preview || count === 0 || isRunning}
          onClick={() => void send(true)}
        >
          {t("document.write", { file })}
        </button>
      }
    >
      {!preview && !error && (
        <p class="muted" aria-busy="true">
          {t("document.finding")}
        </p>
      )}
      {error && <ErrorNotice error={error} />}
      {preview && (
        <>
          <p>
            {t("document.changes", { count })}{" "}
            {writable
              ? t(watched ? "document.writesWatched" : "document.writes")
              : withCode(t("document.notWritable", { file }))}
          </p>
          <ChangedLines changes={preview.changes} />
          {preview.more > 0 && <p class="muted">{t("parts.more", { count: preview.more })}</p>}
        </>
      )}
    </Dialog>
  );
}

function ChangedLines({ changes }: Pick<AnsweredResponse, "changes">): VNode {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys.
    <section class="diff" aria-label={t("document.changedLines")} tabIndex={0}>
      {changes.map(({ line, before, after }) => (
        <div key={line}>
          <span class="muted">{t("parts.line", { line: String(line) })}</span>
          {before.map((text, at) => (
            <del key={`-${at}`}>{`- ${text}`}</del>
          ))}
          {after.map((text, at) => (
            <ins key={`+${at}`}>{`+ ${text}`}</ins>
          ))}
        </div>
      ))}
    </section>
  );
}
