/** Confirmation before data is deleted: names it, and all that is deleted with it. */
import type { VNode } from "preact";
import { Dialog } from "../../parts/dialog.tsx";

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
