/**
 * Selects the record that a reference points to: by its label, its identifier, or any of its text
 * if those find nothing. An identifier can be typed too. A combobox: arrows select, Enter accepts,
 * Escape closes.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RecordsResponse } from "../../../../src/admin/api/records/records.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { ControlProperties } from "../../parts/field.tsx";
import { t } from "../../words/words.ts";
import { apiPath } from "./filter-state.ts";

const shownMax = 8;
/** The debounce time of the search, in milliseconds. */
const pauseMs = 150;

export function ReferencePicker({
  resource,
  text,
  change,
  control,
}: {
  readonly resource: string;
  readonly text: string;
  readonly change: (text: string) => void;
  readonly control: ControlProperties;
}): VNode {
  const [isOpen, setOpen] = useState(false);
  const [at, setAt] = useState(-1);
  const [search, setSearch] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSearch(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const path = isOpen || search !== "" ? apiPath(resource) : undefined;
  const byName = useAnswer<RecordsResponse>(path, { search, limit: shownMax });
  const isNone = isOpen && search !== "" && byName.answer?.records.length === 0;
  const anywhere = useAnswer<RecordsResponse>(isNone ? path : undefined, {
    search,
    everywhere: true,
    limit: shownMax,
  });
  const answer = isNone ? anywhere.answer : byName.answer;
  const label = answer?.resource.label;
  const candidates = (answer?.records ?? []).slice(0, shownMax).map(({ id, fields }) => ({
    id,
    label: label == null ? "" : String(fields[label] ?? ""),
  }));
  const select = (id: string) => {
    change(id);
    setSearch(id);
    setOpen(false);
  };
  const list = `${control.id}-list`;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => (isOpen ? setAt(Math.min(at + 1, candidates.length - 1)) : setOpen(true)),
    ArrowUp: () => setAt(Math.max(at - 1, -1)),
    ...(isOpen && { Escape: () => setOpen(false) }),
    ...(isOpen && candidates[at] && { Enter: () => select(candidates[at]?.id as string) }),
  };
  const selected = candidates.find(({ id }) => id === text);
  return (
    <div class="picker">
      <input
        {...control}
        type="text"
        role="combobox"
        aria-expanded={isOpen && candidates.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && candidates[at] ? `${list}-${at}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder={t("records.pick", { resource })}
        value={text}
        onInput={(event) => {
          change(event.currentTarget.value);
          setOpen(true);
          setAt(-1);
        }}
        onClick={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => {
          const act = event.ctrlKey || event.metaKey ? undefined : keys[event.key];
          if (!act) return;
          event.preventDefault();
          event.stopPropagation();
          act();
        }}
      />
      {!isOpen && selected && selected.label !== "" && <p class="picked">{selected.label}</p>}
      <div
        class="picker-list"
        id={list}
        role="listbox"
        aria-label={resource}
        hidden={!isOpen || candidates.length === 0}
        // The focus stays in the text field.
        onMouseDown={(event) => event.preventDefault()}
      >
        {candidates.map((candidate, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are the input's, which has the focus.
          <div
            key={candidate.id}
            id={`${list}-${place}`}
            role="option"
            aria-selected={place === at}
            onClick={() => select(candidate.id)}
          >
            {candidate.label} <span class="muted">{candidate.id}</span>
          </div>
        ))}
      </div>
      {isOpen && candidates.length === 0 && (
        <p class="hint" role="status">
          {t(answer ? "records.pickNone" : "parts.loading", { resource })}
        </p>
      )}
    </div>
  );
}
