/**
 * Imports records of a CSV or JSON lines file: first a dry run, which lists each refused line, then
 * all or nothing.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { ImportFileResponse } from "../../../../src/admin/api/imports.ts";
import { call } from "../../api/call.ts";
import { Refused } from "../../api/refused.ts";
import { useOneAtATime } from "../../api/use-one-at-a-time.ts";
import { announce } from "../../parts/announcer.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";
import { Trouble } from "../../parts/trouble.tsx";
import { withCode } from "../../parts/with-code.tsx";
import { t } from "../../words/words.ts";

/** Maximum number of refused lines that are listed. */
const listedMax = 50;

interface Chosen {
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
  const [chosen, setChosen] = useState<Chosen>();
  const [mode, setMode] = useState("add");
  const [tried, setTried] = useState<ImportFileResponse>();
  const [refused, setRefused] = useState<Refused>();
  const once = useOneAtATime();
  const send = async (file: Chosen, as: string, dry: boolean) => {
    setRefused(undefined);
    setTried(undefined);
    try {
      const body = { ...file, mode: as, events: false, dry };
      const done = await call<ImportFileResponse>(
        "POST",
        `/api/import-files/${encodeURIComponent(resource)}`,
        { body },
      );
      setTried(done);
      if (!done.stored) return;
      announce(t("records.imported", { count: done.made + done.changed }));
      close();
      onImport();
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      setRefused(error);
    }
  };
  const choose = async (file: File | undefined) => {
    if (!file) return;
    const read: Chosen = { text: await file.text(), form: /\.csv$/i.test(file.name) ? "csv" : "jsonl" };
    setChosen(read);
    await send(read, mode, true);
  };
  const count = tried ? tried.made + tried.changed : 0;
  const isReady = chosen && tried && tried.refused.length === 0 && count > 0;
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
          onClick={() => chosen && void once(() => send(chosen, mode, false))}
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
        <Field label={t("records.importMode")}>
          {(control) => (
            <select
              {...control}
              value={mode}
              onChange={(event) => {
                setMode(event.currentTarget.value);
                if (chosen) void send(chosen, event.currentTarget.value, true);
              }}
            >
              <option value="add">{t("records.importAdd")}</option>
              <option value="upsert">{t("records.importUpsert")}</option>
            </select>
          )}
        </Field>
        <div aria-live="polite">
          {tried && tried.refused.length === 0 && (
            <p>{t("records.importTried", { made: String(tried.made), changed: String(tried.changed) })}</p>
          )}
          {tried && tried.refused.length > 0 && (
            <>
              <p class="bad-words">{t("records.importRefused", { count: tried.refused.length })}</p>
              <ul>
                {tried.refused.slice(0, listedMax).map(({ line, errors }) => (
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
          )}
          {refused && <Trouble refused={refused} />}
        </div>
      </div>
    </Dialog>
  );
}
