/**
 * Details of a request: the line that decided it, the caller, the changed records, the events, the
 * response and the request as sent.
 */
import type { ComponentChildren, VNode } from "preact";
import { useState } from "preact/hooks";
import type { RequestResponse } from "../../../../src/admin/api/requests/requests.ts";
import { call } from "../../api/call.ts";
import { type ApiError, asApiError } from "../../api/api-error.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useKeys } from "../../keys/keys.ts";
import { announce } from "../../parts/announcer.tsx";
import { StatusChip } from "../../parts/chip.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { JsonView } from "../../parts/json-view.tsx";
import { type KeyValue, KeyValues } from "../../parts/key-values.tsx";
import { Detail } from "../../parts/list-and-detail.tsx";
import { clockText, zoneText } from "../../parts/time.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { addressWith, navigate } from "../../routing/address.ts";
import { linkTo } from "../../routing/links.ts";
import { t } from "../../words/words.ts";
import { CopyAs } from "./copy-as.tsx";
import { milliseconds } from "../../parts/milliseconds.ts";

export function RequestDetail({ id }: { readonly id: string }): VNode {
  const path = `/api/requests/${encodeURIComponent(id)}`;
  const { answer, error, again } = useAnswer<RequestResponse>(path);
  const closeTo = addressWith({}, "/requests");
  return (
    <Detail
      title={answer ? <Title of={answer} /> : t("requests.title")}
      about={answer && <StatusChip status={answer.status} />}
      closeTo={closeTo}
      name={id}
      actions={answer && <Actions of={answer} path={path} />}
    >
      {error && <ErrorNotice error={error} again={again} />}
      {answer && <RequestFacts of={answer} />}
    </Detail>
  );
}

function Title({ of }: { readonly of: RequestResponse }): VNode {
  return (
    <code class="request-title">{of.method === "" ? t("requests.unparsed") : `${of.method} ${of.path}`}</code>
  );
}

function Actions({ of, path }: { readonly of: RequestResponse; readonly path: string }): VNode {
  const [error, setError] = useState<ApiError>();
  const repeat = async () => {
    setError(undefined);
    try {
      const again = await call<{ readonly id: string | null; readonly status: number }>(
        "POST",
        `${path}/repeat`,
      );
      announce(t("requests.repeated", { status: again.status }));
      if (again.id !== null) navigate(addressWith({}, `/requests/${again.id}`));
    } catch (error) {
      setError(asApiError(error));
    }
  };
  useKeys({ r: () => void repeat() });
  return (
    <>
      <button
        type="button"
        class="small"
        disabled={!of.kept || of.method === ""}
        onClick={() => void repeat()}
      >
        {t("requests.repeat")}
      </button>
      {of.kept && of.method !== "" && <CopyAs path={path} />}
      {error && <ErrorNotice error={error} />}
    </>
  );
}

function RequestFacts({ of }: { readonly of: RequestResponse }): VNode {
  const rows: readonly (KeyValue | false)[] = [
    // A single problem is already in the sentence above.
    of.problem?.includes("; ") === true && [t("requests.problem"), of.problem],
    of.condition !== null && [
      t("requests.condition1"),
      of.code === null ? of.condition : `${of.condition} (${of.code})`,
    ],
    [
      t("requests.time"),
      <span class="number">
        {clockText(Date.parse(of.time))} {zoneText()} · {milliseconds(of.took_ms)}
      </span>,
    ],
    [t("requests.caller"), <Caller of={of} />],
    of.endpoint !== null && [t("requests.endpoint"), <code>{of.endpoint}</code>],
    of.version !== null && [t("requests.version"), of.version],
    [t("requests.space"), of.space],
    of.address !== "" && [t("requests.address"), of.address],
    [t("requests.id"), <code>{of.id}</code>],
    of.changed.length > 0 && [t("requests.changed"), <ChangedRecordList of={of} />],
    of.listed_events.length > 0 && [t("requests.events"), <Events of={of} />],
  ];
  return (
    <>
      <DecidingLine of={of} />
      <KeyValues of={rows} />
      {of.kept ? (
        <>
          <Message
            title={t("requests.answer")}
            headers={of.answer.headers}
            body={of.answer.body}
            isStream={of.stream !== null}
          />
          <Message title={t("requests.sent")} headers={of.headers} body={of.body} />
        </>
      ) : (
        <p class="muted">{t("requests.gone")}</p>
      )}
    </>
  );
}

/** The line of the document, as written. */
export function DecidingLine({
  of: { because, why },
}: {
  readonly of: Pick<RequestResponse, "because" | "why">;
}): VNode {
  if (!because && why === null) return <p class="request-decided muted">{t("requests.decidedNothing")}</p>;
  return (
    <section class="request-decided" aria-label={t(why === null ? "requests.decided" : "requests.why")}>
      {why !== null && (
        <>
          <h3>{t("requests.why")}</h3>
          <p class="request-why">{withCode(why)}</p>
        </>
      )}
      {because && (
        <>
          <p>
            {t("requests.decided")} <DocumentLine line={because.line} />
          </p>
          <code>{because.text.trim()}</code>
        </>
      )}
    </section>
  );
}

function Caller({ of: { caller } }: { readonly of: RequestResponse }): ComponentChildren {
  if (!caller) return <span class="muted">{t("requests.noCaller")}</span>;
  const name =
    caller.resource === null ? (
      caller.id
    ) : (
      <a href={linkTo(["data", caller.resource, caller.id])}>
        {caller.resource} {caller.id}
      </a>
    );
  return (
    <>
      {name}
      {caller.scheme !== null && <span class="muted"> · {caller.scheme}</span>}
    </>
  );
}

function ChangedRecordList({ of }: { readonly of: RequestResponse }): VNode {
  return (
    <ul class="plain-list">
      {of.changed.map(({ resource, id, kind, transitions }) => (
        <li key={`${resource}/${id}`}>
          <a href={linkTo(["data", resource, id])}>
            {resource} {id}
          </a>{" "}
          {t(`requests.${kind}`)}
          {transitions.map(({ name, from, to }, at) => (
            <span class="muted" key={at}>
              {" · "}
              {name}
              {from !== null && to !== null && ` ${from} → ${to}`}
            </span>
          ))}
        </li>
      ))}
      {of.changes > of.changed.length && (
        <li class="muted">{t("requests.changedMore", { count: of.changes - of.changed.length })}</li>
      )}
    </ul>
  );
}

function Events({ of }: { readonly of: RequestResponse }): VNode {
  return (
    <ul class="plain-list">
      {of.listed_events.map(({ id, type }) => (
        <li key={id}>
          <a href={linkTo(["events", id])}>{type}</a>
        </li>
      ))}
      {of.events > of.listed_events.length && (
        <li class="muted">{t("requests.changedMore", { count: of.events - of.listed_events.length })}</li>
      )}
    </ul>
  );
}

function Message({
  title,
  headers,
  body,
  isStream = false,
}: {
  readonly title: string;
  readonly headers: RequestResponse["headers"];
  readonly body: RequestResponse["body"];
  readonly isStream?: boolean;
}): VNode {
  return (
    <section class="request-message" aria-label={title}>
      <h3>{title}</h3>
      {body && body.text !== null && body.text !== "" && (
        <JsonView text={body.text} label={`${title}: ${t("requests.body")}`} />
      )}
      {body?.text === null && <p class="muted">{t("requests.noText")}</p>}
      {body?.cut && <p class="muted">{t("requests.cut")}</p>}
      {(!body || body.text === "") && (
        <p class="muted">{isStream ? t("requests.streamBody") : t("requests.noBody")}</p>
      )}
      <details>
        <summary>{t("requests.headers", { count: headers.length })}</summary>
        <KeyValues of={headers.map(({ name, value }): KeyValue => [name, <code>{value}</code>])} />
      </details>
    </section>
  );
}
