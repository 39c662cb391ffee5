/**
 * Imports records of a CSV or JSON lines file: first a dry run, which lists each refused line, then
 * all or nothing.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ImportFileResponse } from "../../../../src/admin/api/records/imports.ts";
import { call } from "../../api/call.ts";
import { useAction } from "../../api/use-action.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Field, SelectField } from "../../parts/field.tsx";
import { ErrorNotice } from "../../parts/error-notice.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { t } from "../../words/words.ts";

/** Maximum number of refused lines that are listed. */
const listedMax = 50;

interface ImportFile {
  readonly text: string;
  readonly form: "csv" | "jsonl";
}

export function ImportButton({
  resource,
  onImport,
}: {
  readonly resource: string;
  readonly onImport: () => void;
}): VNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" class="small" onClick={() => setOpen(true)}>
        {t("records.import")}
      </button>
      {isOpen && <ImportDialog resource={resource} close={() => setOpen(false)} onImport={onImport} />}
    </>
  );
}

function ImportDialog({
  resource,
  close,
  onImport,
}: {
  readonly resource: string;
  readonly close: () => void;
  readonly onImport: () => void;
}): VNode {
  const [file, setFile] = useState<ImportFile>();
  const [mode, setMode] = useState("add");
  const [preview, setPreview] = useState<ImportFileResponse>();
  const { error, run } = useAction();
  const once = useOneAtATime();
  const send = (file: ImportFile, as: string, dry: boolean) => {
    setPreview(undefined);
    return run(async () => {
      const body = { ...file, mode: as, events: false, dry };
      const path = `/api/import-files/${encodeURIComponent(resource)}`;
      const response = await call<ImportFileResponse>("POST", path, { body });
      setPreview(response);
      if (!response.stored) return undefined;
      close();
      onImport();
      return t("records.imported", { count: response.made + response.changed });
    });
  };
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const read: ImportFile = { text: await file.text(), form: /\.csv$/i.test(file.name) ? "csv" : "jsonl" };
    setFile(read);
    await send(read, mode, true);
  };
  const count = preview ? preview.made + preview.changed : 0;
  const isReady = file && preview && preview.refused.length === 0 && count > 0;
  return (
    <Dialog
      title={t("records.importTitle", { resource })}
      close={close}
      kind="form"
      cancels
      actions={
        <button
          type="button"
          class="main"
          disabled={!isReady}
          onClick={() => file && void once(() => send(file, mode, false))}
        >
          {isReady ? t("records.importCount", { count }) : t("records.import")}
        </button>
      }
    >
      <div class="form">
        <Field label={t("records.importFile")} hint={t("records.importHint")}>
          {(control) => (
            <input
              {...control}
              type="file"
              accept=".csv,.jsonl,.ndjson,.json"
              onChange={(event) => void choose(event.currentTarget.files?.[0])}
            />
          )}
        </Field>
        <SelectField
          label={t("records.importMode")}
          value={mode}
          options={[
            ["add", t("records.importAdd")],
            ["upsert", t("records.importUpsert")],
          ]}
          change={(selected) => {
            setMode(selected);
            if (file) void send(file, selected, true);
          }}
        />
        <div aria-live="polite">
          {preview && <Preview of={preview} />}
          {error && <ErrorNotice error={error} />}
        </div>
      </div>
    </Dialog>
  );
}

/** What the import would change, or the lines that it refuses. */
function Preview({ of: { made, changed, refused } }: { readonly of: ImportFileResponse }): VNode {
  if (refused.length === 0)
    return <p>{t("records.importTried", { made: String(made), changed: String(changed) })}</p>;
  return (
    <>
      <p class="bad-words">{t("records.importRefused", { count: refused.length })}</p>
      <ul>
        {refused.slice(0, listedMax).map(({ line, errors }) => (
          <li key={line}>
            {t("records.importLine", { line: String(line) })}{" "}
            {withCode(
              errors
                .map(({ field, message }) => (field === "" ? message : `\`${field}\` ${message}`))
                .join("; "),
            )}
          </li>
        ))}
      </ul>
    </>
  );
}
