/**
 * States: for each resource a picture with live counts, tables, and each transition with its
 * callers.
 */
import type { VNode } from "preact";
import type { ResourceStates, StatesResponse, StatesUpdate } from "../../../../src/admin/api/states.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useLatest } from "../../api/use-topic.ts";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Time } from "../../parts/time.tsx";
import { Sample } from "../../parts/sample.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { parameter } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { Said } from "../../words/said.tsx";
import { t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { Diagram } from "./diagram.tsx";
import { StatesTable, TransitionsTable } from "./tables.tsx";
import { TransitionDetail } from "./transition-detail.tsx";
import "./style.css";

function States({ parameters }: PageProperties): VNode {
  const resource = parameters["resource"];
  const { answer, refused, again } = useAnswer<StatesResponse>("/api/states", { resource });
  const received = useLatest<StatesUpdate>("states");
  const shown = answer?.shown && withLatest(answer.shown, received);
  const transition = shown?.transitions.find(({ name }) => name === parameter("transition"));
  return (
    <ListAndDetail
      list={
        <>
          <PageHead
            title={shown ? `${t("states.title")} · ${shown.name}` : t("states.title")}
            about={shown && <DocumentLine line={shown.line} />}
          />
          {refused && <Trouble refused={refused} again={again} />}
          {answer && answer.resources.length > 1 && <Choice answer={answer} />}
          {answer && !shown && !refused && (
            <Empty title={t("states.none")}>
              <Sample of="states" part={3} />
            </Empty>
          )}
          {shown && <Machine shown={shown} />}
        </>
      }
      detail={shown && transition && <TransitionDetail of={shown} transition={transition} />}
    />
  );
}

/** The latest update replaces the fetched counts. */
function withLatest(shown: ResourceStates, received: StatesUpdate | undefined): ResourceStates {
  const latest = received?.[shown.name];
  return latest ? { ...shown, counts: latest.counts, flow: latest.flow } : shown;
}

function Choice({ answer }: { readonly answer: StatesResponse }): VNode {
  return (
    <nav class="state-choice" aria-label={t("states.resources")}>
      {answer.resources.map(({ name, states, transitions }) => (
        <a
          key={name}
          class="button small"
          href={linkTo(["states", name])}
          aria-current={name === answer.shown?.name ? "page" : undefined}
          title={t("states.resourceHint", { states, transitions })}
        >
          {name}
        </a>
      ))}
    </nav>
  );
}

function Machine({ shown }: { readonly shown: ResourceStates }): VNode {
  return (
    <div class="machine">
      <p class="muted">
        <Beginning shown={shown} /> <Said what="states.since" given={{ time: <Time at={shown.since} /> }} />
      </p>
      {shown.layout ? (
        <Diagram shown={shown} layout={shown.layout} />
      ) : (
        shown.states.length > 0 && <p class="muted">{t("states.tooLarge")}</p>
      )}
      <div class="state-tables">
        <TransitionsTable shown={shown} />
        {shown.states.length > 0 && <StatesTable shown={shown} />}
      </div>
    </div>
  );
}

function Beginning({ shown: { field, begins } }: { readonly shown: ResourceStates }): VNode {
  if (field === null) return <>{t("states.noField")}</>;
  return (
    <>
      <Said what="states.stateField" given={{ field: <code>{field}</code> }} />{" "}
      {begins?.is_gap && t("states.beginsNotShown")}
      {begins && !begins.is_gap && <Said what="states.begins" given={{ text: <code>{begins.text}</code> }} />}
    </>
  );
}

export const page: Page = {
  name: "states",
  paths: ["/states", "/states/:resource"],
  key: "s",
  component: States,
};
