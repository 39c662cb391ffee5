/**
 * A form for each endpoint, made from its inputs. The service itself sends the request as the
 * selected caller, and the page shows the response with the line that decided it.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type {
  TryItCurlResponse,
  TryItFormsResponse,
  TryItResponse,
} from "../../../../src/admin/api/requests/try-it.ts";
import { call } from "../../api/call.ts";
import { ApiError } from "../../api/api-error.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { StatusChip } from "../../parts/chip.tsx";
import { announce } from "../../parts/announcer.tsx";
import { DocumentLine } from "../../parts/document-line.tsx";
import { Empty } from "../../parts/empty.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Sample } from "../../parts/sample.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { parameter, setParameters } from "../../routing/address.ts";
import { RichMessage } from "../../words/rich-message.tsx";
import { t } from "../../words/words.ts";
import type { Page } from "../page.ts";
import { Control } from "../records/control.tsx";
import { isNested } from "../records/nested-control.tsx";
import { ResponseView } from "./response-view.tsx";
import { CallerFields, type CallerInput, callerAs, callerOf } from "./caller-fields.tsx";
import { kindOfText } from "./hidden-text.ts";
import {
  type InputFiles,
  textsFrom,
  keyOf,
  NotJson,
  requestOf,
  acceptsFiles,
  type FormEndpoint,
  type FormInput,
  type InputTexts,
} from "./request-of.ts";
import "./style.css";

function TryIt(): VNode {
  const { answer, error, again } = useAnswer<TryItFormsResponse>("/api/trial", {
    version: parameter("version"),
  });
  const selected = parameter("endpoint");
  const endpoint = answer?.endpoints.find(({ key }) => key === selected) ?? answer?.endpoints[0];
  return (
    <div class="try-it">
      <PageHead title={t("tryIt.title")} />
      {error && <ErrorNotice error={error} again={again} />}
      {answer && !endpoint && (
        <Empty title={t("tryIt.none")}>
          <Sample of="endpoint" part={4} />
        </Empty>
      )}
      {answer && endpoint && (
        <>
          <div class="try-choice">
            <SelectField
              label={t("tryIt.endpoint")}
              value={endpoint.key}
              options={answer.endpoints.map(({ key }) => [key, key])}
              change={(selected) => setParameters({ endpoint: selected })}
            />
            {answer.version && <VersionField version={answer.version} />}
          </div>
          <Trial
            key={`${answer.version?.name} ${endpoint.key}`}
            endpoint={endpoint}
            schemes={answer.schemes}
            version={answer.version?.name}
          />
        </>
      )}
    </div>
  );
}

/** The version that the forms show and their requests use. */
function VersionField({ version }: { readonly version: NonNullable<TryItFormsResponse["version"]> }): VNode {
  const { name, versions, sent: sentBy } = version;
  return (
    <SelectField
      label={t("tryIt.version")}
      hint={sentBy !== null && t("tryIt.versionSent", { how: sentBy })}
      value={name}
      options={versions.map((version) => [version, version])}
      change={(selected) => setParameters({ version: selected })}
    />
  );
}

const places = [
  ["path", "tryIt.inPath"],
  ["query", "tryIt.inQuery"],
  ["header", "tryIt.inHeader"],
  ["body", "tryIt.inBody"],
] as const;

function Trial({
  endpoint,
  schemes,
  version,
}: {
  readonly endpoint: FormEndpoint;
  readonly schemes: TryItFormsResponse["schemes"];
  readonly version: string | undefined;
}): VNode {
  const usableSchemes = schemes.filter(({ name }) => endpoint.schemes.includes(name));
  const [texts, setTexts] = useState<InputTexts>({});
  const [files, setFiles] = useState<InputFiles>({});
  const [further, setFurther] = useState("");
  const [type, setType] = useState(endpoint.types[0]);
  const [caller, setCaller] = useState<CallerInput>(() =>
    callerAs(endpoint.caller ? (usableSchemes[0]?.name ?? "") : "", usableSchemes),
  );
  const { state, send, copyCurl } = useSending(async () => ({
    ...(await requestOf(endpoint, { texts, files, further, type })),
    ...callerOf(caller, usableSchemes),
    ...(version === undefined ? {} : { version }),
  }));
  return (
    <form class="try-form" onSubmit={send} noValidate>
      <div class="try-request">
        <p class="muted">
          {endpoint.prose}{" "}
          <RichMessage name="tryIt.line" values={{ line: <DocumentLine line={endpoint.line} /> }} />
        </p>
        <Examples of={endpoint} fill={(values) => setTexts(textsFrom(values))} />
        {usableSchemes.length > 0 && (
          <CallerFields caller={caller} schemes={usableSchemes} change={setCaller} />
        )}
        {places.map(([place, title]) => {
          const inputs = endpoint.inputs.filter((input) => input.in === place);
          return (
            inputs.length > 0 && (
              <fieldset key={place}>
                <legend>{t(title)}</legend>
                {place === "body" && endpoint.types.length > 1 && (
                  <SelectField
                    label={t("tryIt.type")}
                    value={type}
                    options={endpoint.types.map((type) => [type, type])}
                    change={setType}
                  />
                )}
                {inputs.map((input) => (
                  <InputField
                    key={keyOf(input)}
                    input={input}
                    value={texts[keyOf(input)] ?? ""}
                    error={errorOf(input, state)}
                    change={(value) => setTexts((last) => ({ ...last, [keyOf(input)]: value }))}
                    choose={
                      acceptsFiles(type) && /\bfile\b/.test(input.type)
                        ? (files) => setFiles((last) => ({ ...last, [keyOf(input)]: files }))
                        : undefined
                    }
                  />
                ))}
              </fieldset>
            )
          );
        })}
        <Field label={t("tryIt.further")} hint={t("tryIt.furtherHint")}>
          {(control) => (
            <textarea
              {...control}
              rows={2}
              value={further}
              onInput={(event) => setFurther(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="try-send">
          <button type="submit" class="main" disabled={state.isSending === true}>
            {state.isSending ? t("tryIt.sending") : t("tryIt.send")}
          </button>
          <button type="button" onClick={() => void copyCurl()}>
            {t("requests.curl")}
          </button>
        </div>
      </div>
      <div class="try-response">
        {state.error && <ErrorNotice error={state.error} />}
        {state.answer && <ResponseView of={state.answer} />}
        {!state.error && !state.answer && <p class="muted try-nothing">{t("tryIt.noAnswer")}</p>}
      </div>
    </form>
  );
}

interface SendingState {
  readonly answer?: TryItResponse;
  readonly error?: ApiError;
  readonly wrong?: NotJson;
  readonly isSending?: boolean;
}

/** Sends a request, or copies it as a command, and holds the result. */
function useSending(whole: () => Promise<object>) {
  const [state, setState] = useState<SendingState>({});

  const attempt = async (work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      if (error instanceof NotJson) setState({ wrong: error });
      else if (error instanceof ApiError) setState({ error });
      else throw error;
    }
  };
  const send = (event: Event) => {
    event.preventDefault();
    setState({ isSending: true });
    return attempt(async () =>
      setState({ answer: await call<TryItResponse>("POST", "/api/trial", { body: await whole() }) }),
    );
  };
  const copyCurl = () =>
    attempt(async () => {
      const { curl } = await call<TryItCurlResponse>("POST", "/api/trial-curl", { body: await whole() });
      await navigator.clipboard.writeText(curl).then(
        () => announce(t("parts.copied")),
        () => announce(t("parts.copyFailed")),
      );
    });
  return { state, send, copyCurl };
}

function errorOf(input: FormInput, state: SendingState): string | undefined {
  if (state.wrong?.key === keyOf(input)) return t("tryIt.notJson", { problem: state.wrong.message });
  return state.answer?.blamed.find(
    ({ field }) =>
      field === input.name || field.startsWith(`${input.name}.`) || field.startsWith(`${input.name}[`),
  )?.message;
}

/** Buttons that fill in the form with the values of a document's scenario. */
function Examples({
  of: { examples },
  fill,
}: {
  readonly of: FormEndpoint;
  readonly fill: (values: FormEndpoint["examples"][number]["values"]) => void;
}): VNode | null {
  if (examples.length === 0) return null;
  return (
    <div class="try-examples">
      <span class="muted">{t("tryIt.fill")}</span>
      {examples.map(({ line, scenario, status, values }) => (
        <button type="button" class="small" key={line} onClick={() => fill(values)}>
          {scenario} <StatusChip status={status} />
        </button>
      ))}
    </div>
  );
}

/** A value of these kinds has controls for its parts, or is typed as JSON. */
const withParts = new Set(["list", "map", "value", "object", "json", "reference"]);

const onlyFiles = /^(list of )?file$/;

function hintOf(input: FormInput, value: string, sendsFiles: boolean): string {
  const hasParts = isNested(input.shape, value);
  return [
    // The parts of a value have their own hints.
    ...(hasParts ? [] : [input.type]),
    ...(withParts.has(input.shape.kind) && !hasParts ? [t("tryIt.jsonHint")] : []),
    ...(input.when_made ? [t("tryIt.whenMade")] : []),
    ...(onlyFiles.test(input.type) && !sendsFiles ? [t("tryIt.asForm")] : []),
    ...input.rules.map((rule) => rule.replaceAll("`", "").replace(/\.$/, "")),
  ].join(" · ");
}

function InputField({
  input,
  value,
  error,
  change,
  choose,
}: {
  readonly input: FormInput;
  readonly value: string;
  readonly error: string | undefined;
  readonly change: (value: string) => void;
  /** Present if files may be sent for the input. */
  readonly choose: ((files: readonly File[]) => void) | undefined;
}): VNode {
  const isOnlyFiles = onlyFiles.test(input.type);
  const hint = hintOf(input, value, choose !== undefined);
  return (
    <Field label={<code>{input.name}</code>} hint={hint} error={error} isRequired={input.required}>
      {(control) => {
        const files = choose && (
          <input
            {...(isOnlyFiles ? control : { "aria-label": t("tryIt.file", { name: input.name }) })}
            type="file"
            multiple={/^list of /.test(input.type)}
            onChange={(event) => choose([...(event.currentTarget.files ?? [])])}
          />
        );
        if (isOnlyFiles) return files ?? <input {...control} type="file" disabled />;
        if (input.values)
          return (
            <select {...control} value={value} onChange={(event) => change(event.currentTarget.value)}>
              <option value="">{t("tryIt.leftOut")}</option>
              {input.values.map((choice) => (
                <option key={choice} value={choice}>
                  {choice}
                </option>
              ))}
            </select>
          );
        if (input.in === "body" && withParts.has(input.shape.kind))
          return (
            <Control
              name={input.name}
              type={input.shape}
              text={value}
              change={change}
              control={{ ...control, required: false }}
            />
          );
        return (
          <>
            <input
              {...control}
              {...kindOfText(input.secret)}
              autocomplete="off"
              value={value}
              onInput={(event) => change(event.currentTarget.value)}
            />
            {files}
          </>
        );
      }}
    </Field>
  );
}

export const page: Page = { name: "try", paths: ["/try"], key: "t", component: TryIt };
