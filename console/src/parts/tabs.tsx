/** Tabs: one of several panels. The URL has the selected one if `parameter` is set. */
import type { ComponentChildren, VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { parameter as said, say } from "../routing/address.ts";

export interface Tab {
  readonly name: string;
  readonly label: ComponentChildren;
  readonly content: () => ComponentChildren;
}

export function Tabs({
  of,
  label,
  parameter,
}: {
  readonly of: readonly [Tab, ...Tab[]];
  readonly label: string;
  /** The URL parameter of the selected tab. */
  readonly parameter?: string;
}): VNode {
  const id = useId();
  const [own, setOwn] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const wanted = parameter === undefined ? own : said(parameter);
  const shown = of.find((tab) => tab.name === wanted) ?? of[0];
  const show = (name: string) => {
    if (parameter === undefined) setOwn(name);
    else say({ [parameter]: name === of[0].name ? undefined : name }, { replaces: true });
  };
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = of[(of.indexOf(shown) + step + of.length) % of.length] as Tab;
    show(next.name);
    list.current?.querySelector<HTMLElement>(`[data-tab="${CSS.escape(next.name)}"]`)?.focus();
  };
  return (
    <div class="tabs">
      <div class="tab-list" role="tablist" aria-label={label} ref={list} onKeyDown={move}>
        {of.map((tab) => (
          <button
            key={tab.name}
            type="button"
            role="tab"
            id={`${id}-${tab.name}`}
            data-tab={tab.name}
            aria-selected={tab === shown}
            aria-controls={`${id}-panel`}
            tabIndex={tab === shown ? 0 : -1}
            onClick={() => show(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${shown.name}`}>
        {shown.content()}
      </div>
    </div>
  );
}
