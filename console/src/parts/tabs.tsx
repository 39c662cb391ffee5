/** Tabs: one of several panels. The URL has the selected one if `parameter` is set. */
import type { ComponentChildren, VNode } from "preact";
import { useId, useRef, useState } from "preact/hooks";
import { parameter as said, setParameters } from "../routing/address.ts";

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
  const [selected, setSelected] = useState<string>();
  const list = useRef<HTMLDivElement>(null);
  const selectedName = parameter === undefined ? selected : said(parameter);
  const currentTab = of.find((tab) => tab.name === selectedName) ?? of[0];
  const show = (name: string) => {
    if (parameter === undefined) setSelected(name);
    else setParameters({ [parameter]: name === of[0].name ? undefined : name }, { replaces: true });
  };
  const move = (event: KeyboardEvent) => {
    const steps: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = of[(of.indexOf(currentTab) + step + of.length) % of.length] as Tab;
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
            aria-selected={tab === currentTab}
            aria-controls={`${id}-panel`}
            tabIndex={tab === currentTab ? 0 : -1}
            onClick={() => show(tab.name)}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div class="tab-panel" role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${currentTab.name}`}>
        {currentTab.content()}
      </div>
    </div>
  );
}
