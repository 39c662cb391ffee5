/**
 * `/`: the command palette, which opens anything with a name: pages, resources, endpoints, events,
 * a line of the document.
 */
import type { VNode } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { Dialog } from "../parts/dialog.tsx";
import { navigate } from "../routing/address.ts";
import { linkTo, linkToLine } from "../routing/links.ts";
import { t } from "../words/words.ts";
import { linkToPage, availablePages } from "./navigation.tsx";
import { service, type Service } from "./service.ts";

interface Goal {
  readonly kind: string;
  readonly name: string;
  readonly link: string;
}

/** Maximum number of results. */
const goalsMax = 12;

export function Palette({ close }: { readonly close: () => void }): VNode {
  const [query, setQuery] = useState("");
  const [selected, setSelected] = useState(0);
  const list = useId();
  const all = useMemo(() => goalsOf(service.value), [service.value]);
  const results = useMemo(() => matchingGoals(all, query), [all, query]);
  const at = Math.min(selected, results.length - 1);
  const go = (goal: Goal | undefined) => {
    if (!goal) return;
    close();
    navigate(goal.link);
  };
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => setSelected((at + 1) % results.length),
    ArrowUp: () => setSelected((at - 1 + results.length) % results.length),
    Enter: () => go(results[at]),
  };
  return (
    <Dialog title={t("shell.search")} close={close} kind="palette">
      <input
        role="combobox"
        aria-expanded={results.length > 0}
        aria-controls={list}
        aria-activedescendant={results.length > 0 ? `${list}-${at}` : undefined}
        aria-label={t("shell.search")}
        placeholder={t("shell.searchHint")}
        data-focus
        value={query}
        onInput={(event) => {
          setQuery(event.currentTarget.value);
          setSelected(0);
        }}
        onKeyDown={(event) => {
          const run = keys[event.key];
          if (!run) return;
          event.preventDefault();
          run();
        }}
      />
      <div role="listbox" id={list} aria-label={t("shell.searchResults")}>
        {results.map((goal, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are the field's.
          <div
            key={goal.link + goal.name}
            role="option"
            tabIndex={-1}
            id={`${list}-${index}`}
            aria-selected={index === at}
            onClick={() => go(goal)}
            onPointerMove={() => setSelected(index)}
          >
            <span class="one-line" title={goal.name}>
              {goal.name}
            </span>
            <span class="muted">{goal.kind}</span>
          </div>
        ))}
      </div>
      {results.length === 0 && <p class="palette-nothing muted">{t("shell.searchNothing")}</p>}
    </Dialog>
  );
}

function goalsOf(served: Service | undefined): readonly Goal[] {
  return [
    ...availablePages().map((page) => ({
      kind: t("shell.kindPage"),
      name: t(`shell.${page.name}` as "shell.overview"),
      link: linkToPage(page),
    })),
    ...(served?.resources ?? []).map(({ name }) => ({
      kind: t("shell.kindResource"),
      name,
      link: linkTo(["data", name]),
    })),
    ...(served?.endpoints ?? []).map(({ name, line }) => ({
      kind: t("shell.kindEndpoint"),
      name,
      link: linkToLine(line),
    })),
    ...(served?.events ?? []).map(({ name, line }) => ({
      kind: t("shell.kindEvent"),
      name,
      link: linkToLine(line),
    })),
  ];
}

/** The results with all words; those that start with the first word come first. */
function matchingGoals(goals: readonly Goal[], query: string): readonly Goal[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const line = /^(?:l|line )?(\d{1,6})$/i.exec(query.trim())?.[1];
  const results = goals.filter(({ name, kind }) =>
    words.every((word) => `${name} ${kind}`.toLowerCase().includes(word)),
  );
  const isFirst = ({ name }: Goal) => Number(name.toLowerCase().startsWith(words[0] ?? ""));
  return [
    ...(line === undefined
      ? []
      : [{ kind: t("shell.kindLine"), name: t("parts.line", { line }), link: linkToLine(Number(line)) }]),
    ...results.toSorted((a, b) => isFirst(b) - isFirst(a)),
  ].slice(0, goalsMax);
}
