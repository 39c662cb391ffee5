/**
 * The filters of a list as removable chips, and the form for another filter: a field, an operator,
 * a value.
 */
import type { VNode } from "preact";
import { useRef, useState } from "preact/hooks";
import type { FieldResponse, ResourceResponse } from "../../../../src/admin/api/records/resources.ts";
import { useKeys } from "../../keys/keys.ts";
import { announce } from "../../parts/announcer.tsx";
import { Icon } from "../../parts/icon.tsx";
import { addressWith, parameter, setParameters } from "../../routing/address.ts";
import { listText, t } from "../../words/words.ts";
import { dialogOpen, storeFilters } from "./filter-state.ts";

export function Filters({ resource }: { readonly resource: ResourceResponse }): VNode {
  const { filter } = dialogOpen();
  return (
    <search class="record-filters" aria-label={t("parts.filters")}>
      <Search resource={resource} />
      <NewFilter resource={resource} />
      {filter.length > 0 && (
        <ul class="plain filter-chips" aria-label={t("records.filtersSet")}>
          {filter.map((text, at) => (
            <li key={text}>
              <a
                class="button small filter-chip"
                href={addressWith({ filter: filter.toSpliced(at, 1), cursor: undefined })}
                aria-label={t("records.removeFilter", { filter: text })}
              >
                {text}
                <Icon name="close" />
              </a>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}

function Search({
  resource: { found_by: foundBy, searched },
}: {
  readonly resource: ResourceResponse;
}): VNode {
  const input = useRef<HTMLInputElement>(null);
  useKeys({ f: () => input.current?.focus() });
  const search = parameter("search") ?? "";
  const isEverywhere = parameter("everywhere") === "true";
  const find = (everywhere: boolean) =>
    setParameters({
      search: input.current?.value.trim() || undefined,
      everywhere: everywhere ? "true" : undefined,
      cursor: undefined,
    });
  return (
    <form
      class="record-search"
      onSubmit={(event) => {
        event.preventDefault();
        find(isEverywhere);
      }}
    >
      <label class="filter-typed">
        <Icon name="search" />
        <span class="hidden-words">{t("records.search")}</span>
        <input
          ref={input}
          type="search"
          key={search}
          defaultValue={search}
          placeholder={t("records.searchBy", { fields: listText(foundBy) })}
          aria-keyshortcuts="f"
        />
      </label>
      <label class="check" title={t("records.everywhereHint", { fields: listText(searched) })}>
        <input
          type="checkbox"
          checked={isEverywhere}
          disabled={searched.length === 0}
          onChange={(event) => find(event.currentTarget.checked)}
        />
        {t("records.everywhere")}
      </label>
    </form>
  );
}

function NewFilter({ resource }: { readonly resource: ResourceResponse }): VNode | null {
  const fields = resource.fields.filter(({ operators }) => operators.length > 0);
  const [name, setName] = useState(fields[0]?.name ?? "");
  const [operator, setOperator] = useState("");
  const [value, setValue] = useState("");
  const field = fields.find((field) => field.name === name) ?? fields[0];
  if (!field) return null;
  const usedOperator = field.operators.includes(operator) ? operator : (field.operators[0] as string);
  const takesValue = !usedOperator.endsWith("empty");
  const add = () => {
    const text = takesValue ? `${field.name} ${usedOperator} ${value}` : `${field.name} ${usedOperator}`;
    const { filter } = dialogOpen();
    if (!filter.includes(text)) storeFilters([...filter, text]);
    announce(t("records.filterAdded", { filter: text }));
    setValue("");
  };
  return (
    <form
      class="new-filter"
      onSubmit={(event) => {
        event.preventDefault();
        if (!takesValue || value !== "") add();
      }}
    >
      <select
        aria-label={t("records.filterField")}
        value={field.name}
        onChange={(event) => setName(event.currentTarget.value)}
      >
        {fields.map((field) => (
          <option key={field.name} value={field.name}>
            {field.indexed ? t("records.indexedField", { field: field.name }) : field.name}
          </option>
        ))}
      </select>
      <select
        aria-label={t("records.filterOperator")}
        value={usedOperator}
        onChange={(event) => setOperator(event.currentTarget.value)}
      >
        {field.operators.map((operator) => (
          <option key={operator} value={operator}>
            {operator}
          </option>
        ))}
      </select>
      {takesValue && <ValueInput field={field} value={value} setValue={setValue} />}
      <button type="submit" class="small">
        <Icon name="filter" />
        {t("records.addFilter")}
      </button>
    </form>
  );
}

function ValueInput({
  field: { type },
  value,
  setValue,
}: {
  readonly field: FieldResponse;
  readonly value: string;
  readonly setValue: (value: string) => void;
}): VNode {
  const values = type.kind === "boolean" ? ["true", "false"] : type.values;
  const properties = { "aria-label": t("records.filterValue"), value };
  if (values)
    return (
      <select {...properties} onChange={(event) => setValue(event.currentTarget.value)}>
        <option value="">{t("records.choose")}</option>
        {values.map((choice) => (
          <option key={choice} value={choice}>
            {choice}
          </option>
        ))}
      </select>
    );
  return (
    <input
      {...properties}
      type="text"
      placeholder={t("records.filterValue")}
      spellcheck={false}
      onInput={(event) => setValue(event.currentTarget.value)}
    />
  );
}
