/** The document's scenarios with their outcomes, and the steps of the selected one. */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type {
  ScenarioResponse,
  ScenarioProgress,
  ScenariosResponse,
} from "../../../../src/admin/api/document/scenarios.ts";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { listen } from "../../api/stream.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { announce } from "../../parts/announcer.tsx";
import { Chip } from "../../parts/chip.tsx";
import { Code } from "../../parts/code.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Detail, ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { linkTo } from "../../routing/links.ts";
import { durationText, t } from "../../words/words.ts";
import { OutcomeChip } from "./outcome.tsx";
import { Steps } from "./steps.tsx";
import { Views } from "./views.tsx";

type Row = ScenariosResponse["scenarios"][number];

/** Scenarios belong to the document, so they are the same in all data spaces. */
const everywhere = { space: undefined };

export function ScenarioList({ selected }: { readonly selected: string | undefined }): VNode {
  const filtered = useAnswer<ScenariosResponse>("/api/scenarios", everywhere);
  const { ran, progress, running, round, error, run } = useRuns(filtered.again);
  const answer = ran ?? filtered.answer;
  const rows = (answer?.scenarios ?? []).map((row): Row => {
    const now = progress.get(row.name);
    return now ? { ...row, outcome: now.outcome, tookMs: now.tookMs } : row;
  });
  const listError = error ?? filtered.error;
  const isChosenThere = rows.some(({ name }) => name === selected);

  const head = (
    <>
      <Head rows={rows} running={running} run={() => void run(rows.length)} />
      {listError && <ErrorNotice error={listError} again={error ? undefined : filtered.again} />}
      {answer?.stopped && <p class="is-stopped">{`${t("scenarios.stopped")}: ${answer.stopped}`}</p>}
      {answer && answer.complaints !== "" && (
        <Code text={answer.complaints} label={t("scenarios.complaints")} copies={false} />
      )}
    </>
  );
  if (answer && rows.length === 0)
    return (
      <>
        {head}
        <Empty title={t("scenarios.none")}>
          <p>{t("scenarios.noneHint")}</p>
          <a href={linkTo(["scenarios", "try"])}>{t("scenarios.noneLink")}</a>
        </Empty>
      </>
    );
  return (
    <ListAndDetail
      list={
        <>
          {head}
          <Table
            label={t("scenarios.title")}
            columns={columns}
            rows={rows}
            keyOf={({ name }) => name}
            linkOf={({ name }) => linkTo(["scenarios", "of", name])}
            selectedKey={selected}
          />
        </>
      }
      detail={
        selected !== undefined &&
        isChosenThere && (
          <OneScenario
            name={selected}
            round={round}
            isRunning={running !== null}
            run={() => void run(1, [selected])}
          />
        )
      }
    />
  );
}

type Running = { readonly done: number; readonly of: number } | null;

/** Runs of scenarios: that of this tab with its result, and the progress of all. */
function useRuns(again: () => void) {
  const [ran, setRan] = useState<ScenariosResponse>();
  const [progress, setProgress] = useState<ReadonlyMap<string, ScenarioProgress>>(new Map());
  const [running, setRunning] = useState<Running>(null);
  const [error, setError] = useState<ApiError>();
  const [round, setRound] = useState(0);

  // Includes runs by other tabs and by programs.
  useEffect(
    () =>
      listen("scenarios", (frame) => {
        if (frame.kind !== "rows") return;
        const rows = frame.rows as readonly ScenarioProgress[];
        setProgress((last) => new Map([...last, ...rows.map((row) => [row.name, row] as const)]));
        const latest = rows.at(-1);
        if (!latest) return;
        setRunning(latest.done < latest.of ? latest : null);
        if (latest.done >= latest.of) {
          again();
          setRound((last) => last + 1);
        }
      }),
    [],
  );

  const run = async (count: number, names?: readonly string[]) => {
    setError(undefined);
    setRunning({ done: 0, of: count });
    try {
      const answer = await call<ScenariosResponse>("POST", "/api/scenarios/run", {
        query: everywhere,
        body: names ? { names } : {},
      });
      setRan(answer);
      setProgress(new Map());
      setRound((last) => last + 1);
      announce(t("scenarios.over", countsOf(answer.scenarios)));
    } catch (error) {
      setError(asApiError(error));
    } finally {
      setRunning(null);
    }
  };
  return { ran, progress, running, round, error, run };
}

function Head({
  rows,
  running,
  run,
}: {
  readonly rows: readonly Row[];
  readonly running: Running;
  readonly run: () => void;
}): VNode {
  const { passed, failed } = countsOf(rows);
  return (
    <>
      <PageHead
        title={t("scenarios.title")}
        about={
          <>
            {running && <Chip tone="info">{t("scenarios.running", running)}</Chip>}
            {!running && passed > 0 && <Chip tone="ok">{t("scenarios.passedCount", { count: passed })}</Chip>}
            {!running && failed > 0 && (
              <Chip tone="bad">{t("scenarios.failedCount", { count: failed })}</Chip>
            )}
          </>
        }
        actions={
          rows.length > 0 && (
            <button type="button" class="main" disabled={running !== null} onClick={run}>
              {t("scenarios.runAll")}
            </button>
          )
        }
      />
      <Views current="list" />
    </>
  );
}

const columns: readonly Column<Row>[] = [
  { name: "name", head: t("scenarios.name"), cell: ({ name }) => name },
  {
    name: "outcome",
    head: t("scenarios.outcome"),
    width: "110px",
    cell: ({ outcome }) => <OutcomeChip outcome={outcome} />,
  },
  {
    name: "took",
    head: t("scenarios.took"),
    width: "80px",
    align: "end",
    cell: ({ tookMs }) => (tookMs === null ? "" : durationText(tookMs)),
  },
  {
    name: "line",
    head: t("scenarios.line"),
    width: "90px",
    isWideOnly: true,
    cell: ({ line }) => <DocumentLine line={line} />,
  },
];

function countsOf(rows: readonly Row[]): { readonly passed: number; readonly failed: number } {
  return {
    passed: rows.filter(({ outcome }) => outcome === "passed").length,
    failed: rows.filter(({ outcome }) => outcome === "failed").length,
  };
}

function OneScenario({
  name,
  round,
  isRunning,
  run,
}: {
  readonly name: string;
  /** Counts the runs: after each one the coverage is fetched again. */
  readonly round: number;
  readonly isRunning: boolean;
  readonly run: () => void;
}): VNode {
  const { answer, error, again } = useAnswer<ScenarioResponse>("/api/scenarios/one", {
    ...everywhere,
    name,
  });
  useEffect(() => {
    if (round > 0) again();
  }, [round]);
  return (
    <Detail
      title={name}
      name={name}
      closeTo={linkTo(["scenarios"])}
      about={answer && <OutcomeChip outcome={answer.outcome} />}
      actions={
        <button type="button" class="small" disabled={isRunning} onClick={run}>
          {t("scenarios.runOne")}
        </button>
      }
    >
      {error && <ErrorNotice error={error} again={again} />}
      {answer?.reason && <p>{answer.reason}</p>}
      {answer && <Steps steps={answer.steps} />}
    </Detail>
  );
}
