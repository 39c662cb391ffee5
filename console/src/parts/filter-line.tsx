/**
 * The filters above a list. They are in the URL, so that links include them and the back button
 * undoes them.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys/keys.ts";
import { addressWith, parameter, setParameters } from "../routing/address.ts";
import { t } from "../words/words.ts";
import { clockText, clockTime, zoneText } from "./time.tsx";
import { Icon } from "./icon.tsx";

export interface Filter {
  /** Its parameter in the URL. */
  readonly name: string;
  readonly label: string;
  /** The choices; without them, the user types a text. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** Whether it is a time, which the URL has in UTC. */
  readonly isTime?: boolean;
  /** The default, which the URL omits. */
  readonly standard?: string;
}

/** The debounce time of the search, in milliseconds. */
const pauseMs = 200;

export function FilterLine({
  of,
  children,
}: {
  readonly of: readonly Filter[];
  readonly children?: ComponentChildren;
}): VNode {
  const line = useRef<HTMLElement>(null);
  useKeys({ f: () => line.current?.querySelector<HTMLElement>("input, select")?.focus() });
  const isSet = of.some(({ name }) => parameter(name) !== undefined);
  const cleared = Object.fromEntries([
    ...of.map(({ name }) => [name, undefined] as const),
    ["cursor", undefined],
  ]);
  return (
    <search class="filter-line" aria-label={t("parts.filters")} ref={line}>
      {of.map((filter) =>
        filter.choices ? (
          <Choice key={filter.name} filter={filter} choices={filter.choices} />
        ) : filter.isTime ? (
          <Moment key={filter.name} filter={filter} />
        ) : (
          <TextFilter key={filter.name} filter={filter} />
        ),
      )}
      {isSet && (
        <a class="button quiet small" href={addressWith(cleared)}>
          {t("parts.clearFilters")}
        </a>
      )}
      {children}
    </search>
  );
}

function setFilter({ name, standard }: Filter, value: string): void {
  setParameters(
    { [name]: value === (standard ?? "") ? undefined : value, cursor: undefined },
    { replaces: true },
  );
}

function Choice({
  filter,
  choices,
}: {
  readonly filter: Filter;
  readonly choices: NonNullable<Filter["choices"]>;
}): VNode {
  const value = parameter(filter.name) ?? filter.standard ?? "";
  return (
    <select
      aria-label={filter.label}
      class={value === (filter.standard ?? "") ? "" : "is-set"}
      value={value}
      onChange={(event) => setFilter(filter, event.currentTarget.value)}
    >
      {filter.standard === undefined && <option value="">{filter.label}</option>}
      {choices.map(({ value: choice, label }) => (
        <option key={choice} value={choice}>
          {label}
        </option>
      ))}
      {/* A link may contain a value that is no longer among the choices. */}
      {value !== "" && !choices.some((choice) => choice.value === value) && (
        <option value={value}>{value}</option>
      )}
    </select>
  );
}

function Moment({ filter }: { readonly filter: Filter }): VNode {
  const timeMs = Date.parse(parameter(filter.name) ?? "");
  const displayed = Number.isNaN(timeMs) ? "" : clockText(timeMs).slice(0, 16).replace(" ", "T");
  return (
    <label class="filter-time">
      <span class="muted">{filter.label}</span>
      <input
        // A half-typed time has no value yet; re-rendering the page must not remove it.
        key={displayed}
        type="datetime-local"
        title={zoneText()}
        defaultValue={displayed}
        onChange={({ currentTarget: { value } }) => {
          const at = clockTime(value);
          setFilter(filter, Number.isNaN(at) ? "" : new Date(at).toISOString());
        }}
      />
    </label>
  );
}

function TextFilter({ filter }: { readonly filter: Filter }): VNode {
  const current = parameter(filter.name) ?? "";
  const [text, setText] = useState(current);
  const [isTyping, setTyping] = useState(false);
  useEffect(() => {
    if (!isTyping) return;
    const timer = setTimeout(() => {
      setTyping(false);
      setFilter(filter, text);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [text, isTyping]);
  return (
    <label class="filter-typed">
      <Icon name="search" />
      <span class="hidden-words">{filter.label}</span>
      <input
        type="search"
        placeholder={filter.label}
        value={isTyping ? text : current}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setTyping(true);
        }}
      />
    </label>
  );
}
