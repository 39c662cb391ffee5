/**
 * Confirmation before data is deleted: names it, and all that is deleted with it. Also the form
 * that names new data.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Dialog } from "../../parts/dialog.tsx";
import { Field } from "../../parts/field.tsx";

export interface Question {
  readonly title: string;
  readonly why: string;
  /** The text of the confirming button. */
  readonly action: string;
  readonly onConfirm: () => void;
}

export function Confirm({
  question,
  close,
}: {
  readonly question: Question;
  readonly close: () => void;
}): VNode {
  return (
    <Dialog
      title={question.title}
      close={close}
      cancels
      actions={
        <button
          type="button"
          class="danger"
          onClick={() => {
            close();
            question.onConfirm();
          }}
        >
          {question.action}
        </button>
      }
    >
      <p>{question.why}</p>
    </Dialog>
  );
}

/** A button whose action runs once it is confirmed. */
export function ConfirmedButton({
  label,
  disabled,
  question,
  open,
}: {
  readonly label: string;
  readonly disabled: boolean;
  readonly question: Question;
  readonly open: (question: Question) => void;
}): VNode {
  return (
    <button type="button" class="small" disabled={disabled} aria-label={label} onClick={() => open(question)}>
      {question.action}
    </button>
  );
}

export function NameForm({
  label,
  hint,
  action,
  lengthMax,
  disabled,
  create,
}: {
  readonly label: string;
  readonly hint?: string;
  readonly action: string;
  readonly lengthMax?: number;
  readonly disabled: boolean;
  /** @param clear to be called once the name is used */
  readonly create: (name: string, clear: () => void) => Promise<void>;
}): VNode {
  const [name, setName] = useState("");
  return (
    <form
      class="one-field"
      onSubmit={(event) => {
        event.preventDefault();
        void create(name, () => setName(""));
      }}
    >
      <Field label={label} hint={hint}>
        {(control) => (
          <input
            {...control}
            required
            maxLength={lengthMax}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
        )}
      </Field>
      <button type="submit" disabled={disabled}>
        {action}
      </button>
    </form>
  );
}
