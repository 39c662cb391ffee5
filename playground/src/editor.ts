/** The editor: CodeMirror with the compiler's diagnostics and the language server's completion. */
import { autocompletion, type CompletionContext, type CompletionResult } from "@codemirror/autocomplete";
import { markdown } from "@codemirror/lang-markdown";
import { type Diagnostic, lintGutter, setDiagnostics } from "@codemirror/lint";
import { EditorView } from "@codemirror/view";
import { basicSetup } from "codemirror";
import type { Diagnostic as Reported, TextEdit } from "vscode-languageserver";
import { call } from "./service.ts";

const severities = ["error", "error", "warning", "info", "hint"] as const;

export interface Editor {
  text(): string;
  replace(text: string): void;
  report(diagnostics: readonly Reported[]): void;
  /** Scrolls to a line and puts the cursor there. @param line from 1 */
  goTo(line: number): void;
}

/** @param onChange called after each change of the text */
export function createEditor(parent: HTMLElement, text: string, onChange: () => void): Editor {
  const view = new EditorView({
    parent,
    doc: text,
    extensions: [
      basicSetup,
      markdown(),
      lintGutter(),
      autocompletion({ override: [complete] }),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ "aria-label": "Specification", tabindex: "0" }),
      EditorView.updateListener.of(({ docChanged }) => {
        if (docChanged) onChange();
      }),
    ],
  });
  const offsetOf = ({ line, character }: Reported["range"]["start"]): number => {
    const { doc } = view.state;
    const { from, to } = doc.line(Math.min(line + 1, doc.lines));
    return Math.min(from + character, to);
  };
  return {
    text: () => view.state.doc.toString(),
    replace(next) {
      view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: next } });
    },
    report(reported) {
      const diagnostics = reported.map(
        ({ range, severity, message, code }): Diagnostic => ({
          from: offsetOf(range.start),
          to: offsetOf(range.end),
          severity: severities[severity ?? 1] ?? "error",
          message: typeof message === "string" ? message : message.value,
          source: String(code),
        }),
      );
      view.dispatch(setDiagnostics(view.state, diagnostics));
    },
    goTo(line) {
      const { doc } = view.state;
      const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
      view.dispatch({
        selection: { anchor: from },
        effects: EditorView.scrollIntoView(from, { y: "center" }),
      });
      view.focus();
    },
  };
}

async function complete({ state, pos, explicit }: CompletionContext): Promise<CompletionResult | null> {
  const text = state.doc.toString();
  const items = await call("complete", { text, offset: pos });
  const [first] = items;
  const edit = first?.textEdit as TextEdit | undefined;
  if (!edit) return null;
  const from = state.doc.line(edit.range.start.line + 1).from + edit.range.start.character;
  if (!explicit && from === pos) return null;
  return {
    from,
    options: items.map(({ label, detail, textEdit }) => ({
      label,
      apply: (textEdit as TextEdit | undefined)?.newText ?? label,
      ...(detail === undefined ? {} : { detail }),
    })),
    filter: false,
  };
}
