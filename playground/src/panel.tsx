/** The panel next to the editor: problems and gaps, requests, scenarios, states. */
import { useState } from "preact/hooks";
import type { VNode } from "preact";
import type { Editor } from "./editor.ts";
import type { Analysed, RanScenario } from "./protocol.ts";
import { Requests } from "./requests.tsx";
import { call } from "./service.ts";

interface PanelProps {
  readonly analysed: Analysed | undefined;
  /** Why there is no analysis. */
  readonly problem: string;
  readonly editor: Editor;
}

const tabs = ["Problems", "Requests", "Scenarios", "States"] as const;

export function Panel({ analysed, problem, editor }: PanelProps): VNode {
  const [tab, setTab] = useState<(typeof tabs)[number]>("Problems");
  if (problem !== "") return <p role="alert">{problem}</p>;
  if (!analysed) return <p>Loading the compiler …</p>;
  const errors = analysed.diagnostics.filter(({ severity }) => severity === 1).length;
  const counts = {
    Problems: errors + analysed.gaps.length,
    Requests: analysed.endpoints.length,
    Scenarios: analysed.scenarios.length,
    States: analysed.pictures.length,
  };
  return (
    <>
      <div role="tablist" aria-label="The document">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-controls="tab"
            aria-selected={name === tab}
            onClick={() => setTab(name)}
          >
            {name} <span class="count">{counts[name]}</span>
          </button>
        ))}
      </div>
      <div role="tabpanel" id="tab" aria-labelledby={`tab-${tab}`}>
        {tab === "Problems" && <Problems analysed={analysed} editor={editor} />}
        {tab === "Requests" && <Requests endpoints={analysed.endpoints} editor={editor} />}
        {tab === "Scenarios" && <Scenarios analysed={analysed} editor={editor} />}
        {tab === "States" && <States analysed={analysed} />}
      </div>
    </>
  );
}

function Problems({ analysed, editor }: Pick<PanelProps, "editor"> & { readonly analysed: Analysed }): VNode {
  const { diagnostics, gaps } = analysed;
  const mistakes = diagnostics.filter(({ severity }) => severity === 1 || severity === 2);
  return (
    <>
      <h2>Mistakes</h2>
      {mistakes.length === 0 && <p class="ok">No mistake.</p>}
      <ul>
        {mistakes.map(({ range, message, severity }) => (
          <li key={`${range.start.line} ${message}`} class={severity === 1 ? "bad" : "warn"}>
            <LineLink line={range.start.line + 1} editor={editor} />{" "}
            {typeof message === "string" ? message : message.value}
          </li>
        ))}
      </ul>
      <h2>Gaps</h2>
      {gaps.length === 0 && <p class="ok">No gap.</p>}
      <ul>
        {gaps.map(({ item, line }) => (
          <li key={item} class="gap">
            <LineLink line={line} editor={editor} /> {item}
          </li>
        ))}
      </ul>
    </>
  );
}

function LineLink({ line, editor }: { readonly line: number; readonly editor: Editor }): VNode {
  return (
    <button type="button" class="line" onClick={() => editor.goTo(line)}>
      line {line}
    </button>
  );
}

const marks = { passed: "✓", failed: "✗", skipped: "–" } as const;

function Scenarios({
  analysed,
  editor,
}: Pick<PanelProps, "editor"> & { readonly analysed: Analysed }): VNode {
  const [runs, setRuns] = useState<readonly RanScenario[]>([]);
  const [state, setState] = useState("");
  const run = async (): Promise<void> => {
    setState("Running …");
    try {
      const done = await call("runScenarios", { text: editor.text() });
      setRuns(done);
      setState(`${done.filter(({ outcome }) => outcome === "passed").length} of ${done.length} passed.`);
    } catch (error) {
      setRuns([]);
      setState(String(error instanceof Error ? error.message : error));
    }
  };
  return (
    <>
      <p>
        <button type="button" class="act" onClick={() => void run()} disabled={analysed.hasErrors}>
          Run{" "}
          {analysed.scenarios.length === 1 ? "the scenario" : `all ${analysed.scenarios.length} scenarios`}
        </button>{" "}
        <span role="status">{state}</span>
      </p>
      <ul>
        {(runs.length > 0
          ? runs
          : analysed.scenarios.map((name) => ({ name, outcome: undefined, reasons: [] }))
        ).map(({ name, outcome, reasons }) => (
          <li key={name} class={outcome === "passed" ? "ok" : outcome === "failed" ? "bad" : ""}>
            {outcome === undefined ? "" : `${marks[outcome]} `}
            {name}
            {reasons.map(({ line, text }) => (
              <div key={text}>
                {line !== undefined && <LineLink line={line} editor={editor} />} {text}
              </div>
            ))}
          </li>
        ))}
      </ul>
    </>
  );
}

function States({ analysed: { pictures } }: { readonly analysed: Analysed }): VNode {
  if (pictures.length === 0) return <p>No resource of the document has states.</p>;
  return (
    <>
      {pictures.map(({ resource, svg }) => (
        <section key={resource}>
          <h2>{resource}</h2>
          {/* The code of the picture escapes each text of the document. */}
          <div
            class="picture"
            style={{ "--width": /\swidth="([\d.]+)"/.exec(svg)?.[1] ?? "0" }}
            dangerouslySetInnerHTML={{ __html: svg }}
          />
        </section>
      ))}
    </>
  );
}
