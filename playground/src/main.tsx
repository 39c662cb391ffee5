/**
 * The page of the playground: an editor on one side, and the analysis and the running service on
 * the other.
 */
import { render } from "preact";
import backend from "../../docs/quickstart/backend.md?raw";
import helpdesk from "../../examples/helpdesk.md?raw";
import parcelDesk from "../../examples/parcel-desk.md?raw";
import seatBooking from "../../examples/seat-booking.md?raw";
import unidentified from "../../examples/unidentified-service.md?raw";
import { createEditor, type Editor } from "./editor.ts";
import { carriesDocument, fragmentOf, textOfFragment } from "./link.ts";
import { Panel } from "./panel.tsx";
import type { Analysed } from "./protocol.ts";
import { call } from "./service.ts";
import "./style.css";

const examples: Readonly<Record<string, string>> = {
  // The document of the quickstart is its first fenced block.
  "Reading list": /^````markdown [^\n]*\n([\s\S]*?)^````$/m.exec(backend)?.[1] ?? "",
  Helpdesk: helpdesk,
  "Parcel desk": parcelDesk,
  "Seat booking": seatBooking,
  "Only gaps": unidentified,
};

/** The debounce time of the compilation, in milliseconds. */
const pauseMs = 300;

let editor: Editor;
let analysed: Analysed | undefined;
let problem = "";
let timer: ReturnType<typeof setTimeout> | undefined;

async function analyse(): Promise<void> {
  const text = editor.text();
  try {
    const next = await call("analyse", { text });
    if (text !== editor.text()) return;
    analysed = next;
    problem = "";
    editor.report(next.diagnostics);
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error);
  }
  show();
}

function show(): void {
  const panel = document.getElementById("panel");
  if (panel) render(<Panel analysed={analysed} problem={problem} editor={editor} />, panel);
}

function notify(text: string): void {
  const notice = document.getElementById("notice");
  if (notice) notice.textContent = text;
}

async function copyLink(button: HTMLButtonElement): Promise<void> {
  const fragment = await fragmentOf(editor.text());
  if (fragment === undefined) {
    notify("The document is too large for a link. Send it as a file.");
    return;
  }
  notify("");
  history.replaceState(null, "", fragment);
  const label = button.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    // Without clipboard access, the address bar has the link.
    button.textContent = "The address has it";
  }
  setTimeout(() => {
    button.textContent = label;
  }, 2000);
}

async function start(): Promise<void> {
  const carried = await textOfFragment(location.hash);
  const select = document.getElementById("example") as HTMLSelectElement;
  for (const name of Object.keys(examples)) select.add(new Option(name));
  select.addEventListener("change", () => editor.replace(examples[select.value] ?? ""));
  const link = document.getElementById("link") as HTMLButtonElement;
  link.addEventListener("click", () => void copyLink(link));
  const place = document.getElementById("editor") as HTMLElement;
  editor = createEditor(place, carried ?? Object.values(examples)[0] ?? "", () => {
    clearTimeout(timer);
    timer = setTimeout(() => void analyse(), pauseMs);
  });
  if (carried !== undefined) select.selectedIndex = -1;
  else if (carriesDocument(location.hash))
    notify("The link is damaged or was cut off. This is an example, not the linked document.");
  addEventListener("hashchange", async () => {
    const text = await textOfFragment(location.hash);
    if (text !== undefined && text !== editor.text()) editor.replace(text);
  });
  show();
  await analyse();
}

void start();
