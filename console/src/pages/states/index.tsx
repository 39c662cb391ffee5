/**
 * States: for each resource a picture with live counts, tables, and each transition with its
 * callers.
 */
import type { VNode } from "preact";
import type {
  ResourceStates,
  StatesResponse,
  StatesUpdate,
} from "../../../../src/admin/api/records/states.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useLatest } from "../../api/use-topic.ts";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { ListAndDetail } from "../../parts/list-and-detail.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Time } from "../../parts/time.tsx";
import { Sample } from "../../parts/sample.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { parameter } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { RichMessage } from "../../words/rich-message.tsx";
import { t } from "../../words/words.ts";
import type { Page, PageProperties } from "../page.ts";
import { Diagram } from "./diagram.tsx";
import { StatesTable, TransitionsTable } from "./tables.tsx";
import { TransitionDetail } from "./transition-detail.tsx";
import "./style.css";

function States({ parameters }: PageProperties): VNode {
  const resource = parameters["resource"];
  const { answer, error, again } = useAnswer<StatesResponse>("/api/states", { resource });
  const update = useLatest<StatesUpdate>("states");
  const shown = answer?.shown && withLatest(answer.shown, update);
  const transition = shown?.transitions.find(({ name }) => name === parameter("transition"));
  return (
    <ListAndDetail
      list={
        <>
          <PageHead
            title={shown ? `${t("states.title")} · ${shown.name}` : t("states.title")}
            about={shown && <DocumentLine line={shown.line} />}
          />
          {error && <ErrorNotice error={error} again={again} />}
          {answer && answer.resources.length > 1 && <Choice answer={answer} />}
          {answer && !shown && !error && (
            <Empty title={t("states.none")}>
              <Sample of="states" part={3} />
            </Empty>
          )}
          {shown && <Machine resource={shown} />}
        </>
      }
      detail={shown && transition && <TransitionDetail of={shown} transition={transition} />}
    />
  );
}

/** The latest update replaces the fetched counts. */
function withLatest(resource: ResourceStates, update: StatesUpdate | undefined): ResourceStates {
  const latest = update?.[resource.name];
  return latest ? { ...resource, counts: latest.counts, flow: latest.flow } : resource;
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

function Machine({ resource }: { readonly resource: ResourceStates }): VNode {
  return (
    <div class="machine">
      <p class="muted">
        <InitialState resource={resource} />{" "}
        <RichMessage name="states.since" values={{ time: <Time at={resource.since} /> }} />
      </p>
      {resource.layout ? (
        <Diagram resource={resource} layout={resource.layout} />
      ) : (
        resource.states.length > 0 && <p class="muted">{t("states.tooLarge")}</p>
      )}
      <div class="state-tables">
        <TransitionsTable resource={resource} />
        {resource.states.length > 0 && <StatesTable resource={resource} />}
      </div>
    </div>
  );
}

function InitialState({ resource: { field, begins } }: { readonly resource: ResourceStates }): VNode {
  if (field === null) return <>{t("states.noField")}</>;
  return (
    <>
      <RichMessage name="states.stateField" values={{ field: <code>{field}</code> }} />{" "}
      {begins?.is_gap && t("states.beginsNotShown")}
      {begins && !begins.is_gap && (
        <RichMessage name="states.begins" values={{ text: <code>{begins.text}</code> }} />
      )}
    </>
  );
}

export const page: Page = {
  name: "states",
  paths: ["/states", "/states/:resource"],
  key: "s",
  component: States,
};
