/**
 * Selects the record that a reference points to: by its label, its identifier, or any of its text
 * if those find nothing. An identifier can be typed too. A combobox: arrows select, Enter accepts,
 * Escape closes.
 */
import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { RecordsResponse } from "../../../../src/admin/api/records.ts";
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
  const [sought, setSought] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSought(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  const path = isOpen || sought !== "" ? apiPath(resource) : undefined;
  const named = useAnswer<RecordsResponse>(path, { search: sought, limit: shownMax });
  const isNone = isOpen && sought !== "" && named.answer?.records.length === 0;
  const anywhere = useAnswer<RecordsResponse>(isNone ? path : undefined, {
    search: sought,
    everywhere: true,
    limit: shownMax,
  });
  const answer = isNone ? anywhere.answer : named.answer;
  const label = answer?.resource.label;
  const found = (answer?.records ?? []).slice(0, shownMax).map(({ id, fields }) => ({
    id,
    label: label == null ? "" : String(fields[label] ?? ""),
  }));
  const take = (id: string) => {
    change(id);
    setSought(id);
    setOpen(false);
  };
  const list = `${control.id}-list`;
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => (isOpen ? setAt(Math.min(at + 1, found.length - 1)) : setOpen(true)),
    ArrowUp: () => setAt(Math.max(at - 1, -1)),
    ...(isOpen && { Escape: () => setOpen(false) }),
    ...(isOpen && found[at] && { Enter: () => take(found[at]?.id as string) }),
  };
  const chosen = found.find(({ id }) => id === text);
  return (
    <div class="picker">
      <input
        {...control}
        type="text"
        role="combobox"
        aria-expanded={isOpen && found.length > 0}
        aria-controls={list}
        aria-autocomplete="list"
        aria-activedescendant={isOpen && found[at] ? `${list}-${at}` : undefined}
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
      {!isOpen && chosen && chosen.label !== "" && <p class="picked">{chosen.label}</p>}
      <div
        class="picker-list"
        id={list}
        role="listbox"
        aria-label={resource}
        hidden={!isOpen || found.length === 0}
        // The focus stays in the text field.
        onMouseDown={(event) => event.preventDefault()}
      >
        {found.map((one, place) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the keys are the input's, which has the focus.
          <div
            key={one.id}
            id={`${list}-${place}`}
            role="option"
            aria-selected={place === at}
            onClick={() => take(one.id)}
          >
            {one.label} <span class="muted">{one.id}</span>
          </div>
        ))}
      </div>
      {isOpen && found.length === 0 && (
        <p class="hint" role="status">
          {t(answer ? "records.pickNone" : "parts.loading", { resource })}
        </p>
      )}
    </div>
  );
}
