/** The line of filters above a list. What they say stands in the address: a link has them, and the way back undoes them. */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../keys/keys.ts";
import { addressWith, parameter, say } from "../routing/address.ts";
import { t } from "../words/words.ts";
import { clockText, clockTime, zoneText } from "./time.tsx";
import { Icon } from "./icon.tsx";

export interface Filter {
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
  /** What can be chosen; without them it is typed. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** It is a time; the address says it in UTC. */
  readonly isTime?: boolean;
  /** What the address needn't say. */
  readonly standard?: string;
}

/** What is typed is looked for when nothing more comes for so long, in milliseconds. */
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
  const isUsed = of.some(({ name }) => parameter(name) !== undefined);
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
          <Typed key={filter.name} filter={filter} />
        ),
      )}
      {isUsed && (
        <a class="button quiet small" href={addressWith(cleared)}>
          {t("parts.clearFilters")}
        </a>
      )}
      {children}
    </search>
  );
}

function sayFilter({ name, standard }: Filter, value: string): void {
  say({ [name]: value === (standard ?? "") ? undefined : value, cursor: undefined }, { replaces: true });
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
      onChange={(event) => sayFilter(filter, event.currentTarget.value)}
    >
      {filter.standard === undefined && <option value="">{filter.label}</option>}
      {choices.map(({ value: one, label }) => (
        <option key={one} value={one}>
          {label}
        </option>
      ))}
      {/* A link may say what there is no choice of any more. */}
      {value !== "" && !choices.some((one) => one.value === value) && <option value={value}>{value}</option>}
    </select>
  );
}

function Moment({ filter }: { readonly filter: Filter }): VNode {
  const said = Date.parse(parameter(filter.name) ?? "");
  const shown = Number.isNaN(said) ? "" : clockText(said).slice(0, 16).replace(" ", "T");
  return (
    <label class="filter-time">
      <span class="muted">{filter.label}</span>
      <input
        // What is half typed has no value yet; nothing that the page shows meanwhile may take it away.
        key={shown}
        type="datetime-local"
        title={zoneText()}
        defaultValue={shown}
        onChange={({ currentTarget: { value } }) => {
          const at = clockTime(value);
          sayFilter(filter, Number.isNaN(at) ? "" : new Date(at).toISOString());
        }}
      />
    </label>
  );
}

function Typed({ filter }: { readonly filter: Filter }): VNode {
  const said = parameter(filter.name) ?? "";
  const [typed, setTyped] = useState(said);
  const [isTyping, setTyping] = useState(false);
  useEffect(() => {
    if (!isTyping) return;
    const timer = setTimeout(() => {
      setTyping(false);
      sayFilter(filter, typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed, isTyping]);
  return (
    <label class="filter-typed">
      <Icon name="search" />
      <span class="hidden-words">{filter.label}</span>
      <input
        type="search"
        placeholder={filter.label}
        value={isTyping ? typed : said}
        onInput={(event) => {
          setTyped(event.currentTarget.value);
          setTyping(true);
        }}
      />
    </label>
  );
}
